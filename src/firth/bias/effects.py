"""Effects of debiasing: direct bias and WEAT before and after, with the recovery of the bias as a control."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firth.bias.direction import bias_direction, direct_bias
from firth.bias.methods import BiasLists
from firth.bias.metrics import weat
from firth.bias.query import BiasScore, Query, title_of
from firth.bias.recovery import Recovery, recovery
from firth.errors import OptionError, brief_repr
from firth.notebook import note, table
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class ScoreChange:
    """A score before and after debiasing."""

    before: BiasScore
    after: BiasScore

    @property
    def fall(self) -> float | None:
        """The relative decrease of the absolute value; None if it was 0."""
        return 1 - abs(self.after.value) / abs(self.before.value) if self.before.value else None

    @property
    def row(self) -> dict[str, Any]:
        """The change for JSON."""
        return {
            "name": self.before.query,
            "metric": self.before.metric,
            "before": self.before.value,
            "after": self.after.value,
            "fall": self.fall,
            "p_before": self.before.p,
            "p_after": self.after.p,
            **{
                f"statistic_{when}": score.facts["statistic"]
                for when, score in (("before", self.before), ("after", self.after))
                if "statistic" in score.facts
            },
            "missing": self.before.missing,
            "notes": list(self.before.notes),
        }


@dataclass(frozen=True)
class DebiasingEffects:
    """Effects of debiasing.

    Attributes:
        changes: of direct bias, if there are neutral words, and of each association test.
        control: how well the bias can be recovered.
        left_out: tests that could not be computed, with the reason.
    """

    changes: Sequence[ScoreChange]
    control: Recovery
    left_out: Sequence[str]

    __repr__ = brief_repr

    def _repr_html_(self) -> str:
        figures = [
            (f"{change.before.metric}: {title_of(change.before.query)}", change.before.value, change.after.value)
            for change in self.changes
        ]
        for name in ("clusters", "classifier", "neighbours"):
            sides = (getattr(side, name) for side in (self.control.before, self.control.after))
            figures.append((f"recovered by {name}", *sides))
        rows = [(name, f"{before:.3f}", f"{after:.3f}") for name, before, after in figures]
        return table(("bias", "before", "after"), rows, more="".join(map(note, self.left_out)))


def effects(
    before: WordVectors, after: WordVectors, lists: BiasLists, queries: Sequence[Query] = (), *, seed: int = 0
) -> DebiasingEffects:
    """Return scores of bias before and after debiasing.

    Args:
        before: the original vectors.
        after: the debiased vectors, with the same words.
        lists: the word lists.
        queries: association tests; those whose words have no vectors are listed in `left_out`.
        seed: random seed of intervals and control.

    Raises:
        OptionError: no pair has two known words, or the words before and after differ.
        FormatError: a vector is not finite.
    """
    along = bias_direction(before, lists.pairs)
    changes, left_out = [], []
    if lists.neutral:
        # The original direction: in the debiased vectors pairs may define another one.
        changes.append(ScoreChange(*(direct_bias(vectors, along, lists.neutral) for vectors in (before, after))))
    for query in queries:
        try:
            changes.append(ScoreChange(*(weat(vectors, query, seed=seed) for vectors in (before, after))))
        except OptionError as error:
            left_out.append(f"{title_of(query.name)} is left out: {error}")
    control = recovery(before, after, along, specific=lists.specific, seed=seed)
    return DebiasingEffects(changes, control, left_out)
