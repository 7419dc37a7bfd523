"""Byte-pair encoding in plain Python: short, readable, and merge for merge what the tokenizers library learns.

**What.** Starts from bytes, and again and again makes one piece of the two neighbours that stand side by side most
often. A text is then written by the same merges, in the order in which they were learned.

**Objective.** None is optimised: a merge is the pair (a, b) with the greatest count over all chunks of the text.
*Ties*: the pair whose first piece is older, then the one whose second piece is older; bytes count as older than all
merges and are ordered by the characters that stand for them (`byte_level`): the rule of the tokenizers library.

**Source.** Gage 1994, A New Algorithm for Data Compression; Sennrich, Haddow and Birch 2016, Neural Machine Translation
of Rare Words with Subword Units, section 3.2 and algorithm 1. Dropout: Provilkov, Emelianenko and Voita 2020,
BPE-Dropout, algorithm 1.

**Departures.** Bytes in place of characters, and a space before a word in place of a mark behind it: nothing of the
text is lost. Two merges may make the same piece (ab + c, a + bc): it gets one number.

**Cost.** Counts of pairs are kept up to date: a merge visits only the distinct chunks that hold it. U distinct chunks
of mean length L take O(U L) memory, and all merges together some O(U L^2) steps of Python, whatever the text's length.
"""

import heapq
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from firth.errors import CorpusError, OptionError
from firth.text.byte_level import CHARACTERS, checked, chunks, to_bytes, to_characters

Pair = tuple[int, int]


@dataclass(frozen=True)
class BytePairs:
    """A byte-pair encoding.

    Attributes:
        merges: the pairs that become one piece, first learned first; a piece is a string with a character a byte.
    """

    merges: tuple[tuple[str, str], ...]

    @classmethod
    def learn(cls, texts: Iterable[str], size: int, *, min_count: int = 2) -> "BytePairs":
        """Learn merges from a text.

        Args:
            texts: gone through once.
            size: pieces, the 256 bytes among them; fewer where the text has no more pairs.
            min_count: fewest times that a pair must occur to be merged.

        Raises:
            OptionError: the size is below 257.
            CorpusError: a text holds what UTF-8 cannot.
        """
        if size <= len(CHARACTERS):
            raise OptionError(f"size={size}: expected at least 257, for each of the 256 bytes is a piece")
        counts = Counter(chunk for text in texts for chunk in chunks(checked(text)))
        return cls(tuple(_merges(counts, size, min_count)))

    @cached_property
    def pieces(self) -> list[str]:
        """All pieces, in the order of their numbers."""
        return list(dict.fromkeys([*sorted(CHARACTERS), *(a + b for a, b in self.merges)]))

    @cached_property
    def ids(self) -> dict[str, int]:
        """The number of each piece."""
        return {piece: i for i, piece in enumerate(self.pieces)}

    @cached_property
    def ranks(self) -> dict[tuple[str, str], int]:
        """The place of each merge."""
        return {pair: rank for rank, pair in enumerate(self.merges)}

    def tokenize(self, text: str) -> list[str]:
        """Return the pieces of a text."""
        return [piece for chunk in chunks(text) for piece in merged(to_characters(chunk), self.ranks)]

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text."""
        return [self.ids[piece] for piece in self.tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text that pieces make; bytes that are no UTF-8 become U+FFFD."""
        return to_bytes(self.pieces[i] for i in ids).decode("utf-8", "replace")


def merged(
    chunk: str,
    ranks: Mapping[tuple[str, str], int],
    dropout: float = 0.0,
    draw: random.Random | None = None,
) -> list[str]:
    """Return the pieces of a chunk: merge the oldest of the merges that apply, the leftmost of equals, until none does.

    Args:
        chunk: a character a byte.
        ranks: the place of each merge.
        dropout: probability with which a merge is passed over, drawn anew for each place at each step.
        draw: random numbers, where dropout is above 0.
    """
    parts = list(chunk)
    while True:
        found = ((ranks[pair], i) for i, pair in enumerate(pairwise(parts)) if pair in ranks)
        kept = found if draw is None else (each for each in found if draw.random() >= dropout)
        best = min(kept, default=None)
        if best is None:
            return parts
        i = best[1]
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


def _merges(counts: Mapping[str, int], size: int, min_count: int) -> list[tuple[str, str]]:
    state = _Learning(counts)
    merges = []
    while len(state.pieces) < size and (pair := state.most_frequent(min_count)) is not None:
        merges.append((state.pieces[pair[0]], state.pieces[pair[1]]))
        state.merge(pair)
    return merges


class _Learning:
    """The distinct chunks as numbers of pieces, and how often each pair of neighbours occurs in the whole text."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        if not counts:
            raise CorpusError("the texts are empty; expected text to learn pieces from; check the source")
        self.pieces = sorted(CHARACTERS)
        self._ids = {piece: i for i, piece in enumerate(self.pieces)}
        self._chunks = [[self._ids[c] for c in to_characters(chunk)] for chunk in counts]
        self._counts = list(counts.values())
        self._pairs: Counter[Pair] = Counter()
        self._places: defaultdict[Pair, set[int]] = defaultdict(set)  # pair -> chunks that hold it, or once did
        for number in range(len(self._chunks)):
            self._add(number, self._chunks[number])
        self._heap = [(-count, pair) for pair, count in self._pairs.items()]
        heapq.heapify(self._heap)

    def most_frequent(self, min_count: int) -> Pair | None:
        """The pair of the greatest count, the oldest of equals; counts in the heap are brought up to date as met."""
        while self._heap:
            seen, pair = heapq.heappop(self._heap)
            count = self._pairs[pair]
            if count == -seen:
                return pair if count >= max(min_count, 1) else None
            if count > 0 and count < -seen:
                heapq.heappush(self._heap, (-count, pair))
        return None

    def merge(self, pair: Pair) -> None:
        """Make one piece of two, wherever they stand side by side."""
        piece = self.pieces[pair[0]] + self.pieces[pair[1]]
        new = self._ids.setdefault(piece, len(self.pieces))
        if new == len(self.pieces):
            self.pieces.append(piece)
        risen: set[Pair] = set()
        for number in self._places.pop(pair):
            old = self._chunks[number]
            self._remove(number, old)
            self._chunks[number] = _joined(old, pair, new)
            self._add(number, self._chunks[number])
            risen.update(each for each in pairwise(self._chunks[number]) if new in each)
        for each in risen:
            heapq.heappush(self._heap, (-self._pairs[each], each))

    def _add(self, number: int, ids: Sequence[int]) -> None:
        for pair in pairwise(ids):
            self._pairs[pair] += self._counts[number]
            self._places[pair].add(number)

    def _remove(self, number: int, ids: Sequence[int]) -> None:
        for pair in pairwise(ids):
            self._pairs[pair] -= self._counts[number]


def _joined(ids: Sequence[int], pair: Pair, new: int) -> list[int]:
    made, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            made.append(new)
            i += 2
        else:
            made.append(ids[i])
            i += 1
    return made
