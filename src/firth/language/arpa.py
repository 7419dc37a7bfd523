r"""ARPA files: n-gram models as text, the format of KenLM, SRILM and most speech recognisers.

    \data\
    ngram 1=5                      number of n-grams of each order
    ngram 2=7

    \1-grams:
    -0.69897	a	-0.30103          log10 probability, words, log10 back-off weight (optional)

    \2-grams:
    ...
    \end\

`<s>` has the probability 10^-99, which means that it is never predicted; readers ignore it.

The format does not say how text was split into its words. A line before `\data\` holds the text rules as JSON:
`# firth text rules: {"tokens": "words", "sentences": "line", "eos": true}`. Other programs skip it: SRILM skips all
text before `\data\`, KenLM lines that begin with `#`; old versions of KenLM want `\data\` first (delete the line).

Source: Doug Paul's format of the ARPA CSR projects, as described in SRILM's manual page ngram-format(5).
"""

import contextlib
import functools
import gzip
import io
import json
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

from firth.arguments import names_files
from firth.errors import FormatError, OptionError, brief
from firth.language.ngram_tables import Table
from firth.language.ngram_trie import LN10, NEVER, Trie
from firth.language.text import BOS, UNK, TextRules
from firth.storage.files import check_replaceable, replacing_file
from firth.storage.untrusted import SizeLimited, parse_json
from firth.storage.user_files import open_file

BLOCK = 1 << 16  # lines read or written at once
HEAD = 1 << 16  # a file is replaced only if \data\ stands in its first bytes
MIN_LOG10 = -99.0  # log10 of probability 0, and of `BOS`
MISSING_UNK = -100.0  # log10 probability of `UNK` in a model without it, as in KenLM
MAX_NUMBER_LENGTH = 64  # characters; double precision needs 24
MAX_GZIP_RATIO = 1032
RULES = b"# firth text rules: "
_SIZE = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)\s*")

Row = list[bytes]


def _is_arpa(path: Path) -> bool:
    try:
        with _opened(path) as file:
            head = file.read(HEAD)
            return head.startswith(RULES) or b"\\data\\" in head.split()
    except (FormatError, EOFError, gzip.BadGzipFile, zlib.error):
        return False


check_target = functools.partial(check_replaceable, is_ours=_is_arpa, what="ARPA files")


def write(path: str | os.PathLike[str], words: Sequence[str], trie: Trie, rules: TextRules) -> None:
    """Write a model, compressed with gzip if the name ends in ".gz".

    Args:
        path: the file to create or replace.
        words: V words.
        rules: how text is split into these words.
    """
    check_target(path)
    invalid = next((word for word in words if not word or word == BOS or len(word.encode().split()) != 1), None)
    if invalid is not None:
        raise OptionError(
            f"an ARPA file cannot hold the word {invalid!r}; expected non-empty words without spaces, other than {BOS}"
        )
    names = np.array([*words, BOS], dtype=object)
    lines = chain([RULES, json.dumps(rules.described()).encode(), b"\n"], _lines(names, trie))
    with replacing_file(path) as file:
        if os.fspath(path).endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.writelines(lines)
        else:
            file.writelines(lines)


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
    """Return the lines of some rows of an order; nine digits hold every float32 exactly."""
    log_probs = _log10(trie.log_prob[rows])
    grams = map(" ".join, names[trie.ngrams(rows, order)].tolist())
    if order == trie.order:
        return "".join([f"{p:.9g}\t{gram}\n" for p, gram in zip(log_probs, grams, strict=True)])
    weights = _log10(trie.log_backoff[rows])
    return "".join([f"{p:.9g}\t{gram}\t{b:.9g}\n" for p, gram, b in zip(log_probs, grams, weights, strict=True)])


def _log10(numbers: npt.NDArray[np.float32]) -> list[float]:
    logs = np.maximum(numbers.astype(np.float64) / LN10, MIN_LOG10)
    return list(np.where(numbers == np.float32(NEVER), MIN_LOG10, logs).tolist())


@dataclass(frozen=True)
class Arpa:
    """The content of an ARPA file.

    Attributes:
        words: V words in the order of their ids: sorted, with `UNK`, without `BOS`.
        tables: the n-grams of each order, in the order of the file.
        rules: how text is split into these words; None if the file does not say.
    """

    words: Sequence[str]
    tables: Sequence[Table]
    rules: TextRules | None = None


@names_files
def read(path: str | os.PathLike[str]) -> Arpa:
    """Read an ARPA file, plain or compressed with gzip (`.gz`)."""
    name = Path(path)
    try:
        with _opened(name) as file:
            return _Reader(name, file).read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{name}: damaged gzip data ({error}); download or compress it again") from error


def _opened(path: Path) -> BinaryIO:
    if path.suffix != ".gz":
        return open_file(path)
    file = open_file(path)
    return io.BufferedReader(SizeLimited(gzip.GzipFile(fileobj=file), path, file))


class _Reader:
    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self.file, self.line = path, file, 0
        self._rules: TextRules | None = None
        self._content = path.stat().st_size * (MAX_GZIP_RATIO if path.suffix == ".gz" else 1)  # largest size in bytes

    def read(self) -> Arpa:
        sizes, line = self._sizes()
        ids: dict[bytes, int] = {}
        words: list[str] = []
        tables = []
        for k, size in enumerate(sizes, 1):
            if line != b"\\%d-grams:" % k:
                raise self._error(f"{_shown(line)}, expected \\{k}-grams:")
            start = self.line + 1
            if k == 1:
                words, ids, table = self._unigrams(size, start)
            else:
                table = self._table(k, size, len(sizes), ids, start)
            tables.append(table)
            line = self._next()
        if line != b"\\end\\":
            raise self._error(f"{_shown(line)}, expected \\end\\ after {len(sizes)} orders")
        return Arpa(words, tables, self._rules)

    def _sizes(self) -> tuple[list[int], bytes]:
        r"""Read up to the first section; return the number of n-grams of each order, and its first line."""
        while (line := self._next()) != b"\\data\\":
            if not line:
                raise FormatError(f"{self.path}: no line \\data\\ in {self.line:,} lines; expected an ARPA file")
            if line.startswith(RULES.strip()):
                self._rules = self._text_rules(line.removeprefix(RULES.strip()))
        sizes: list[int] = []
        while (match := _SIZE.fullmatch(line := self._next())) is not None:
            order = len(sizes) + 1
            if match[1].lstrip(b"0") != b"%d" % order:
                raise self._error(f"{_shown(line)}, expected the number of {order}-grams")
            limit = self._content // (2 * order + 2)  # a line has a digit, a space before each word, and its end
            if len(match[2]) > 18 or int(match[2]) > limit:
                raise self._error(f"{_shown(line)}, but the file has room for at most {limit:,}; download it again")
            sizes.append(int(match[2]))
        if not sizes:
            raise self._error(f"{_shown(line)}, expected ngram 1= and the number of 1-grams")
        return sizes, line

    def _text_rules(self, text: bytes) -> TextRules:
        try:
            return TextRules.from_config(parse_json(text.decode()))
        except (FormatError, TypeError, ValueError) as error:
            raise self._error(f"damaged text rules ({brief(str(error))}); delete the line to name the rule") from None

    def _unigrams(self, size: int, start: int) -> tuple[list[str], dict[bytes, int], Table]:
        """Read order 1 and number its words: sorted, `BOS` last."""
        rows = list(chain.from_iterable(rows for _, rows in self._blocks(1, size)))
        words = [b"<unk>" if row[1] == b"<UNK>" else row[1] for row in rows]
        missing = {BOS.encode(), UNK.encode()} - set(words)
        vocabulary = sorted({*words, UNK.encode()} - {BOS.encode()})
        ids = {word: i for i, word in enumerate([*vocabulary, BOS.encode()])}
        log_prob = np.append(self._numbers([row[0] for row in rows], start), [MISSING_UNK] * len(missing))
        log_backoff = np.append(self._numbers([row[2] for row in rows], start), [0.0] * len(missing))
        ngrams = np.array([[ids[word]] for word in (*words, *missing)], np.int32)
        table = self._checked(Table(ngrams, log_prob * LN10, log_backoff * LN10, start), ids)
        return [word.decode("utf-8", "replace") for word in vocabulary], ids, table

    def _table(self, order: int, size: int, top: int, ids: Mapping[bytes, int], start: int) -> Table:
        ngrams, log_prob, log_backoff = np.empty((size, order), np.int32), np.empty(size), np.zeros(size)
        for first, rows in self._blocks(order, size):
            block = slice(first, first + len(rows))
            columns = list(zip(*rows, strict=True))
            log_prob[block] = self._numbers(columns[0], start + first)
            if order < top:
                log_backoff[block] = self._numbers(columns[order + 1], start + first)
            for j in range(order):
                try:
                    ngrams[block, j] = [ids[word] for word in columns[j + 1]]
                except KeyError as error:
                    at = columns[j + 1].index(error.args[0])
                    raise self._error(
                        f"the word {_shown(error.args[0])} is not among the 1-grams", start + first + at
                    ) from None
        return self._checked(Table(ngrams, log_prob * LN10, log_backoff * LN10, start), ids)

    def _blocks(self, order: int, size: int) -> Iterator[tuple[int, list[Row]]]:
        """Yield the fields of `size` lines: a number, the words, and the back-off weight, 0 where it is missing."""
        short, long = order + 1, order + 2
        for first in range(0, size, BLOCK):
            count = min(BLOCK, size - first)
            rows = [line.split() for line in islice(self.file, count)]
            lengths = set(map(len, rows))
            if not lengths <= {short, long} or len(rows) < count:
                raise self._block_error(rows, first, order, size)
            if short in lengths:
                rows = [row if len(row) == long else [*row, b"0"] for row in rows]
            self.line += len(rows)
            yield first, rows

    def _block_error(self, rows: list[Row], first: int, order: int, size: int) -> FormatError:
        at = next((i for i, row in enumerate(rows) if len(row) not in (order + 1, order + 2)), len(rows))
        line = self.line + at + 1
        if at == len(rows):
            return self._error(f"the file ends after {first + at:,} of {size:,} {order}-grams; download it again", line)
        if not rows[at] or rows[at][0].startswith(b"\\"):
            return self._error(f"{first + at:,} {order}-grams, expected {size:,} as in \\data\\", line)
        return self._error(
            f"{len(rows[at])} fields, expected a number, {order} words and an optional back-off weight", line
        )

    def _numbers(self, column: Sequence[bytes], start: int) -> npt.NDArray[np.float64]:
        if max(map(len, column), default=0) <= MAX_NUMBER_LENGTH:
            with contextlib.suppress(ValueError):
                numbers = np.array(column, dtype=bytes).astype(np.float64)
                if np.isfinite(numbers).all():
                    return numbers
        at = next((i for i, text in enumerate(column) if not _is_number(text)), 0)
        raise self._error(f"{_shown(column[at])}, expected a number", start + at)

    def _checked(self, table: Table, ids: Mapping[bytes, int]) -> Table:
        above = np.flatnonzero(table.log_prob > 0)
        if len(above):
            number = table.log_prob[above[0]] / LN10
            raise self._error(f"{number:g}, expected the log10 of a probability, at most 0", table.line + int(above[0]))
        inside = np.flatnonzero((table.ngrams[:, 1:] == ids[BOS.encode()]).any(axis=1))
        if len(inside):
            raise self._error(f"{BOS} after another word, expected only as the first word", table.line + int(inside[0]))
        return table

    def _next(self) -> bytes:
        """Return the next line that is not blank, stripped; empty at the end of the file."""
        for line in self.file:
            self.line += 1
            if line := line.strip():
                return line
        return b""

    def _error(self, problem: str, line: int | None = None) -> FormatError:
        return FormatError(f"{self.path} line {self.line if line is None else line:,}: {problem}")


def _is_number(text: bytes) -> bool:
    try:
        return len(text) <= MAX_NUMBER_LENGTH and bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _shown(text: bytes) -> str:
    return repr(text[:40].decode("utf-8", "replace")) if text else "the file ends"
