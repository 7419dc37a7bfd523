"""Texts or pairs with labels as training data: items, batches of similar length, and the development part.

What
    An item holds what the encoder reads of one text or of two, and its target: a distribution over the labels. A batch
    is one input for the encoder; the second texts of pairs follow the first ones in it.
Objective
    Every example once per epoch. One label has all of the target; several share it equally, which is the expectation of
    fastText's choice of one of them per epoch. A score between two whole numbers is divided between them.
Source
    Joulin et al. 2017 and its program, for several labels; Tai, Socher and Manning 2015, equation 16, for scores.
Departures
    Examples without a label, and texts without any token in training, are left out and counted.
Cost
    8 bytes per token and 4 per label and item.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from firth.classify.labels import LabelSet
from firth.corpus.table_options import USUAL, TableOptions
from firth.corpus.tables import is_missing, table_of
from firth.errors import CorpusError, FormatError, OptionError, brief
from firth.neural.training.batching import Buckets
from firth.neural.training.held_out import SHARE
from firth.progress import Report
from firth.randomness import generator
from firth.readers.labelled import LABEL_PREFIX, LabelledTexts, labelled_rows, read_labelled, with_labels
from firth.readers.sentence_pairs import NO_LABEL, joined, read_sentence_pairs

NAMED = 5  # labels that a message names
FORMS = "expected ((first, second), label), or pairs with labels=, or a table with column='FIRST,SECOND' and labels="
Floats = npt.NDArray[np.float32]
Text = TypeVar("Text", bound=Sized)  # what an encoder reads of a text


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts or pairs of texts with labels.

    Attributes:
        texts: N examples, each a tuple of one text or of two.
        labels: the labels of each; none where it has none.
        name: of the source, for error messages.
    """

    texts: list[tuple[str, ...]]
    labels: list[list[str]]
    name: str

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self, rows: npt.NDArray[np.int64]) -> "Examples":
        """Return some of the examples."""
        return Examples([self.texts[i] for i in rows.tolist()], [self.labels[i] for i in rows.tolist()], self.name)


def read_examples(
    source: Any, labels: Any, column: str | int | None, *, pairs: str | None, report: Report, how: TableOptions = USUAL
) -> Examples:
    """Read texts with labels.

    Args:
        source: as for `firth.TextClassifier.train`; with `pairs`, tuples `((first, second), label)`, or `(first,
            second)` with `labels`, or a table, or a file of `firth.readers.sentence_pairs`.
        labels: None where the labels are in `source`; else the name of the label column, or a label per example.
        column: name of the text column of a table; of pairs, the names of both columns with a comma.
        pairs: what is asked of pairs of texts, such as "relatedness"; None for single texts.
        report: called with the progress.
        how: how tables are read.
    """
    if pairs:
        return _checked(_read_pairs(source, labels, column, pairs, how))
    return _checked(_from_lines(read_labelled(source, labels, column, LABEL_PREFIX, report, how)))


def _checked(examples: Examples) -> Examples:
    if not any(examples.labels):
        if not any(map(any, examples.texts)):
            raise CorpusError(f"{examples.name}: no texts; expected texts with labels")
        pairs = len(examples.texts[0]) == 2
        what, how = ("pairs", "") if pairs else ("texts", f": {LABEL_PREFIX}NAME on its line, or labels= with a table")
        raise CorpusError(
            f"{examples.name}: {len(examples):,} {what}, none with a label; expected a label for each{how}"
        )
    return examples


def _from_lines(data: LabelledTexts) -> Examples:
    names, is_label = data.lines.names(), data.lines.is_label
    texts: list[tuple[str, ...]] = []
    labels: list[list[str]] = []
    for tokens in np.split(data.lines.tokens, data.lines.ends[:-1]):
        inside = is_label[tokens]
        texts.append((" ".join(names[token] for token in tokens[~inside & (tokens != 0)].tolist()),))
        labels.append([names[token].removeprefix(LABEL_PREFIX) for token in tokens[inside].tolist()])
    return Examples(texts, labels if data.labels is None else data.labels, data.name)


def _read_pairs(source: Any, labels: Any, column: Any, kind: str, how: TableOptions) -> Examples:
    if isinstance(labels, str):
        return _pair_columns(source, labels, column, how)
    if labels is None and column is None and (paths := _paths(source)):
        return _pair_files(paths, how, scored=kind == "relatedness")
    items = list(_pair_items(source))
    if labels is None:
        found: list[Any] = [_label(item, number) for number, item in enumerate(items)]
        items = [item[0] if len(item) == 2 else item[:2] for item in items]
    else:
        found = list(labels)
        if len(found) != len(items):
            raise OptionError(f"{len(found):,} labels for {len(items):,} pairs; expected one per pair")
    texts = [_pair(item, number) for number, item in enumerate(items)]
    return Examples(texts, [_label_list(label) for label in found], "pairs")


def _label_list(label: Any) -> list[str]:
    return [] if is_missing(label) or label == NO_LABEL else [str(label)]


def _paths(source: Any) -> list[str]:
    sources = source if isinstance(source, list | tuple) else [source]
    return [os.fspath(each) for each in sources] if all(isinstance(each, str | os.PathLike) for each in sources) else []


def _pair_files(paths: Sequence[str], how: TableOptions, *, scored: bool) -> Examples:
    try:
        parts = [read_sentence_pairs(path, **vars(how)) for path in paths]
    except FormatError as error:
        raise FormatError(
            f"{error}; or name the columns of a table: column='FIRST,SECOND' and labels='LABEL'"
        ) from None
    data = parts[0] if len(parts) == 1 else joined(parts, paths[0])
    values: Any = data.scores if scored else data.labels
    if values is None:
        found, expected = ("labels", "scores") if scored else ("scores", "labels")
        raise CorpusError(
            f"{paths[0]}: pairs with {found}, expected {expected}; or name the columns of a table: "
            "column='FIRST,SECOND' and labels='LABEL'"
        )
    texts: list[tuple[str, ...]] = [*zip(data.first, data.second, strict=True), *[("", "")] * data.dropped]
    return Examples(texts, [[str(value)] for value in values] + [[]] * data.dropped, paths[0])


def _pair_items(source: Any) -> Iterable[Any]:
    if sources := _paths(source):
        raise OptionError(
            f"pairs of texts in {brief(sources[0])}: expected a table, with column='FIRST,SECOND' and "
            "labels='LABEL', the names of its columns"
        )
    if not isinstance(source, Iterable):
        raise CorpusError(f"pairs of texts: found {brief(source)}; {FORMS}")
    if table_of(source) is not None:
        raise CorpusError(f"pairs of texts: found a table; {FORMS}")
    return source


def _label(item: Any, number: int) -> Any:
    if not isinstance(item, tuple | list) or len(item) not in (2, 3):
        raise CorpusError(f"item {number} is {brief(item)}; {FORMS}")
    return item[-1]


def _pair(item: Any, number: int) -> tuple[str, ...]:
    item = item.tolist() if isinstance(item, np.ndarray) else item
    pair = tuple(item) if isinstance(item, tuple | list) else ()
    if len(pair) != 2 or not all(isinstance(text, str) for text in pair):
        raise CorpusError(f"item {number} is {brief(item)}; expected a pair of two texts")
    return pair


def _pair_columns(source: Any, labels: str, column: Any, how: TableOptions) -> Examples:
    names = list(column) if isinstance(column, list | tuple) else (column or "").split(",")
    if len(names) != 2 or not all(names):
        raise OptionError(f"column={column!r}: pairs of texts stand in two columns; expected column='FIRST,SECOND'")
    first, second = (
        [*with_labels(labelled_rows(source, labels, str(name).strip(), how, FORMS), f"column {labels!r}", how)]
        for name in names
    )
    texts: list[tuple[str, ...]] = [
        ("" if is_missing(a) else str(a), "" if is_missing(b) else str(b))
        for (a, _), (b, _) in zip(first, second, strict=True)
    ]
    return Examples(texts, [_label_list(label) for _, label in first], f"column {labels!r}")


def label_counts(labels: Sequence[Sequence[str]]) -> LabelSet:
    """Return all labels of examples, sorted by (-count, name)."""
    counts = Counter(label for each in labels for label in each)
    pairs = sorted((-count, name) for name, count in counts.items())
    return LabelSet([name for _, name in pairs], np.array([-count for count, _ in pairs], dtype=np.int64))


def label_set(labels: Sequence[Sequence[str]], name: str) -> LabelSet:
    """Return the labels of examples; `name` is that of their source.

    Raises:
        CorpusError: there are fewer than two.
    """
    found = label_counts(labels)
    if len(found.names) < 2:
        raise CorpusError(
            f"{name}: {len(labels):,} examples have one label only, {found.names[0]!r}; expected two or more"
        )
    return found


def check_some_known(labels: Iterable[str], known: Sequence[str], name: str) -> None:
    """Check that examples which select a model have some of its labels.

    Raises:
        CorpusError: they have none.
    """
    counts = Counter(labels)
    if counts.keys().isdisjoint(known):
        found, expected = (
            ", ".join(map(brief, some[:NAMED])) + (", ..." if len(some) > NAMED else "")
            for some in (list(counts), list(known))
        )
        raise CorpusError(f"{name}: none of its labels ({found}) is one of the training examples; expected {expected}")


def scores_of(examples: Examples) -> npt.NDArray[np.float64]:
    """Return the scores of related pairs.

    Raises:
        CorpusError: one is no number.
    """
    try:
        return np.array([float(labels[0]) for labels in examples.labels])
    except ValueError as error:
        raise CorpusError(f"{examples.name}: {error}; expected a score per pair, such as 3.6") from error


class Inputs(Protocol):
    """Input of an encoder: a batch of texts."""

    def to(self, device: torch.device) -> Any:
        """Return the inputs on a device."""
        ...


@dataclass(frozen=True, eq=False)
class Item(Generic[Text]):
    """An example to train on.

    Attributes:
        texts: what the encoder reads: of one text, or of two.
        target: (L,) distribution over the labels.
    """

    texts: tuple[Text, ...]
    target: Floats


@dataclass(frozen=True, eq=False)
class LabelBatch:
    """A batch of examples; a model of trees has one row of targets per labelled node.

    Attributes:
        inputs: of the encoder.
        targets: (R, L) distributions over the labels.
    """

    inputs: Inputs
    targets: torch.Tensor
    fresh: bool = True
    scale: float = 1.0

    def to(self, device: torch.device) -> "LabelBatch":
        """Return the batch with its tensors on a device."""
        return LabelBatch(self.inputs.to(device), self.targets.to(device))


def label_targets(labels: Sequence[Sequence[str]], known: LabelSet) -> Floats:
    """Return (N, L) distributions over labels: all of a text's labels alike; zeros where it has none that is known."""
    targets = np.zeros((len(labels), len(known.names)), dtype=np.float32)
    for row, names in zip(targets, labels, strict=True):
        numbers = sorted({known.ids[name] for name in names if name in known.ids})
        row[numbers] = 1 / max(len(numbers), 1)
    return targets


def batches_of(
    items: Sequence[Item[Text]],
    collate: Callable[[Sequence[Text]], Inputs],
    *,
    batch_size: int,
    seed: int = 0,
    shuffle: bool = True,
) -> Buckets[Item[Text]]:
    """Return items in batches of similar length."""

    def batch(some: list[Item[Text]]) -> LabelBatch:
        texts = [item.texts[side] for side in range(len(some[0].texts)) for item in some]
        return LabelBatch(collate(texts), torch.from_numpy(np.stack([item.target for item in some])))

    lengths = np.array([max(len(text) for text in item.texts) for item in items], dtype=np.int64)
    return Buckets(items=items, lengths=lengths, collate=batch, batch_size=batch_size, seed=seed, shuffle=shuffle)


def development_split(examples: Examples, seed: int) -> tuple[Examples, Examples]:
    """Return training examples and a tenth of all, at random among those of each label, for the choice of the model.

    The only example of a label is always trained on.

    Raises:
        CorpusError: there are fewer than two examples.
    """
    if len(examples) < 2:
        raise CorpusError(
            f"{examples.name}: {len(examples)} example with a label; expected at least two, one of them to select the "
            "model by, or held_out"
        )
    order = generator(seed, "development part").permutation(len(examples))
    counts = Counter(labels[0] for labels in examples.labels)
    # Labels one after another, each in random order; the only example of a label is trained on.
    several = [row for row in order.tolist() if counts[examples.labels[row][0]] > 1] or order.tolist()
    by_label = np.array(sorted(several, key=lambda row: examples.labels[row][0]))
    count = max(1, round(SHARE * len(by_label)))
    chosen = by_label[(np.arange(count) * len(by_label)) // count + len(by_label) // (2 * count)]
    rest = np.setdiff1d(np.arange(len(examples)), chosen)
    return examples.rows(rest), examples.rows(np.sort(chosen))
