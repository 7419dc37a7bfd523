"""Byte-pair encoding in plain Python: short, readable, and with the same merges as the tokenizers library.

**What.** Starts from bytes and repeatedly merges the most frequent pair of neighbouring subwords into one. A text is
encoded with the same merges, in the order in which they were learned.

**Objective.** None: each merge is the pair (a, b) with the largest count over all chunks of the text. *Ties*: the pair
whose first subword is older, then the one whose second subword is older. Bytes are older than all merges and sorted by
the characters that represent them (`byte_level`). This is the rule of the tokenizers library.

**Source.** Gage 1994, A New Algorithm for Data Compression; Sennrich, Haddow and Birch 2016, Neural Machine Translation
of Rare Words with Subword Units, section 3.2 and algorithm 1. Dropout: Provilkov, Emelianenko and Voita 2020,
BPE-Dropout, algorithm 1.

**Departures.** Bytes instead of characters, and a space before a word instead of a mark after it, so that encoding
loses nothing. Two merges may give the same subword (ab + c, a + bc); it has one id.

**Cost.** Pair counts are updated incrementally: a merge visits only the distinct chunks that contain it. U distinct
chunks of mean length L take O(U L) memory and about O(U L^2) Python steps, independent of the length of the text.
"""

import heapq
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from firth.errors import CorpusError, OptionError, brief_repr
from firth.text.byte_level import CHARACTERS, checked, chunks, to_bytes, to_characters

Pair = tuple[int, int]


@dataclass(frozen=True)
class BytePairEncoding:
    """A byte-pair encoding.

    Attributes:
        merges: the merged pairs in the order of learning; a subword is a string with one character per byte.
    """

    merges: tuple[tuple[str, str], ...]

    __repr__ = brief_repr

    @classmethod
    def train(cls, texts: Iterable[str], size: int, *, min_count: int = 2) -> "BytePairEncoding":
        """Learn merges from texts.

        Args:
            texts: read once.
            size: vocabulary size, the 256 bytes included; smaller if the texts have no more pairs.
            min_count: minimum count of a pair to be merged.

        Raises:
            OptionError: the size is below 257.
            CorpusError: a text contains a lone surrogate, which UTF-8 cannot encode.
        """
        if size <= len(CHARACTERS):
            raise OptionError(f"size={size}: expected at least 257: 256 bytes and one merge")
        counts = Counter(chunk for text in texts for chunk in chunks(checked(text)))
        return cls(tuple(_merges(counts, size, min_count)))

    @cached_property
    def vocabulary(self) -> list[str]:
        """All subwords, in the order of their ids."""
        return list(dict.fromkeys([*sorted(CHARACTERS), *(a + b for a, b in self.merges)]))

    @cached_property
    def ids(self) -> dict[str, int]:
        """Subword -> id."""
        return {subword: i for i, subword in enumerate(self.vocabulary)}

    @cached_property
    def ranks(self) -> dict[tuple[str, str], int]:
        """Merge -> its position in the order of learning."""
        return {pair: rank for rank, pair in enumerate(self.merges)}

    def tokenize(self, text: str) -> list[str]:
        """Return the subwords of a text."""
        return [subword for chunk in chunks(text) for subword in apply_merges(to_characters(chunk), self.ranks)]

    def encode(self, text: str) -> list[int]:
        """Return the ids of the subwords of a text."""
        return [self.ids[subword] for subword in self.tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of subword ids; invalid UTF-8 becomes U+FFFD."""
        return to_bytes(self.vocabulary[i] for i in ids).decode("utf-8", "replace")


def character_merges(counts: Mapping[str, int], size: int | None, min_count: int) -> tuple[tuple[str, str], ...]:
    """Return merges that join the bytes of each character, and nothing else.

    Args:
        counts: of the characters of a text.
        size: maximum vocabulary size, the 256 bytes included; None for no limit.
    """
    merges: dict[tuple[str, str], None] = {}
    for character, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        encoded = to_characters(character)
        steps = [(encoded[:i], encoded[i]) for i in range(1, len(encoded))]
        new = [step for step in steps if step not in merges]
        if count < min_count or (size is not None and len(CHARACTERS) + len(merges) + len(new) > size):
            break
        merges.update(dict.fromkeys(new))
    return tuple(merges)


def apply_merges(
    chunk: str, ranks: Mapping[tuple[str, str], int], dropout: float = 0.0, rng: random.Random | None = None
) -> list[str]:
    """Return the subwords of a chunk: apply the earliest-learned merge, leftmost first, until none applies.

    Args:
        chunk: one character per byte.
        ranks: merge -> its position in the order of learning.
        dropout: probability of skipping a merge, drawn at each position in each step.
        rng: random generator, needed if `dropout` is above 0.
    """
    subwords = list(chunk)
    while True:
        candidates = ((ranks[pair], i) for i, pair in enumerate(pairwise(subwords)) if pair in ranks)
        active = candidates if rng is None else (merge for merge in candidates if rng.random() >= dropout)
        best = min(active, default=None)
        if best is None:
            return subwords
        i = best[1]
        subwords[i : i + 2] = [subwords[i] + subwords[i + 1]]


def _merges(counts: Mapping[str, int], size: int, min_count: int) -> list[tuple[str, str]]:
    state = _Trainer(counts)
    merges = []
    while len(state.vocabulary) < size and (pair := state.most_frequent(min_count)) is not None:
        merges.append((state.vocabulary[pair[0]], state.vocabulary[pair[1]]))
        state.merge(pair)
    return merges


class _Trainer:
    """The distinct chunks as subword ids, and the count of each pair of neighbours in the whole text."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        if not counts:
            raise CorpusError("the texts are empty; expected text to train on; check the source")
        self.vocabulary = sorted(CHARACTERS)
        self._ids = {piece: i for i, piece in enumerate(self.vocabulary)}
        self._chunks = [[self._ids[c] for c in to_characters(chunk)] for chunk in counts]
        self._counts = list(counts.values())
        self._pairs: Counter[Pair] = Counter()
        self._occurrences: defaultdict[Pair, set[int]] = defaultdict(set)  # pair -> chunks that contain it, or did
        for number in range(len(self._chunks)):
            self._add(number, self._chunks[number])
        self._heap = [(-count, pair) for pair, count in self._pairs.items()]
        heapq.heapify(self._heap)

    def most_frequent(self, min_count: int) -> Pair | None:
        """Return the pair with the largest count, the oldest of equals; stale heap entries are updated when met."""
        while self._heap:
            priority, pair = heapq.heappop(self._heap)
            count = self._pairs[pair]
            if count == -priority:
                return pair if count >= max(min_count, 1) else None
            if count > 0 and count < -priority:
                heapq.heappush(self._heap, (-count, pair))
        return None

    def merge(self, pair: Pair) -> None:
        """Merge a pair wherever it occurs."""
        subword = self.vocabulary[pair[0]] + self.vocabulary[pair[1]]
        new = self._ids.setdefault(subword, len(self.vocabulary))
        if new == len(self.vocabulary):
            self.vocabulary.append(subword)
        increased: set[Pair] = set()
        for number in self._occurrences.pop(pair):
            old = self._chunks[number]
            self._remove(number, old)
            self._chunks[number] = _merge(old, pair, new)
            self._add(number, self._chunks[number])
            increased.update(neighbours for neighbours in pairwise(self._chunks[number]) if new in neighbours)
        for neighbours in increased:
            heapq.heappush(self._heap, (-self._pairs[neighbours], neighbours))

    def _add(self, number: int, ids: Sequence[int]) -> None:
        for pair in pairwise(ids):
            self._pairs[pair] += self._counts[number]
            self._occurrences[pair].add(number)

    def _remove(self, number: int, ids: Sequence[int]) -> None:
        for pair in pairwise(ids):
            self._pairs[pair] -= self._counts[number]


def _merge(ids: Sequence[int], pair: Pair, new: int) -> list[int]:
    result, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            result.append(new)
            i += 2
        else:
            result.append(ids[i])
            i += 1
    return result
