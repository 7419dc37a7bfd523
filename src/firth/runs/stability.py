"""How stable neighbours are: the overlap of the ten nearest between runs, by the frequency of the word.

Objective, for words w of a band and pairs of runs r < s that both have w:

    overlap = mean over w, r, s of |N_r(w) & N_s(w)| / 10,     N_r(w): the ten nearest words of w in run r

A word is called stable if its own overlap, the mean over r, s, is at least a half.

Source: Antoniak and Mimno 2018, "Evaluating the stability of embedding-based word similarities", section 4, which has
the Jaccard similarity of the ten nearest; the overlap is easier to read: 0.7 are seven words of ten.

Cost: R products of some hundred rows with V D numbers: a second or two for 20 runs of 50,000 words.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

NEAREST = 10
STABLE = 0.5  # overlap of a word from which its neighbours are called stable
LIMITS = (10, 100, 1_000, 10_000, 100_000)  # counts at which a band begins
WORDS = 100  # of a band that are looked at, evenly spaced


class Band(NamedTuple):
    """Words of about one frequency.

    Attributes:
        least: the least count of the band.
        most: the greatest; None for the band of the most frequent words.
        words: how many words of the corpus it has.
        overlap: how many of a word's ten nearest two runs that have it share on average, from 0 to 1; NaN where no two
            runs have one of the words.
        stable: share of the words whose own overlap is at least a half; NaN likewise.
    """

    least: int
    most: int | None
    words: int
    overlap: float
    stable: float


def bands_of(counts: npt.NDArray[np.int64]) -> list[tuple[int, int | None, npt.NDArray[np.int64]]]:
    """Return bands of words with the least and greatest count and their rows, the most frequent first.

    Args:
        counts: (V,).
    """
    starts = [0, *LIMITS]
    ends: Sequence[int | None] = [*LIMITS, None]
    rows = [np.flatnonzero((counts >= max(a, 1)) & (counts < (b or np.inf))) for a, b in zip(starts, ends, strict=True)]
    bands = [(max(a, 1), b and b - 1, r) for a, b, r in zip(starts, ends, rows, strict=True) if len(r)]
    return bands[::-1]


def evenly(rows: npt.NDArray[np.int64], most: int = WORDS) -> npt.NDArray[np.int64]:
    """Return at most so many of some rows, evenly spaced."""
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64))]


def overlaps(neighbours: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the overlap of the nearest rows of each word in each pair of runs, (R (R - 1) / 2, W).

    Args:
        neighbours: (R, W, k) the nearest rows of W words in each run; for a word that a run lacks, numbers below 0.

    Returns:
        Shares from 0 to 1; NaN for a pair of which one run lacks the word.
    """
    runs, _, k = neighbours.shape
    has = np.asarray((neighbours >= 0).any(axis=2))  # (R, W)
    pairs = [
        np.where(
            has[r] & has[s],
            (neighbours[r, :, :, None] == neighbours[s, :, None, :]).any(axis=2).sum(axis=1) / k,
            np.nan,
        )
        for r, s in itertools.combinations(range(runs), 2)
    ]
    return np.array(pairs).reshape(-1, neighbours.shape[1])


def mean_overlap(shares: npt.NDArray[np.float64], axis: int | None = None) -> npt.NDArray[np.float64]:
    """Return the mean of overlaps (P, W): of all, or with axis 0 of each word; NaN where no pair of runs has it."""
    finite = np.isfinite(shares)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(finite, shares, 0).sum(axis=axis) / finite.sum(axis=axis))


def share_stable(shares: npt.NDArray[np.float64]) -> float:
    """Return the share of stable words, of overlaps (P, W); NaN if no two runs have one of the words."""
    means = mean_overlap(shares, axis=0)
    finite = means[np.isfinite(means)]
    return float((finite >= STABLE).mean()) if len(finite) else float("nan")
