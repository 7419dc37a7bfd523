"""Texts with labels: files in fastText's form, columns of tables, or Python lists, as numbered tokens line by line.

A text is a line. In fastText's form its labels stand in it, as tokens that begin with a prefix; elsewhere they come
beside it, and tokens with the prefix are passed over. `firth.kernels.labelled_text` says what a token is.

Memory: 4 bytes a token and 8 a text, and what the distinct tokens take.
"""

import itertools
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.columns import TABLES, labelled_cells
from firth.corpus.meter import Meter
from firth.corpus.reader import HEAD, check_text, inner_suffix, opened, reading
from firth.corpus.sources import Files, Items, StandardInput, resolve
from firth.corpus.tables import is_missing, table_of, table_of_rows
from firth.errors import CorpusError, OptionError
from firth.kernels import labelled_text as kernels
from firth.kernels.hash_words import rehashed
from firth.progress import Report

BLOCK = 1 << 22  # bytes of a file that are scanned at once
LONGEST = 1 << 24  # bytes of a line: more are no text, and take 17 times the memory
TEXTS = 1 << 14  # texts that are joined and scanned at once
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FIRST_SLOTS, _GROWTH, _LOAD = 1 << 10, 8, 0.6


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines of numbered tokens.

    Attributes:
        tokens: (N,) int32 number of each token; 0 is the end of a line.
        ends: (lines,) int64, one past the last token of each line.
        counts: (T,) int64, how often each distinct token occurs.
        hashes: (T,) uint32, of `firth.kernels.ngram_hash`.
        is_label: (T,) whether the token begins with the prefix of labels.
        arena: uint8, the bytes of the distinct tokens.
        starts: (T + 1,) int64, where they begin there, each followed by one byte.
    """

    tokens: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint32]
    is_label: npt.NDArray[np.bool_]
    arena: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]

    def names(self) -> list[str]:
        """Return the distinct tokens; bytes that are no UTF-8 are kept as lone surrogates."""
        return self.arena[: self.starts[-1] - 1].tobytes().decode("utf-8", "surrogateescape").split("\n")


@dataclass(frozen=True, eq=False)
class LabelledLines:
    """Lines, and the labels that came beside them.

    Attributes:
        lines: the texts.
        labels: the labels of each text, or None where they stand in the lines.
        name: what to call the source in a message.
    """

    lines: Lines
    labels: list[list[str]] | None
    name: str


class LineScanner:
    """Numbers the tokens of lines.

    Args:
        prefix: what labels begin with; "" for none.
        one_a_line: whether each line is a text of its own, even where `</s>`, the mark of an end, stands inside it;
            what follows the mark is then left out, and else is a line of its own.
    """

    def __init__(self, prefix: str, *, one_a_line: bool) -> None:
        self._prefix = np.frombuffer(prefix.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        self._one_a_line = one_a_line
        self._slots = np.zeros(2 * _FIRST_SLOTS, dtype=np.uint64)
        self._arena = np.zeros(0, dtype=np.uint8)
        self._state = np.zeros(kernels.STATE_SIZE, dtype=np.int64)
        self._starts, self._counts = np.zeros(1, np.int64), np.zeros(0, np.int64)
        self._hashes, self._labels = np.zeros(0, np.uint32), np.zeros(0, np.bool_)
        self._tokens: list[npt.NDArray[np.int32]] = []
        self._ends: list[npt.NDArray[np.int64]] = []
        self._written = 0
        self._make_room()
        self.feed(kernels.END)  # takes number 0
        self._tokens.clear()
        self._ends.clear()
        self._written = self._counts[0] = 0

    def feed(self, data: bytes) -> None:
        """Scan whole lines; a line may only lack its line feed where the file ends, and has no `</s>` then."""
        text = np.frombuffer(data + bytes(kernels.PADDING), dtype=np.uint8)
        tokens, ends = np.empty(len(data) + 1, np.int32), np.empty(len(data) + 1, np.int64)
        self._state[[kernels.POSITION, kernels.WRITTEN, kernels.LINES]] = 0
        needed = int(self._state[kernels.ARENA]) + 2 * len(data) + kernels.PADDING
        if len(self._arena) < needed:
            self._arena = _lengthened(self._arena, 2 * needed)
        while kernels.scan_lines(
            text, len(data), self._one_a_line, self._prefix, self._slots, self._arena, self._starts, self._hashes,
            self._labels, self._counts, tokens, ends, self._state,
        ):  # fmt: skip
            self._slots = rehashed(self._slots, _GROWTH)
            self._make_room()
        written, lines = int(self._state[kernels.WRITTEN]), int(self._state[kernels.LINES])
        self._tokens.append(tokens[:written].copy())
        self._ends.append(ends[:lines] + self._written)
        if written and (lines == 0 or ends[lines - 1] < written):
            self._ends.append(np.array([self._written + written]))
        self._written += written

    def finish(self) -> Lines:
        """Return what was scanned."""
        known = int(self._state[kernels.TOKENS])
        return Lines(
            tokens=np.concatenate([*self._tokens, np.zeros(0, np.int32)]),
            ends=np.concatenate([*self._ends, np.zeros(0, np.int64)]),
            counts=self._counts[:known].copy(),
            hashes=self._hashes[:known].copy(),
            is_label=self._labels[:known].copy(),
            arena=self._arena,
            starts=self._starts[: known + 1].copy(),
        )

    def _make_room(self) -> None:
        limit = int(_LOAD * (len(self._slots) // 2))
        self._starts, self._counts = _lengthened(self._starts, limit + 1), _lengthened(self._counts, limit)
        self._hashes, self._labels = _lengthened(self._hashes, limit), _lengthened(self._labels, limit)


def _lengthened(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.zeros(length, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def scan_texts(texts: Iterable[Any], prefix: str, *, name: str = "texts") -> Lines:
    """Number the tokens of texts, a line each: line feeds inside a text are spaces.

    Args:
        texts: strings.
        prefix: tokens that begin with it are taken for labels; "" for none.
        name: what to call the texts in a message.

    Raises:
        CorpusError: an item is not a string.
    """
    scanner, place, left = LineScanner(prefix, one_a_line=True), 0, iter(texts)
    while some := list(itertools.islice(left, TEXTS)):
        try:
            joined = "\n".join(some)
        except TypeError:
            wrong = next(i for i, text in enumerate(some) if not isinstance(text, str))
            raise CorpusError(
                f"{name}: item {place + wrong} is {type(some[wrong]).__name__} {some[wrong]!r:.60}; expected a string"
            ) from None
        if joined.count("\n") != len(some) - 1:
            joined = "\n".join(text.replace("\n", " ") for text in some)
        scanner.feed(_encoded(joined + "\n"))
        place += len(some)
    return scanner.finish()


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def read_labelled(source: Any, labels: Any, column: str | None, prefix: str, report: Report) -> LabelledLines:
    """Read texts with labels.

    Args:
        source: a path, glob or folder, "-" for standard input, several paths; or texts; or a table, or rows of one; or
            tuples of a text and its label or labels.
        labels: None where they stand in the texts or tuples; the name of a column of labels; or a label a text, or
            several.
        column: the column of texts of a table; None for the rule of `firth.corpus.tables`.
        prefix: what labels in texts begin with.
        report: called with the progress.

    Raises:
        CorpusError: there is no such source, or it is no text; or an item is not a string.
        OptionError: there are not as many labels as texts, or they come beside a file.
    """
    if isinstance(labels, str):
        return _from_columns(source, labels, column, prefix)
    table = table_of(source)
    if labels is not None:
        texts = list(_texts_of(source) if table is None else table.texts(column))
        given = [_label_list(label) for label in _values_of(labels)]
        if len(given) != len(texts):
            raise OptionError(f"{len(given):,} labels for {len(texts):,} texts: expected as many; give [] for none")
        return LabelledLines(scan_texts(texts, prefix), given, "texts")
    if table is not None:
        columns = ", ".join(map(str, table.schema.kinds))
        raise CorpusError(
            f"{table.schema.where}: a table with the columns {columns}; name its column of labels with labels=, and "
            "that of texts with column="
        )
    first, source = _peeked(source)
    if _is_pair(first, prefix):
        return _from_pairs(_pairs(source), prefix, "pairs of text and label")
    found = resolve(source, column)
    if isinstance(found, Items):
        # Lines as a file has them: a text that holds a line feed is still one.
        return LabelledLines(scan_texts(_joined(found), prefix), None, "texts")
    scanner = LineScanner(prefix, one_a_line=False)
    if isinstance(found, StandardInput):
        _scan_stream(scanner, sys.stdin.buffer, "standard input", lambda: None)
        return LabelledLines(scanner.finish(), None, "standard input")
    meter = Meter(report, found.size())
    for path in found.paths:
        if inner_suffix(path) in TABLES:
            raise CorpusError(
                f"{path}: a table; name its column of labels with labels=, and that of texts with column="
            )
        with opened(path) as (raw, stream), reading(path):
            _scan_stream(scanner, stream, str(path), partial(_tick, meter, raw))
        meter.finished += path.stat().st_size
    return LabelledLines(scanner.finish(), None, found.name if len(found.paths) > 1 else str(found.paths[0]))


def _tick(meter: Meter, raw: Any) -> None:
    meter.tick(raw.tell())


def _scan_stream(scanner: LineScanner, stream: Any, name: str, tick: Any) -> None:
    """Scan a file block by block, cut where a line ends."""
    rest = stream.read(HEAD)
    check_text(name, rest)
    rest = rest.removeprefix(BYTE_ORDER_MARK)
    while block := stream.read(BLOCK):
        whole, feed, after = block.rpartition(b"\n")
        if feed:
            scanner.feed(rest + whole + feed)
            rest = after
        else:
            rest += block
            if len(rest) > LONGEST:
                raise CorpusError(f"{name}: a line of more than {LONGEST:,} bytes; expected a text a line")
        tick()
    scanner.feed(rest)


def _from_columns(source: Any, labels: str, column: str | None, prefix: str) -> LabelledLines:
    rows = _rows_of(source, labels, column)
    return _from_pairs(((text, label) for text, label in rows if not is_missing(text)), prefix, f"column {labels!r}")


def _from_pairs(pairs: Iterable[tuple[Any, Any]], prefix: str, name: str) -> LabelledLines:
    given: list[list[str]] = []

    def texts() -> Iterator[Any]:
        for text, label in pairs:
            given.append(_label_list(label))
            yield text

    lines = scan_texts(texts(), prefix)
    return LabelledLines(lines, given, name)


def _rows_of(source: Any, labels: str, column: str | None) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of text and label.

    Raises:
        CorpusError: it is no table, or has no such columns.
    """
    table = table_of(source)
    if table is None:
        first, source = _peeked(source)
        table = table_of_rows(source) if isinstance(first, Mapping) else None
    if table is not None:
        yield from table.labelled(column, labels)
        return
    found = resolve(source)
    if not isinstance(found, Files):
        raise CorpusError(f"labels={labels!r} names a column; expected a table, found texts: give a list of labels")
    for path in found.paths:
        yield from ((text, label) for text, label in labelled_cells(path, column, labels))


def _peeked(source: Any) -> tuple[Any, Any]:
    """Return the first item of a source, None where there is none to see, and the source with nothing taken from it."""
    if not isinstance(source, Iterable) or isinstance(source, str | os.PathLike):
        return None, source
    left = iter(source)
    some = list(itertools.islice(left, 1))
    return (some[0] if some else None), (itertools.chain(some, left) if left is source else source)


def _is_pair(item: Any, prefix: str) -> bool:
    """Return whether an item is a tuple of a text and its label or labels, and no tuple of tokens with labels in it."""
    if not isinstance(item, tuple) or len(item) != 2:
        return False
    return not prefix or not any(isinstance(each, str) and each.startswith(prefix) for each in item)


def _pairs(items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for number, item in enumerate(items):
        if not isinstance(item, tuple) or len(item) != 2:
            raise CorpusError(f"item {number} is {item!r:.60} among pairs; expected a tuple of a text and its label")
        if not is_missing(item[0]):
            yield item


def _values_of(labels: Any) -> Iterable[Any]:
    """Return labels that came beside texts, those of a series or of a table with one column as plain values."""
    table = table_of(labels)
    if table is None:
        values: Iterable[Any] = labels
        return values
    names = list(table.schema.kinds)
    if len(names) != 1:
        raise OptionError(f"labels: {table.schema.where} has {len(names)} columns; expected a series, or a list")
    return (row[0] for row in table.read(names))


def _texts_of(source: Any) -> Iterable[Any]:
    if isinstance(source, str | Path):
        raise OptionError(f"labels beside {str(source)!r}: expected a list of texts; texts of a file have theirs in it")
    texts: Iterable[Any] = source
    return texts


def _joined(items: Items) -> Iterator[Any]:
    return (" ".join(item) if items.tokenised else item for item in items.items)


def _label_list(label: Any) -> list[str]:
    if is_missing(label):
        return []
    if isinstance(label, str) or not isinstance(label, Iterable):
        return [str(label)]
    return [str(each) for each in label]
