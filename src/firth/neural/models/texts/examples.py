"""Texts or pairs of texts with their labels, from everything that `firth.TextClassifier` reads."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classify.labels import LabelSet
from firth.corpus.table_options import USUAL, TableOptions
from firth.corpus.tables import is_missing, table_of
from firth.errors import CorpusError, FormatError, OptionError, brief
from firth.progress import Report
from firth.readers.labelled import LABEL_PREFIX, LabelledTexts, labelled_rows, read_labelled, with_labels
from firth.readers.sentence_pairs import NO_LABEL, joined, read_sentence_pairs

NAMED = 5  # labels that a message names
FORMS = "expected ((first, second), label), or pairs with labels=, or a table with column='FIRST,SECOND' and labels="


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

    Raises:
        CorpusError: the source does not exist or is not text, an item has another form, or nothing has a label.
        OptionError: the numbers of labels and texts differ.
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

    Args:
        labels: of the examples.
        known: labels of the model.
        name: of their source, for the message.

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
