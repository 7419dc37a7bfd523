"""Subword regularisation: sample the segmentation of a chunk, for models that see a word in several segmentations.

The functions take a chunk with one character per byte (`byte_level`) and return its subwords. For byte-pair encoding
use `byte_pairs.apply_merges` with dropout.

Source: Kudo 2018, Subword Regularization, section 3.2, for unigrams, over all segmentations instead of the l best,
sampled by forward filtering and backward sampling as in section 3.3; Hiraoka 2022, MaxMatch-Dropout,
section 3, for WordPiece.
"""

import math
import random
from collections.abc import Mapping


def sample_unigram(
    chunk: str, log_probs: Mapping[str, float], longest: int, power: float, rng: random.Random
) -> list[str]:
    """Sample a segmentation x with probability P(x)^power / sum over all y of P(y)^power.

    P(x) is the product of the subwords' probabilities. With power 0 all segmentations are equally likely; a large power
    gives the best one.

    Args:
        chunk: at least one character; each character is a subword.
        log_probs: natural logarithm of the probability of each subword.
        longest: length of the longest subword in bytes.
    """
    # starts[end]: starts of the subwords that can end there; totals[end]: log of the total weight of the prefix.
    totals, starts = [0.0], [list[int]()]
    for end in range(1, len(chunk) + 1):
        starts.append([i for i in range(max(0, end - longest), end) if chunk[i:end] in log_probs])
        totals.append(_log_sum([totals[i] + power * log_probs[chunk[i:end]] for i in starts[end]]))
    subwords, end = [], len(chunk)
    while end:
        weights = [math.exp(totals[i] + power * log_probs[chunk[i:end]] - totals[end]) for i in starts[end]]
        (start,) = rng.choices(starts[end], weights)
        subwords.append(chunk[start:end])
        end = start
    return subwords[::-1]


def _log_sum(values: list[float]) -> float:
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


def sample_wordpiece(
    chunk: str, vocabulary: Mapping[str, int], mark: str, dropout: float, rng: random.Random
) -> list[str]:
    """Return the longest subwords from left to right, each skipped with a probability (MaxMatch-Dropout).

    Args:
        chunk: at least one character.
        vocabulary: the subwords; those that do not start a chunk have the prefix `mark`.
        dropout: probability of skipping a matching subword of several bytes.
    """
    subwords, start = [], 0
    while start < len(chunk):
        prefix = mark if start else ""
        matches = (end for end in range(len(chunk), start + 1, -1) if prefix + chunk[start:end] in vocabulary)
        end = next((end for end in matches if rng.random() >= dropout), start + 1)
        subwords.append(prefix + chunk[start:end])
        start = end
    return subwords
