"""What debiasing did: every measure before and after, with the control beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firth.bias.association import weat
from firth.bias.direction import bias_direction, direct_bias
from firth.bias.methods import Lists
from firth.bias.query import Measured, Query
from firth.bias.recovery import Recovery, recovery
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Change:
    """A figure before and after."""

    before: Measured
    after: Measured

    @property
    def fall(self) -> float | None:
        """The share of the figure's size that is gone; None where there was none."""
        return 1 - abs(self.after.value) / abs(self.before.value) if self.before.value else None

    @property
    def row(self) -> dict[str, Any]:
        """The change as JSON has it."""
        return {
            "name": self.before.query,
            "metric": self.before.metric,
            "before": self.before.value,
            "after": self.after.value,
            "fall": self.fall,
            "p_before": self.before.p,
            "p_after": self.after.p,
            **{
                f"statistic_{when}": one.facts["statistic"]
                for when, one in (("before", self.before), ("after", self.after))
                if "statistic" in one.facts
            },
            "missing": self.before.missing,
            "notes": list(self.before.notes),
        }


@dataclass(frozen=True)
class Effects:
    """What debiasing did.

    Attributes:
        changes: of direct bias, where there are neutral words, and of each association test that could be asked.
        control: how far the bias can be recovered.
        left_out: why tests could not be asked.
    """

    changes: Sequence[Change]
    control: Recovery
    left_out: Sequence[str]


def effects(
    before: WordVectors, after: WordVectors, lists: Lists, queries: Sequence[Query] = (), *, seed: int = 0
) -> Effects:
    """Return figures of bias before and after debiasing.

    Args:
        before: the original vectors.
        after: the debiased ones, of the same words.
        lists: what the bias is about.
        queries: association tests; one whose words have no vectors is left out, and said so.
        seed: of intervals and of the control.

    Raises:
        OptionError: no pair has two words with vectors, or the two have not the same words.
        FormatError: a vector is not finite.
    """
    along = bias_direction(before, lists.pairs)
    changes, left_out = [], []
    if lists.neutral:
        # The direction is that of the original: in the debiased vectors pairs may point elsewhere.
        changes.append(Change(*(direct_bias(each, along, lists.neutral) for each in (before, after))))
    for query in queries:
        try:
            changes.append(Change(*(weat(each, query, seed=seed) for each in (before, after))))
        except OptionError as error:
            left_out.append(f"{query.name} is left out: {error}")
    control = recovery(before, after, along, specific=lists.specific, seed=seed)
    return Effects(changes, control, left_out)
