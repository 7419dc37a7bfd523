"""Compiled loops over lattices of subwords: expected counts, and what else a subword could be split into.

N bytes of chunks stand one after the other. The E edges of a lattice are the occurrences of subwords in it, by the byte
where they start; no edge leaves a chunk, and a subword of each single byte leads from every byte to the next.
"""

import math

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled


@compiled
def expected_counts(
    edges: npt.NDArray[np.int64],  # (N + 1,) where the edges of each byte begin
    lengths: npt.NDArray[np.uint8],  # (E,) bytes
    subwords: npt.NDArray[np.int32],  # (E,)
    chunks: npt.NDArray[np.int64],  # (M + 1,) where chunks begin
    weights: npt.NDArray[np.float64],  # (M,) how often each occurs
    log_probs: npt.NDArray[np.float64],  # (P,)
    counts: npt.NDArray[np.float64],  # (P,) zeros; expected counts in the end
) -> float:
    """Add up how often each subword is expected in all chunks, and return the log-likelihood in nats."""
    likelihood = 0.0
    longest = 0
    most = np.int64(0)
    for m in range(len(weights)):
        longest = max(longest, chunks[m + 1] - chunks[m])
        most = max(most, edges[chunks[m + 1]] - edges[chunks[m]])
    after = np.zeros(longest + 1)  # logarithms of the sums over all ways from a byte to the chunk's end
    passing = np.zeros(longest + 1)  # how often a way begins a subword at a byte
    shares = np.zeros(most)  # p(edge) among all ways from its byte on
    for m in range(len(weights)):
        begin, n, base = chunks[m], chunks[m + 1] - chunks[m], edges[chunks[m]]
        after[n] = 0.0
        for i in range(n - 1, -1, -1):
            first, stop = edges[begin + i], edges[begin + i + 1]
            highest = -math.inf
            for e in range(first, stop):
                score = log_probs[subwords[e]] + after[i + lengths[e]]  # after(i) = log sum_e p(e) exp after(i + |e|)
                shares[e - base] = score
                highest = max(highest, score)
            total = 0.0
            for e in range(first - base, stop - base):
                shares[e] = math.exp(shares[e] - highest)
                total += shares[e]
            for e in range(first - base, stop - base):
                shares[e] /= total
            after[i] = highest + math.log(total)
            passing[i] = 0.0
        likelihood += weights[m] * after[0]
        # Forwards: count(e) = passing(i) p(e | i), and passing(i + |e|) gets it too.
        passing[0], passing[n] = weights[m], 0.0
        for i in range(n):
            for e in range(edges[begin + i], edges[begin + i + 1]):
                count = passing[i] * shares[e - base]
                counts[subwords[e]] += count
                passing[i + lengths[e]] += count
    return likelihood


@compiled
def best_splits(
    edges: npt.NDArray[np.int64],  # (N + 1,)
    lengths: npt.NDArray[np.uint8],  # (E,)
    subwords: npt.NDArray[np.int32],  # (E,)
    positions: npt.NDArray[np.int64],  # (P,) where each subword occurs
    sizes: npt.NDArray[np.int64],  # (P,) bytes of each
    log_probs: npt.NDArray[np.float64],  # (P,)
    best: npt.NDArray[np.float64],  # (P,) out; -inf for single bytes
) -> None:
    """Find the log-probability of the likeliest split of each subword into two others or more."""
    after = np.zeros(np.max(sizes) + 1)
    for k in range(len(positions)):
        n = sizes[k]
        after[n] = 0.0
        for i in range(n - 1, -1, -1):
            after[i] = -math.inf
            for e in range(edges[positions[k] + i], edges[positions[k] + i + 1]):
                if i + lengths[e] <= n and lengths[e] < n:
                    # after(i) = max_e log p(e) + after(i + |e|), without the subword itself
                    after[i] = max(after[i], log_probs[subwords[e]] + after[i + lengths[e]])
        best[k] = after[0]
