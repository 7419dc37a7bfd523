"""The vocabulary of a unigram model of subwords, learned from counts of chunks.

What
    Each subword has a probability; a chunk is a sequence of independent subwords, and all its segmentations are
    summed over. A large set of frequent byte strings is pruned until it has the size that is asked for.
Objective
    log L = sum_c n_c log sum_{x in S(c)} prod_i p(x_i)   over chunks c with counts n_c, S(c) all segmentations

    1. Seeds: strings of 2 to 16 bytes that occur twice or more, the million of the largest count times length, and all
       bytes.
    2. EM, twice: p(x) = the expected count of x over that of all, from sums over all segmentations.
    3. Drop the quarter of the subwords with the least loss = count(x) (log p(x) - log p(x split)), x split being the
       likeliest segmentation of x without x itself; and those with a count below a half, as long as the size that is
       asked for is left. From 2.
Source
    Kudo 2018, "Subword Regularization", section 3.2; Kudo and Richardson 2018, "SentencePiece", section 3.1.
Departures
    The alphabet is the 256 bytes, which are never dropped and have a count of a half at least. The paper says "how
    likely the likelihood is reduced"; as in the authors' program, that is computed from the subword's own likeliest
    split. p(x) is the ratio of counts of the paper; the program has Bayesian estimates. Strings that always go on with
    the same byte are no seeds: the longer string has the same count. Chunks are added up in the order of their bytes,
    in double precision, by one thread: the same counts give the same bits.
Cost
    16 N operations to sort the N bytes of distinct chunks; per EM step one exponential for each occurrence of a
    subword in them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from firth.kernels.unigram import best_splits, expected_counts

LONGEST = 16  # bytes of a subword
SEEDS = 1_000_000
STEPS = 2  # of EM between two prunings
KEPT = 0.75  # of the subwords, at each pruning
LEAST = 0.5  # expected count

Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Lattice:
    """Subwords and where they occur; see `kernels.unigram` for the arrays of edges."""

    chunks: Ids
    weights: Doubles
    edges: Ids
    lengths: npt.NDArray[np.uint8]
    subwords: npt.NDArray[np.int32]
    places: Ids  # (P,) where each subword occurs first
    sizes: Ids  # (P,)

    def counts(self, probabilities: Doubles) -> Doubles:
        """Return expected counts, those of single bytes at least `LEAST`."""
        counts = np.zeros(len(self.sizes))
        arrays = (self.edges, self.lengths, self.subwords, self.chunks, self.weights)
        expected_counts(*arrays, np.log(probabilities), counts)
        expected: Doubles = np.where(self.sizes == 1, np.maximum(counts, LEAST), np.maximum(counts, 1e-9))
        return expected

    def losses(self, counts: Doubles) -> Doubles:
        """Return by how much the likelihood would fall without each subword; infinite for single bytes."""
        log_probs: Doubles = np.log(counts / counts.sum())
        best: Doubles = np.empty(len(counts))
        best_splits(self.edges, self.lengths, self.subwords, self.places, self.sizes, log_probs, best)
        return counts * (log_probs - best)

    def only(self, kept: npt.NDArray[np.bool_]) -> "_Lattice":
        """Return the lattice of some of the subwords."""
        edges = kept[self.subwords]
        ids = (np.cumsum(kept) - 1).astype(np.int32)
        return replace(
            self,
            edges=np.concatenate([[0], np.cumsum(edges)])[self.edges],
            lengths=self.lengths[edges],
            subwords=ids[self.subwords[edges]],
            places=self.places[kept],
            sizes=self.sizes[kept],
        )


def train_unigrams(counts: Mapping[bytes, int], size: int) -> list[tuple[bytes, float]]:
    """Return subwords with their log-probabilities in nats, all 256 bytes among them.

    Args:
        counts: how often each chunk occurs; no chunk is empty, and there is one at least.
        size: number of subwords, above 256; fewer are returned where the chunks do not have so many.
    """
    chunks = sorted(counts)
    text = b"".join(chunks)
    lattice, counts_now = _seeds(text, chunks, np.array([counts[chunk] for chunk in chunks], dtype=np.float64))
    absent = sorted({*range(256)} - {*text})
    size -= len(absent)
    while True:
        for _ in range(STEPS):
            counts_now = lattice.counts(counts_now / counts_now.sum())
        if len(counts_now) <= size:
            break
        losses = lattice.losses(counts_now)
        rank = np.argsort(np.argsort(-losses, kind="stable"), kind="stable")
        kept = (rank < max(size, int(KEPT * len(counts_now)))) & ((counts_now >= LEAST) | (lattice.sizes == 1))
        kept[np.lexsort((rank, ~kept))[:size]] = True
        lattice, counts_now = lattice.only(kept), counts_now[kept]
    total = counts_now.sum() + LEAST * len(absent)
    subwords = [
        text[start : start + n] for start, n in zip(lattice.places.tolist(), lattice.sizes.tolist(), strict=True)
    ]
    pairs = list(zip(subwords, np.log(counts_now / total).tolist(), strict=True))
    return pairs + [(bytes([byte]), math.log(LEAST / total)) for byte in absent]


def _seeds(text: bytes, chunks: list[bytes], weights: Doubles) -> tuple[_Lattice, Doubles]:
    """Return the lattice of all seeds, and the count times length of each."""
    lengths = np.fromiter(map(len, chunks), np.int64, len(chunks))
    ends = np.cumsum(lengths)
    room = np.minimum(np.repeat(ends, lengths) - np.arange(len(text)), LONGEST)  # bytes from each byte on in its chunk
    levels = _repeated(text, room, np.repeat(weights, lengths))
    scores = np.concatenate([n * level.counts for n, level in enumerate(levels, 1)])
    sizes = np.repeat(np.arange(1, LONGEST + 1), [len(level.counts) for level in levels])
    order = np.argsort(np.where(sizes == 1, -np.inf, -scores), kind="stable")[: SEEDS + len(levels[0].counts)]
    ids = np.full(len(scores), -1, np.int32)
    ids[order] = np.arange(len(order))
    offsets = np.cumsum([0, *(len(level.counts) for level in levels)])
    subwords = np.concatenate([ids[level.members + start] for level, start in zip(levels, offsets, strict=False)])
    starts = np.concatenate([level.places for level in levels])
    spans = np.repeat(np.arange(1, LONGEST + 1, dtype=np.uint8), [len(level.places) for level in levels])
    by_place = np.argsort(np.where(subwords >= 0, starts, len(text)), kind="stable")[: np.count_nonzero(subwords >= 0)]
    lattice = _Lattice(
        chunks=np.concatenate([[0], ends]),
        weights=weights,
        edges=np.concatenate([[0], np.cumsum(np.bincount(starts[by_place], minlength=len(text)))]),
        lengths=spans[by_place],
        subwords=subwords[by_place],
        places=np.concatenate([level.firsts for level in levels])[order],
        sizes=sizes[order],
    )
    return lattice, scores[order]


@dataclass(frozen=True, eq=False)
class _Level:
    """Repeated strings of one length: the count and the first place of each, and all places with the string there."""

    counts: Doubles
    firsts: Ids
    places: Ids
    members: Ids

    def only(self, kept: npt.NDArray[np.bool_]) -> "_Level":
        """Return some of the strings."""
        inside, numbers = kept[self.members], np.cumsum(kept) - 1
        return _Level(self.counts[kept], self.firsts[kept], self.places[inside], numbers[self.members[inside]])


def _repeated(text: bytes, room: Ids, weights: Doubles) -> list[_Level]:
    """Return the strings of 1 to `LONGEST` bytes that occur twice and go on in several ways; of one byte, all."""
    high, low = _keys(text, room)
    order, levels = np.lexsort((low, high)), list[_Level]()
    for n in range(1, LONGEST + 1):
        order = order[room[order] >= n]
        level = _strings(order, _new_strings(high[order], low[order], n), weights)
        if n > 2:
            levels[-1] = _going_on(levels[-1], level, len(text))
        levels.append(level)
    return [levels[0], *(level.only(level.counts >= 2) for level in levels[1:])]


def _strings(order: Ids, new: npt.NDArray[np.bool_], weights: Doubles) -> _Level:
    """Return the strings that begin at some sorted bytes, given where another one begins than before."""
    begins = np.flatnonzero(new)
    counts = np.add.reduceat(weights[order], begins) if len(begins) else np.zeros(0)
    return _Level(counts, order[begins], order, np.cumsum(new) - 1)


def _going_on(level: _Level, longer: _Level, N: int) -> _Level:
    """Return the strings of a level without those of which a string of the next one has the same count."""
    strings = np.zeros(N, np.int64)
    strings[level.places] = level.members
    start = strings[longer.firsts]
    kept = level.counts >= 2
    kept[start[longer.counts == level.counts[start]]] = False
    return level.only(kept)


def _keys(text: bytes, room: Ids) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the 16 bytes from each byte on as two numbers, zeros beyond the chunk."""
    padded = np.frombuffer(text + bytes(LONGEST), np.uint8)
    parts = []
    for start in (0, 8):
        key = np.zeros(len(text), np.uint64)
        for k in range(start, start + 8):
            key = (key << np.uint64(8)) | np.where(room > k, padded[k : k + len(text)], 0).astype(np.uint64)
        parts.append(key)
    return parts[0], parts[1]


def _new_strings(high: npt.NDArray[np.uint64], low: npt.NDArray[np.uint64], n: int) -> npt.NDArray[np.bool_]:
    """Return whether each of some sorted keys has other first n bytes than the one before it."""
    first = high >> np.uint64(8 * max(0, 8 - n))
    new = np.ones(len(high), bool)
    new[1:] = first[1:] != first[:-1]
    if n > 8:
        second = low >> np.uint64(8 * max(0, 16 - n))
        new[1:] |= second[1:] != second[:-1]
    return new
