"""Segmentations of a chunk drawn at random: the same word in other pieces at each reading, which makes models robust.

Three ways, one for each kind of tokeniser; all take a chunk with a character a byte (`byte_level`) and return its
pieces. Byte pairs are drawn by `byte_pairs.merged` with dropout.

Source: Kudo 2018, Subword Regularization, section 3.2, for unigrams, with every segmentation in place of the l best (l
without bound), drawn by forward filtering and backward sampling as in section 3.3; Hiraoka 2022, MaxMatch-Dropout,
section 3, for WordPiece.
"""

import math
import random
from collections.abc import Mapping


def sampled_unigram(
    chunk: str, log_probs: Mapping[str, float], longest: int, power: float, draw: random.Random
) -> list[str]:
    """Return a segmentation x drawn with probability P(x)^power / sum over all y of P(y)^power.

    P(x) is the product of the pieces' probabilities. A power of 0 takes all segmentations alike, a large one the best.

    Args:
        chunk: of at least one character, each of which is a piece.
        log_probs: the natural logarithm of each piece's probability.
        longest: bytes of the longest piece.
        power: of the probabilities.
        draw: random numbers.
    """
    # starts[end]: the first characters of the pieces that may end there, and the log of the summed weights up to there.
    totals, starts = [0.0], [list[int]()]
    for end in range(1, len(chunk) + 1):
        starts.append([i for i in range(max(0, end - longest), end) if chunk[i:end] in log_probs])
        totals.append(_log_sum([totals[i] + power * log_probs[chunk[i:end]] for i in starts[end]]))
    pieces, end = [], len(chunk)
    while end:
        weights = [math.exp(totals[i] + power * log_probs[chunk[i:end]] - totals[end]) for i in starts[end]]
        (start,) = draw.choices(starts[end], weights)
        pieces.append(chunk[start:end])
        end = start
    return pieces[::-1]


def _log_sum(values: list[float]) -> float:
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


def sampled_longest(chunk: str, pieces: Mapping[str, int], mark: str, dropout: float, draw: random.Random) -> list[str]:
    """Return the longest pieces from left to right, where each piece of several bytes is passed over now and then.

    Args:
        chunk: of at least one character.
        pieces: the vocabulary; a piece that does not begin the chunk has `mark` before it.
        mark: of pieces that go on.
        dropout: probability with which a piece that fits is passed over.
        draw: random numbers.
    """
    found, start = [], 0
    while start < len(chunk):
        before = mark if start else ""
        fits = (end for end in range(len(chunk), start + 1, -1) if before + chunk[start:end] in pieces)
        end = next((end for end in fits if draw.random() >= dropout), start + 1)
        found.append(before + chunk[start:end])
        start = end
    return found
