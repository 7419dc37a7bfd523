"""The labels of a set of texts: which there are, how often each occurs, and which every text has."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError
from firth.readers.labelled import LabelledTexts


@dataclass(frozen=True, eq=False)
class LabelSet:
    """Labels in the order (-count, name).

    Attributes:
        names: L labels, without their prefix.
        counts: (L,) int64, how many times each was given.
    """

    names: list[str]
    counts: npt.NDArray[np.int64]

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The number of each label."""
        return {name: i for i, name in enumerate(self.names)}

    def numbered(self, given: Sequence[Sequence[str]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the numbers of the labels of texts, and where those of each end; labels not in the set drop out.

        Args:
            given: the labels of each text.
        """
        numbers = [[self.ids[name] for name in labels if name in self.ids] for labels in given]
        flat = np.fromiter((number for some in numbers for number in some), np.int32)
        return flat, np.cumsum([len(some) for some in numbers], dtype=np.int64)


def kept_labels(read: LabelledTexts, *, prefix: str, min_count: int) -> LabelSet:
    """Return the labels of texts that a classifier can learn to tell apart.

    Args:
        read: the texts.
        prefix: what labels in them begin with.
        min_count: labels given less often are left out.

    Raises:
        CorpusError: fewer than two labels are left.
    """
    every = count_labels(read, prefix=prefix)
    kept = int((every.counts >= min_count).sum())
    if kept < 2:
        raise CorpusError(f"{read.name}: {_too_few(read, every.names, min_count)}")
    return LabelSet(every.names[:kept], every.counts[:kept])


def count_labels(read: LabelledTexts, *, prefix: str) -> LabelSet:
    """Return the labels of texts.

    Args:
        read: the texts.
        prefix: what labels in them begin with.

    Raises:
        CorpusError: there are none.
    """
    if read.labels is not None:
        counted = Counter(name for labels in read.labels for name in labels)
    else:
        tokens, names = np.flatnonzero(read.lines.is_label), read.lines.names()
        counted = Counter({names[t].removeprefix(prefix): int(read.lines.counts[t]) for t in tokens.tolist()})
    if not counted:
        raise CorpusError(f"{read.name}: {_no_label(read, prefix)}")
    ordered = sorted((-count, name) for name, count in counted.items())
    return LabelSet([name for _, name in ordered], np.array([-count for count, _ in ordered], dtype=np.int64))


def _no_label(read: LabelledTexts, prefix: str) -> str:
    texts = f"{len(read.lines.ends):,} texts"
    if read.labels is not None:
        return f"no label beside {texts}; expected a label a text, or a list of labels"
    return (
        f"no label in {texts}; expected words that begin with {prefix!r}, such as '{prefix}sport': name another prefix "
        "with label_prefix, or the column or list of labels with labels"
    )


def _too_few(read: LabelledTexts, names: Sequence[str], min_count: int) -> str:
    if len(names) == 1:
        return f"the only label of {len(read.lines.ends):,} texts is {names[0]!r}; expected two or more"
    return f"min_count_label={min_count} leaves fewer than two of {len(names):,} labels; lower it"
