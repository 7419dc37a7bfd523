r"""ARPA files: n-gram models as text, which KenLM, SRILM and most recognisers and decoders read.

    \data\
    ngram 1=5                      how many n-grams of each order there are
    ngram 2=7

    \1-grams:
    -0.69897	a	-0.30103          log10 of a probability, words, log10 of the back-off weight, where it has one

    \2-grams:
    ...
    \end\

`<s>` has the probability 10^-99 here, which says that it is never predicted; readers ignore it.

Source: Doug Paul's format of the ARPA CSR projects, as SRILM's manual page ngram-format(5) describes it.
"""

import contextlib
import functools
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.language.ngram_tables import Table
from firth.language.ngram_trie import LN10, NEVER, Trie
from firth.language.text import BOS, UNK
from firth.storage.files import check_replaceable, replacing_file
from firth.storage.untrusted import Bounded

BLOCK = 1 << 16  # lines that are read or written at once
HEAD = 1 << 16  # bytes in which the line \data\ must stand where a file is to be replaced
LOWEST = -99.0  # log10 of probabilities of 0, and of `BOS`
ABSENT = -100.0  # log10 of the probability of `UNK` in a model that has none, as KenLM has it
LONGEST = 64  # characters of a number; double precision needs 24
UNPACKED = 1032  # bytes that a byte of a gzip file stands for at most
_SIZE = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)\s*")

Row = list[bytes]


def _is_arpa(path: Path) -> bool:
    try:
        with _opened(path) as file:
            return b"\\data\\" in file.read(HEAD).split()
    except (FormatError, EOFError, gzip.BadGzipFile, zlib.error):
        return False


check_target = functools.partial(check_replaceable, is_ours=_is_arpa, what="ARPA files")


def write(path: str | os.PathLike[str], words: Sequence[str], trie: Trie) -> None:
    """Write a model, packed with gzip where the name ends in ".gz".

    Args:
        path: the file to replace or create.
        words: V words.
        trie: the model.

    Raises:
        OptionError: a word is empty, holds white space, or is `<s>`: ARPA files have no place for it; or a file of
            something else is there.
        OSError: the file cannot be written.
    """
    check_target(path)
    spoilt = next((word for word in words if not word or word == BOS or len(word.encode().split()) != 1), None)
    if spoilt is not None:
        raise OptionError(
            f"the word {spoilt!r} has no place in an ARPA file; expected words without spaces, none {BOS}"
        )
    names = np.array([*words, BOS], dtype=object)
    with replacing_file(path) as file:
        if os.fspath(path).endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.writelines(_lines(names, trie))
        else:
            file.writelines(_lines(names, trie))


def _lines(names: npt.NDArray[Any], trie: Trie) -> Iterator[bytes]:
    yield b"\\data\\\n"
    for k, size in enumerate(trie.sizes.tolist(), 1):
        yield b"ngram %d=%d\n" % (k, size)
    for k in range(1, trie.order + 1):
        yield b"\n\\%d-grams:\n" % k
        rows = trie.rows(k)
        for first in range(rows.start, rows.stop, BLOCK):
            yield _block(names, trie, np.arange(first, min(first + BLOCK, rows.stop)), k).encode()
    yield b"\n\\end\\\n"


def _block(names: npt.NDArray[Any], trie: Trie, rows: npt.NDArray[np.int64], order: int) -> str:
    """Return the lines of some rows of an order, nine digits a number, which is more than float32 holds."""
    probable = _log10(trie.log_prob[rows])
    grams = map(" ".join, names[trie.ngrams(rows, order)].tolist())
    if order == trie.order:
        return "".join([f"{p:.9g}\t{gram}\n" for p, gram in zip(probable, grams, strict=True)])
    weights = _log10(trie.log_backoff[rows])
    return "".join([f"{p:.9g}\t{gram}\t{b:.9g}\n" for p, gram, b in zip(probable, grams, weights, strict=True)])


def _log10(numbers: npt.NDArray[np.float32]) -> list[float]:
    whole = np.maximum(numbers.astype(np.float64) / LN10, LOWEST)
    return list(np.where(numbers == np.float32(NEVER), LOWEST, whole).tolist())


@dataclass(frozen=True)
class Arpa:
    """What an ARPA file holds.

    Attributes:
        words: V words in the order of their ids: sorted, `UNK` among them, `BOS` not.
        tables: the n-grams of each order, in the order of the file.
    """

    words: Sequence[str]
    tables: Sequence[Table]


def read(path: str | os.PathLike[str]) -> Arpa:
    """Read a file, plain or packed with gzip (`.gz`).

    Args:
        path: the file.

    Raises:
        FormatError: it is cut short, its counts do not add up, or a line is not what it should be; the message names
            the line.
        OSError: it cannot be read.
    """
    name = Path(path)
    try:
        with _opened(name) as file:
            return _Reader(name, file).whole()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{name}: damaged gzip data ({error}); fetch it or pack it again") from error


def _opened(path: Path) -> BinaryIO:
    if path.suffix != ".gz":
        return path.open("rb")
    return io.BufferedReader(Bounded(gzip.GzipFile(path), path))


class _Reader:
    """A file that is read from the top to the bottom, and where it stands."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self.file, self.line = path, file, 0
        self._content = path.stat().st_size * (UNPACKED if path.suffix == ".gz" else 1)  # bytes at most

    def whole(self) -> Arpa:
        sizes, head = self._sizes()
        ids: dict[bytes, int] = {}
        words: list[str] = []
        tables = []
        for k, size in enumerate(sizes, 1):
            if head != b"\\%d-grams:" % k:
                raise self._wrong(f"{_shown(head)}, expected \\{k}-grams:, for orders come one after the other")
            start = self.line + 1
            if k == 1:
                words, ids, table = self._unigrams(size, start)
            else:
                table = self._table(k, size, len(sizes), ids, start)
            tables.append(table)
            head = self._next()
        if head != b"\\end\\":
            raise self._wrong(f"{_shown(head)}, expected \\end\\ after {len(sizes)} orders")
        return Arpa(words, tables)

    def _sizes(self) -> tuple[list[int], bytes]:
        r"""Read down to the first section; return the sizes that the head promises and the section's first line."""
        while (line := self._next()) != b"\\data\\":
            if not line:
                raise FormatError(f"{self.path}: no line \\data\\ in {self.line:,} lines; expected an ARPA file")
        sizes: list[int] = []
        while (found := _SIZE.fullmatch(line := self._next())) is not None:
            order = len(sizes) + 1
            if found[1].lstrip(b"0") != b"%d" % order:
                raise self._wrong(f"{_shown(line)}, expected the number of {order}-grams")
            most = self._content // (2 * order + 2)  # a digit, each word behind a space, and the end of the line
            if len(found[2]) > 18 or int(found[2]) > most:
                raise self._wrong(f"{_shown(line)}, and no more than {most:,} have room in the file; copy it again")
            sizes.append(int(found[2]))
        if not sizes:
            raise self._wrong(f"{_shown(line)}, expected ngram 1= and how many there are")
        return sizes, line

    def _unigrams(self, size: int, start: int) -> tuple[list[str], dict[bytes, int], Table]:
        """Read order 1, and number its words: by their spelling, `BOS` last."""
        rows = list(chain.from_iterable(rows for _, rows in self._blocks(1, size)))
        found = [b"<unk>" if row[1] == b"<UNK>" else row[1] for row in rows]
        marks = {BOS.encode(), UNK.encode()} - set(found)
        every = sorted({*found, UNK.encode()} - {BOS.encode()})
        ids = {word: i for i, word in enumerate([*every, BOS.encode()])}
        numbers = [*found, *marks]
        log_prob = np.append(self._numbers([row[0] for row in rows], start), [ABSENT] * len(marks))
        log_backoff = np.append(self._numbers([row[2] for row in rows], start), [0.0] * len(marks))
        ngrams = np.array([[ids[word]] for word in numbers], np.int32)
        table = self._checked(Table(ngrams, log_prob * LN10, log_backoff * LN10, start), ids)
        return [word.decode("utf-8", "replace") for word in every], ids, table

    def _table(self, order: int, size: int, top: int, ids: Mapping[bytes, int], start: int) -> Table:
        ngrams, log_prob, log_backoff = np.empty((size, order), np.int32), np.empty(size), np.zeros(size)
        for first, rows in self._blocks(order, size):
            here = slice(first, first + len(rows))
            columns = list(zip(*rows, strict=True))
            log_prob[here] = self._numbers(columns[0], start + first)
            if order < top:
                log_backoff[here] = self._numbers(columns[order + 1], start + first)
            for j in range(order):
                try:
                    ngrams[here, j] = [ids[word] for word in columns[j + 1]]
                except KeyError as error:
                    at = columns[j + 1].index(error.args[0])
                    raise self._wrong(
                        f"the word {_shown(error.args[0])} is not among the 1-grams", start + first + at
                    ) from None
        return self._checked(Table(ngrams, log_prob * LN10, log_backoff * LN10, start), ids)

    def _blocks(self, order: int, size: int) -> Iterator[tuple[int, list[Row]]]:
        """Yield the fields of `size` lines: a number, the words, and a back-off weight, 0 where there is none."""
        short, long = order + 1, order + 2
        for first in range(0, size, BLOCK):
            many = min(BLOCK, size - first)
            rows = [line.split() for line in islice(self.file, many)]
            lengths = set(map(len, rows))
            if not lengths <= {short, long} or len(rows) < many:
                self._refuse(rows, first, order, size)
            if short in lengths:
                rows = [row if len(row) == long else [*row, b"0"] for row in rows]
            self.line += len(rows)
            yield first, rows

    def _refuse(self, rows: list[Row], first: int, order: int, size: int) -> None:
        at = next((i for i, row in enumerate(rows) if len(row) not in (order + 1, order + 2)), len(rows))
        line = self.line + at + 1
        if at == len(rows):
            raise self._wrong(f"the file ends after {first + at:,} of {size:,} {order}-grams; copy it again", line)
        if not rows[at] or rows[at][0].startswith(b"\\"):
            raise self._wrong(f"{first + at:,} {order}-grams, expected {size:,} as \\data\\ says", line)
        raise self._wrong(
            f"{len(rows[at])} fields, expected a number, {order} words, and a back-off weight where there is one", line
        )

    def _numbers(self, column: Sequence[bytes], start: int) -> npt.NDArray[np.float64]:
        if max(map(len, column), default=0) <= LONGEST:
            with contextlib.suppress(ValueError):
                found = np.array(column, dtype=bytes).astype(np.float64)
                if np.isfinite(found).all():
                    return found
        at = next((i for i, text in enumerate(column) if not _is_number(text)), 0)
        raise self._wrong(f"{_shown(column[at])}, expected a number", start + at)

    def _checked(self, table: Table, ids: Mapping[bytes, int]) -> Table:
        above = np.flatnonzero(table.log_prob > 0)
        if len(above):
            found = table.log_prob[above[0]] / LN10
            raise self._wrong(f"{found:g}, expected log10 of a probability, at most 0", table.line + int(above[0]))
        inside = np.flatnonzero((table.ngrams[:, 1:] == ids[BOS.encode()]).any(axis=1))
        if len(inside):
            raise self._wrong(f"{BOS} behind another word, expected only in front", table.line + int(inside[0]))
        return table

    def _next(self) -> bytes:
        """Return the next line that is not blank, without its end, or nothing where the file ends."""
        for line in self.file:
            self.line += 1
            if line := line.strip():
                return line
        return b""

    def _wrong(self, found: str, line: int | None = None) -> FormatError:
        return FormatError(f"{self.path} line {self.line if line is None else line:,}: {found}")


def _is_number(text: bytes) -> bool:
    try:
        return len(text) <= LONGEST and bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _shown(text: bytes) -> str:
    return repr(text[:40].decode("utf-8", "replace")) if text else "the file ends"
