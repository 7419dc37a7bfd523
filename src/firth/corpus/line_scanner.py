"""Token ids of text lines, for files in fastText's format and for lists of strings.

`firth.kernels.labelled_text` defines what a token is.

Memory: 4 bytes per token, 8 bytes per line, and the bytes of the distinct tokens.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError
from firth.kernels import labelled_text as kernels
from firth.kernels.hash_words import rehashed

BATCH = 1 << 14  # texts that are joined and scanned in one call
_FIRST_SLOTS, _GROWTH, _LOAD = 1 << 10, 8, 0.6


@dataclass(frozen=True, eq=False)
class TokenLines:
    """Lines of text as token ids.

    Attributes:
        tokens: (N,) int32, the id of each token; 0 marks the end of a line.
        ends: (lines,) int64, the end of each line: one past its last token.
        counts: (T,) int64, how often each distinct token occurs.
        hashes: (T,) uint32, hash of each distinct token; see `firth.kernels.ngram_hash`.
        is_label: (T,) whether the token starts with the label prefix.
        arena: uint8, the bytes of the distinct tokens.
        starts: (T + 1,) int64, where each token starts in `arena`; one byte separates it from the next.
    """

    tokens: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint32]
    is_label: npt.NDArray[np.bool_]
    arena: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]

    def names(self) -> list[str]:
        """Return the distinct tokens; invalid UTF-8 becomes lone surrogates."""
        return self.arena[: self.starts[-1] - 1].tobytes().decode("utf-8", "surrogateescape").split("\n")


class LineScanner:
    """Turns lines of text into token ids.

    Args:
        prefix: the start of every label; "" for none.
        one_text_per_line: what happens after an end mark `</s>` inside a line. True: the rest of the line is dropped.
            False: the rest becomes a line of its own.
    """

    def __init__(self, prefix: str, *, one_text_per_line: bool) -> None:
        self._prefix = np.frombuffer(prefix.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        self._one_text_per_line = one_text_per_line
        self._slots = np.zeros(2 * _FIRST_SLOTS, dtype=np.uint64)
        self._arena = np.zeros(0, dtype=np.uint8)
        self._state = np.zeros(kernels.STATE_SIZE, dtype=np.int64)
        self._starts, self._counts = np.zeros(1, np.int64), np.zeros(0, np.int64)
        self._hashes, self._labels = np.zeros(0, np.uint32), np.zeros(0, np.bool_)
        self._tokens: list[npt.NDArray[np.int32]] = []
        self._ends: list[npt.NDArray[np.int64]] = []
        self._written = 0
        self._grow()
        self.feed(kernels.END)  # takes id 0
        self._tokens.clear()
        self._ends.clear()
        self._written = self._counts[0] = 0

    def feed(self, data: bytes) -> None:
        """Scan whole lines. Only the last line of a file may lack its line feed; it then gets no `</s>`."""
        text = np.frombuffer(data + bytes(kernels.PADDING), dtype=np.uint8)
        tokens, ends = np.empty(len(data) + 1, np.int32), np.empty(len(data) + 1, np.int64)
        self._state[[kernels.POSITION, kernels.WRITTEN, kernels.LINES]] = 0
        room = int(self._state[kernels.ARENA]) + 2 * len(data) + kernels.PADDING
        if len(self._arena) < room:
            self._arena = _extended(self._arena, 2 * room)
        while kernels.scan_lines(
            text, len(data), self._one_text_per_line, self._prefix, self._slots, self._arena, self._starts,
            self._hashes, self._labels, self._counts, tokens, ends, self._state,
        ):  # fmt: skip
            self._slots = rehashed(self._slots, _GROWTH)
            self._grow()
        size, lines = int(self._state[kernels.WRITTEN]), int(self._state[kernels.LINES])
        self._tokens.append(tokens[:size].copy())
        self._ends.append(ends[:lines] + self._written)
        if size and (lines == 0 or ends[lines - 1] < size):
            self._ends.append(np.array([self._written + size]))
        self._written += size

    def finish(self) -> TokenLines:
        """Return all lines scanned so far."""
        distinct = int(self._state[kernels.TOKENS])
        return TokenLines(
            tokens=np.concatenate([*self._tokens, np.zeros(0, np.int32)]),
            ends=np.concatenate([*self._ends, np.zeros(0, np.int64)]),
            counts=self._counts[:distinct].copy(),
            hashes=self._hashes[:distinct].copy(),
            is_label=self._labels[:distinct].copy(),
            arena=self._arena,
            starts=self._starts[: distinct + 1].copy(),
        )

    def _grow(self) -> None:
        limit = int(_LOAD * (len(self._slots) // 2))
        self._starts, self._counts = _extended(self._starts, limit + 1), _extended(self._counts, limit)
        self._hashes, self._labels = _extended(self._hashes, limit), _extended(self._labels, limit)


def _extended(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.zeros(length, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def scan_texts(texts: Iterable[Any], prefix: str, *, name: str = "texts") -> TokenLines:
    """Turn texts into token ids, one line per text; line feeds inside a text count as spaces.

    Args:
        prefix: the start of every label; "" for none.
        name: name of the source, for error messages.
    """
    scanner, position, remaining = LineScanner(prefix, one_text_per_line=True), 0, iter(texts)
    while batch := list(itertools.islice(remaining, BATCH)):
        try:
            content = "\n".join(batch)
        except TypeError:
            wrong = next(i for i, text in enumerate(batch) if not isinstance(text, str))
            item = f"{type(batch[wrong]).__name__} {batch[wrong]!r:.60}"
            raise CorpusError(f"{name}: item {position + wrong} is {item}; expected a string") from None
        if content.count("\n") != len(batch) - 1:
            content = "\n".join(text.replace("\n", " ") for text in batch)
        scanner.feed(_encoded(content + "\n"))
        position += len(batch)
    return scanner.finish()


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
