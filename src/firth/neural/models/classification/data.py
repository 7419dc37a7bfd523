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
from typing import Any, Generic, TypeVar, Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.classify.examples import Examples
from firth.classify.labels import LabelSet
from firth.corpus.table_options import USUAL, TableOptions
from firth.corpus.tables import is_missing, table_of
from firth.errors import CorpusError, FormatError, OptionError, brief
from firth.neural.supervised import SHARE
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch
from firth.progress import Report
from firth.randomness import generator
from firth.readers.labelled import LABEL_PREFIX, labelled_rows, with_labels
from firth.readers.sentence_pairs import NO_LABEL, joined, read_sentence_pairs

NAMED = 5  # labels that a message names
FORMS = "expected ((first, second), label), or pairs with labels=, or a table with column='FIRST,SECOND' and labels="
Floats = npt.NDArray[np.float32]
Text = TypeVar("Text", bound=Sized)  # what an encoder reads of a text


def read_examples(
    source: Any,
    labels: Any,
    column: str | int | None,
    *,
    pairs: str | None,
    report: Report,
    table_options: TableOptions = USUAL,
) -> Examples:
    """Read texts with labels.

    Args:
        source: as for `firth.TextClassifier.train`; with `pairs`, tuples `((first, second), label)`, or `(first,
            second)` with `labels`, or a table, or a file of `firth.readers.sentence_pairs`.
        labels: None where the labels are in `source`; else the name of the label column, or a label per example.
        column: name of the text column of a table; of pairs, the names of both columns with a comma.
        pairs: what is asked of pairs of texts, such as "relatedness"; None for single texts.
    """
    if pairs:
        return _checked(_read_pairs(source, labels, column, pairs, table_options))
    return _checked(Examples.read(source, labels, column, report, table_options))


def _checked(examples: Examples) -> Examples:
    if not any(examples.labels):
        if not any(map(any, examples.texts)):
            raise CorpusError(f"{examples.name}: no texts; expected texts with labels")
        pairs = len(examples.texts[0]) == 2
        what, hint = ("pairs", "") if pairs else ("texts", f": {LABEL_PREFIX}NAME on its line, or labels= with a table")
        raise CorpusError(
            f"{examples.name}: {len(examples):,} {what}, none with a label; expected a label for each{hint}"
        )
    return examples


def _read_pairs(source: Any, labels: Any, column: Any, kind: str, table_options: TableOptions) -> Examples:
    if isinstance(labels, str):
        return _pair_columns(source, labels, column, table_options)
    if labels is None and column is None and (paths := _paths(source)):
        return _pair_files(paths, table_options, scored=kind == "relatedness")
    items = list(_pair_items(source))
    if labels is None:
        pair_labels: list[Any] = [_label(item, number) for number, item in enumerate(items)]
        items = [item[0] if len(item) == 2 else item[:2] for item in items]
    else:
        pair_labels = list(labels)
        if len(pair_labels) != len(items):
            raise OptionError(f"{len(pair_labels):,} labels for {len(items):,} pairs; expected one per pair")
    texts = [_pair(item, number) for number, item in enumerate(items)]
    return Examples(texts, [_label_list(label) for label in pair_labels], "pairs")


def _label_list(label: Any) -> list[str]:
    return [] if is_missing(label) or label == NO_LABEL else [str(label)]


def _paths(source: Any) -> list[str]:
    sources = source if isinstance(source, list | tuple) else [source]
    return list(map(os.fspath, sources)) if all(isinstance(path, str | os.PathLike) for path in sources) else []


def _pair_files(paths: Sequence[str], table_options: TableOptions, *, scored: bool) -> Examples:
    try:
        parts = [read_sentence_pairs(path, **vars(table_options)) for path in paths]
    except FormatError as error:
        raise FormatError(
            f"{error}; or name the columns of a table: column='FIRST,SECOND' and labels='LABEL'"
        ) from None
    data = parts[0] if len(parts) == 1 else joined(parts, paths[0])
    values: Any = data.scores if scored else data.labels
    if values is None:
        present, expected = ("labels", "scores") if scored else ("scores", "labels")
        raise CorpusError(
            f"{paths[0]}: pairs with {present}, expected {expected}; or name the columns of a table: "
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


def _pair_columns(source: Any, labels: str, column: Any, table_options: TableOptions) -> Examples:
    names = list(column) if isinstance(column, list | tuple) else (column or "").split(",")
    if len(names) != 2 or not all(names):
        raise OptionError(f"column={column!r}: pairs of texts stand in two columns; expected column='FIRST,SECOND'")
    rows = (labelled_rows(source, labels, str(name).strip(), table_options, FORMS) for name in names)
    first, second = ([*with_labels(side, f"column {labels!r}", table_options)] for side in rows)
    texts: list[tuple[str, ...]] = [
        ("" if is_missing(a) else str(a), "" if is_missing(b) else str(b))
        for (a, _), (b, _) in zip(first, second, strict=True)
    ]
    return Examples(texts, [_label_list(label) for _, label in first], f"column {labels!r}")


def label_counts(labels: Sequence[Sequence[str]]) -> LabelSet:
    """Return all labels of examples, sorted by (-count, name)."""
    return LabelSet.of(Counter(label for names in labels for label in names))


def label_set(labels: Sequence[Sequence[str]], name: str) -> LabelSet:
    """Return the labels of examples; `name` is that of their source."""
    counted = label_counts(labels)
    if len(counted.names) < 2:
        raise CorpusError(
            f"{name}: {len(labels):,} examples have one label only, {counted.names[0]!r}; expected two or more"
        )
    return counted


def check_held_out_labels(labels: Iterable[str], names: Sequence[str]) -> None:
    """Check that examples which select a model have some of its labels."""
    counts = Counter(labels)
    if counts.keys().isdisjoint(names):
        present, expected = (
            ", ".join(map(brief, shown[:NAMED])) + (", ..." if len(shown) > NAMED else "")
            for shown in (list(counts), list(names))
        )
        raise CorpusError(
            f"held_out: none of its labels ({present}) is one of the training examples; expected {expected}"
        )


def scores_of(labels: Sequence[Sequence[str]], name: str) -> npt.NDArray[np.float64]:
    """Return the scores of related pairs; `name` is that of their source."""
    try:
        return np.array([float(score) for score, *_ in labels])
    except ValueError as error:
        raise CorpusError(f"{name}: {error}; expected a score per pair, such as 3.6") from error


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
class LabelBatch(TensorBatch):
    """A batch of examples; a model of trees has one row of targets per labelled node.

    Attributes:
        inputs: of the encoder.
        targets: (R, L) distributions over the labels.
    """

    inputs: Any
    targets: torch.Tensor


def label_targets(labels: Sequence[Sequence[str]], of_model: LabelSet) -> Floats:
    """Return (N, L) distributions over labels: all of a text's labels alike; zeros where it has none that is known."""
    targets = np.zeros((len(labels), len(of_model.names)), dtype=np.float32)
    for row, names in zip(targets, labels, strict=True):
        numbers = sorted({of_model.ids[name] for name in names if name in of_model.ids})
        row[numbers] = 1 / max(len(numbers), 1)
    return targets


def batches_of(
    items: Sequence[Item[Text]], collate: Callable[[Sequence[Text]], TensorBatch], **options: Unpack[BatchOptions]
) -> Buckets[Item[Text]]:
    """Return items in batches of similar length."""

    def batch(rows: list[Item[Text]]) -> LabelBatch:
        texts = [item.texts[side] for side in range(len(rows[0].texts)) for item in rows]
        return LabelBatch(collate(texts), torch.from_numpy(np.stack([item.target for item in rows])))

    return Buckets.of(items, batch, lambda item: max(map(len, item.texts)), **options)


def development_split(examples: Examples, seed: int) -> tuple[Examples, Examples]:
    """Return training examples and a tenth of all, at random among those of each label, for the choice of the model.

    The only example of a label is always trained on.
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
