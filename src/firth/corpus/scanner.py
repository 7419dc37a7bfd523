"""Scan bytes into provisional word ids: the buffers of the compiled scanner, and the growth of its tables.

Memory: a block of text, four times its size for the ids, and per distinct word its bytes, 16 bytes for position and
count, and 27 to 107 bytes in the hash table. It does not grow with the length of the text, except that a block grows to
hold the longest stretch without a separator.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.scan_tables import ScanTables, scan_tables
from firth.errors import CorpusError
from firth.kernels import scan
from firth.kernels.compiled import read_only
from firth.kernels.hash_words import rehashed
from firth.text.tokenise import decode, encode, tokeniser
from firth.text.word_rules import CAPITAL_I_BYTES, DOTLESS, word_rule

Numbers = npt.NDArray[np.int32]

BLOCK = 1 << 20  # bytes of text scanned at once
LONGEST = 1 << 24  # bytes without a separator; longer stretches are not text, and take 18 times the memory
_END = b"\n\n\n\n"  # ends a sentence and a paragraph, and any truncated UTF-8 sequence
_FIRST_SLOTS = 1 << 18
_GROWTH = 4
_LOAD = 0.6  # maximum load of the hash table
_EXPANSION = 5  # bytes of a word per byte of text: text8 writes "three" for 3
_DECODED = 1 << 14  # words decoded at once
_REMEMBERED = 1 << 16  # hard stretches whose words are cached


class Scanner:
    """Turns text into provisional word ids, numbered in the order of first occurrence.

    Args:
        tokens: a name of compiled tokens, such as "words".
        write: called with each block of ids, -1 at the end of each sentence; the array is reused after the call.
        paragraphs: whether a sentence ends at a blank line instead of every line feed.
        block: bytes of text scanned at once.
    """

    def __init__(
        self, tokens: str, write: Callable[[Numbers], None], *, paragraphs: bool = False, block: int = BLOCK
    ) -> None:
        self._write = write
        self._paragraphs = paragraphs
        self._tables = scan_tables(tokens)
        self._reference = tokeniser(tokens)
        rule = word_rule(tokens)
        self._dotless = _Dotless() if rule is not None and rule.language in DOTLESS else None
        self._capacity = max(block, 2 * len(_END))
        self._text = np.zeros(self._capacity + scan.PADDING, dtype=np.uint8)
        self._size = 0  # filled bytes of the block
        self._state = np.zeros(scan.STATE_SIZE, dtype=np.int64)
        self._state[scan.BLANK] = 1
        self._arena = np.empty(0, dtype=np.uint8)
        self._slots = np.zeros(2 * _FIRST_SLOTS, dtype=np.uint64)
        self._starts = np.zeros(1, dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int64)
        self._make_room_for_words()
        self._make_buffers()
        self._cached_words: dict[bytes, list[str]] = {}

    def room(self) -> memoryview:
        """Return the buffer for the next bytes of text; call `filled` afterwards."""
        return self._room() if self._dotless is None else self._dotless.room

    def _room(self) -> memoryview:
        if self._size == self._capacity:  # one stretch without a separator fills the block
            if self._capacity >= LONGEST:
                raise CorpusError(
                    f"{self._capacity:,} bytes without a separator, from {bytes(self._text[:40])!r}; expected words; "
                    "if the text is sound, break its lines"
                )
            self._text = _lengthened(self._text, len(self._text) + self._capacity)
            self._capacity *= 2
            self._make_buffers()
        return self._text.data[self._size : self._capacity]

    def filled(self, size: int) -> None:
        """Record `size` bytes written into `room`; scan the block when it is full."""
        if self._dotless is None:
            self._filled(size)
        else:
            self.feed(bytes(self._dotless.room[:size]))

    def _filled(self, size: int) -> None:
        self._size += size
        if self._size == self._capacity:
            self._scan()

    def feed(self, data: bytes) -> None:
        """Scan bytes that are already in memory."""
        view = memoryview(data if self._dotless is None else self._dotless.replaced(data))
        while view:
            room = self._room()
            size = min(len(room), len(view))
            room[:size] = view[:size]
            view = view[size:]
            self._filled(size)

    def end(self) -> None:
        """End a file or document, and with it the sentence and the paragraph."""
        self.feed(_END)
        self._scan()

    def words_after(self, first: int) -> list[str]:
        """Return the words with ids from `first` on, in the order of their ids."""
        start, end = int(self._starts[first]), int(self._starts[int(self._state[scan.WORDS])])
        return decode(self._arena[start : end - 1].tobytes()).split("\n") if end > start else []

    def finish(self) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Return the words in the order of their ids, and their counts; nothing can be scanned afterwards.

        A count can be 0, and a word with invalid UTF-8 can appear several times.
        """
        # Free the tables before making strings: together they would be the peak of the build's memory.
        del self._slots, self._out, self._hard, self._text
        number = int(self._state[scan.WORDS])
        words: list[str] = []
        for first in range(0, number, _DECODED):
            start, end = self._starts[first], self._starts[min(first + _DECODED, number)]
            words += decode(self._arena[start : end - 1].tobytes()).split("\n")
        return words, self._counts[:number].copy()

    def _scan(self) -> None:
        start = 0
        while True:
            full = self._run(self._tables, self._text[start:], self._size - start, self._out)
            size, hard = int(self._state[scan.WRITTEN]), int(self._state[scan.HARD_COUNT])
            consumed = int(self._state[scan.CONSUMED])
            if hard:
                positions = (start + self._hard[:hard]).tolist()
                stretches = [self._text[first:last].tobytes() for first, last in positions]
                self._write(self._splice(self._out[:size].copy(), stretches))
            else:
                self._write(self._out[:size])
            start += consumed
            if not full:
                break
        rest = self._size - start
        self._text[:rest] = self._text[start : self._size].copy()
        self._size = rest

    def _run(self, tables: ScanTables, text: npt.NDArray[np.uint8], size: int, out: Numbers) -> bool:
        """Scan a block; if the word tables become full, enlarge them and return True: the scan must continue."""
        room = int(self._state[scan.USED]) + _EXPANSION * size + scan.PADDING
        if len(self._arena) < room:
            self._arena = _lengthened(self._arena, len(self._arena) + room)
        scan.scan(
            read_only(text),
            size,
            tables.entries,
            tables.bytewise,
            tables.digits,
            self._paragraphs,
            self._slots,
            self._arena,
            self._starts,
            self._counts,
            self._limit,
            out,
            self._hard,
            self._state,
        )
        full = bool(self._state[scan.FULL])
        if full:
            self._make_room_for_words()
        return full

    def _splice(self, numbers: Numbers, stretches: Sequence[bytes]) -> Numbers:
        """Replace the marks of the hard stretches in `numbers` by the ids of their words."""
        groups = self._numbers_of([self._words_of(stretch) for stretch in stretches])
        positions = np.flatnonzero(numbers < -1)
        pieces: list[Numbers] = []
        after = 0
        for position, words in zip(positions.tolist(), groups, strict=True):
            pieces += [numbers[after:position], words]
            after = position + 1
        return np.concatenate([*pieces, numbers[after:]])

    def _words_of(self, stretch: bytes) -> list[str]:
        words = self._cached_words.get(stretch)
        if words is None:
            words = self._reference(decode(stretch))
            if len(self._cached_words) == _REMEMBERED:
                self._cached_words.clear()
            self._cached_words[stretch] = words
        return words

    def _numbers_of(self, groups: Sequence[Sequence[str]]) -> list[Numbers]:
        """Count words that are already split and return their ids by group, with the bytewise tables."""
        data = encode("".join(" ".join(group) + "\n" for group in groups))
        text = np.frombuffer(data + bytes(scan.PADDING), dtype=np.uint8)
        paragraphs, blank, self._paragraphs = self._paragraphs, self._state[scan.BLANK], False
        parts: list[Numbers] = []
        start = 0
        full = True
        while full:
            out = np.empty(len(data) - start, dtype=np.int32)
            full = self._run(scan_tables("whitespace"), text[start:], len(data) - start, out)
            parts.append(out[: self._state[scan.WRITTEN]])
            start += int(self._state[scan.CONSUMED])
        self._paragraphs, self._state[scan.BLANK] = paragraphs, blank
        numbers = np.concatenate(parts)
        ends = np.flatnonzero(numbers == -1)
        return [group[group >= 0] for group in np.split(numbers, ends)[: len(groups)]]

    def _make_buffers(self) -> None:
        self._out = np.empty(self._capacity, dtype=np.int32)
        self._hard = np.empty((self._capacity, 2), dtype=np.int32)

    def _make_room_for_words(self) -> None:
        """Enlarge the tables for words four times; the first call keeps the initial size."""
        if len(self._counts):
            self._slots = rehashed(self._slots, _GROWTH)
        self._limit = int(_LOAD * (len(self._slots) // 2))
        self._counts = _lengthened(self._counts, self._limit)
        self._starts = _lengthened(self._starts, self._limit + 1)


class _Dotless:
    """Text in which each `I` becomes `ı`, in pieces: the scanner's own rule for ASCII letters makes it `i`.

    Attributes:
        room: where a piece can be read into.
    """

    def __init__(self) -> None:
        self.room = memoryview(bytearray(BLOCK))
        self._waiting = b""

    def replaced(self, data: bytes) -> bytes:
        """Return a piece of UTF-8; an `I` at its end waits for the next, which may begin with a mark for it."""
        data = self._waiting + data
        kept = next((len(end) for end in (b"I", b"I\xcc") if data.endswith(end)), 0)
        self._waiting = data[len(data) - kept :]
        return CAPITAL_I_BYTES.sub("ı".encode(), data[: len(data) - kept])


def _lengthened(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    """Return a copy with zeros after it, which take no memory until they are written."""
    longer = np.zeros(length, dtype=array.dtype)
    longer[: len(array)] = array
    return longer
