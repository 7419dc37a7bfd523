"""The labels of a set of texts: their names, counts and numbers, and the tree that hierarchical softmax walks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError, counted, warn_caller
from firth.readers.labelled import LABEL_PREFIX, LabelledTexts

JOINERS = "|;,"  # what stands between several labels in one cell
UNBUILT = 10**15  # fastText's count of a tree node that does not exist yet


@dataclass(frozen=True, eq=False)
class LabelSet:
    """Labels, sorted by (-count, name).

    Attributes:
        names: L labels, without their prefix.
        counts: (L,) int64, how often each label occurs.
    """

    names: list[str]
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "LabelSet":
        """Return labels with their counts."""
        pairs = sorted((-count, name) for name, count in counts.items())
        return cls([name for _, name in pairs], np.array([-count for count, _ in pairs], dtype=np.int64))

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The number of each label."""
        return {name: i for i, name in enumerate(self.names)}

    def encode(self, labels: Sequence[Sequence[str]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the label numbers of all texts and where those of each text end; unknown labels are dropped."""
        numbers = [[self.ids[name] for name in names if name in self.ids] for names in labels]
        flat = np.fromiter((number for row in numbers for number in row), np.int32)
        return flat, np.cumsum([len(row) for row in numbers], dtype=np.int64)


def frequent_labels(data: LabelledTexts, *, prefix: str, min_count: int) -> LabelSet:
    """Return the labels that occur at least `min_count` times."""
    labels = count_labels(data, prefix=prefix)
    warn_joined(labels.names, data.name)
    warn_alike(labels.names, data.name)
    size = int((labels.counts >= min_count).sum())
    if size < 2:
        raise CorpusError(f"{data.name}: {_too_few(data, labels.names, min_count)}")
    return LabelSet(labels.names[:size], labels.counts[:size])


def count_labels(data: LabelledTexts, *, prefix: str) -> LabelSet:
    """Return all labels of texts; those inside a text begin with `prefix`."""
    if data.labels is not None:
        counts = Counter(name for labels in data.labels for name in labels)
    else:
        tokens, names = np.flatnonzero(data.lines.is_label), data.lines.names()
        counts = Counter({names[t].removeprefix(prefix): int(data.lines.counts[t]) for t in tokens.tolist()})
    if not counts:
        raise CorpusError(f"{data.name}: {_no_label(data, prefix)}")
    if "" in counts:
        raise CorpusError(
            f"{data.name}: {prefix!r} without a name, {counted(counts[''], 'time')}, which would become a class; "
            f"expected names, such as '{prefix}sport', in place of it, or nothing for a text without a label"
        )
    return LabelSet.of(counts)


def warn_several(several: int, texts: int, what: str, advice: str) -> None:
    """Warn that some texts have several labels, if any have."""
    if several:
        warn_caller(f"{several:,} of {texts:,} texts have several labels, and {what}; {advice}")


def warn_joined(names: Sequence[str], name: str) -> None:
    """Warn of labels that look like several ones in a cell: every part is part of another label, or one itself."""
    for joiner in JOINERS:
        parts = {label: [part.strip() for part in label.split(joiner)] for label in names if joiner in label}
        uses = Counter(part for label in names for part in {part.strip() for part in label.split(joiner)})
        joined = [label for label, own in parts.items() if all(part and uses[part] > 1 for part in own)]
        if joined:
            warn_caller(
                f"{name}: {len(joined):,} of {len(names):,} labels, such as {joined[0]!r}, look like several labels "
                f"with {joiner!r} between them, and each is learned as one; expected a list of labels per text: "
                f"labels=[['a', 'b'], ...], a list in a column of JSON lines, or {LABEL_PREFIX}a {LABEL_PREFIX}b"
            )
            return


def warn_alike(names: Sequence[str], name: str) -> None:
    """Warn of labels that differ only by white space around them or by case."""
    spellings: dict[str, list[str]] = {}
    for label in names:
        spellings.setdefault(" ".join(label.split()).casefold(), []).append(label)
    alike = [labels for labels in spellings.values() if len(labels) > 1]
    if alike:
        shown = " and ".join(map(repr, alike[0][:2]))
        warn_caller(
            f"{name}: {counted(len(alike), 'label')} with several spellings, such as {shown}, and each is learned as a "
            "label of its own; expected one spelling"
        )


def _no_label(data: LabelledTexts, prefix: str) -> str:
    texts = f"{len(data.lines.ends):,} texts"
    if data.labels is not None:
        return f"{texts} have no label; expected one label or a list of labels per text"
    return (
        f"no label in {texts}; expected words that begin with {prefix!r}, such as '{prefix}sport': set label_prefix to "
        "another prefix, or pass the labels, or the name of their column, as labels"
    )


def _too_few(data: LabelledTexts, names: Sequence[str], min_count: int) -> str:
    if len(names) == 1:
        return f"{len(data.lines.ends):,} texts have one label only, {names[0]!r}; expected two or more"
    return f"min_count_label={min_count} leaves fewer than two of {len(names):,} labels; lower it"


def label_children(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the Huffman tree over labels: (L - 1, 2), the left and right child of each inner node.

    A fastText file holds no tree: it is rebuilt from the counts, so ties must be broken as fastText breaks them. Among
    equal counts an inner node is merged before a label, and a later label before an earlier one. The second of two
    merged nodes is reached by the positive turn: fastText calls it right, `firth.kernels.trees` left.

    Source: Huffman 1952, "A method for the construction of minimum-redundancy codes".

    Args:
        counts: (L,) in descending order, each from 0 to below `UNBUILT`.
    """
    labels = len(counts)
    weights = [*counts.tolist(), *[UNBUILT] * (labels - 1)]
    children = np.zeros((max(labels - 1, 0), 2), dtype=np.int64)
    leaf, node = labels - 1, labels
    for i in range(labels - 1):
        pair = []
        for _ in range(2):
            if leaf >= 0 and weights[leaf] < weights[node]:
                pair.append(leaf)
                leaf -= 1
            else:
                pair.append(node)
                node += 1
        weights[labels + i] = weights[pair[0]] + weights[pair[1]]
        children[i] = pair[1], pair[0]
    return children
