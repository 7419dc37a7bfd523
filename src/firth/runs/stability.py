"""How stable neighbours are: the overlap of the ten nearest between runs, by the frequency of the word.

Objective, for words w of a band and pairs of runs r < s that both have w:

    overlap = mean over w, r, s of |N_r(w) & N_s(w)| / 10,     N_r(w): the ten nearest words of w in run r

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
    """

    least: int
    most: int | None
    words: int
    overlap: float


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


def mean_overlap(neighbours: npt.NDArray[np.int64]) -> float:
    """Return the mean overlap of the nearest rows of words between all pairs of runs that have them.

    Args:
        neighbours: (R, W, k) the nearest rows of W words in each run; for none, numbers below 0 that no other run has.
    """
    runs, _, k = neighbours.shape
    has = np.asarray((neighbours >= 0).any(axis=2))  # (R, W)
    shares = [
        (neighbours[r, both][:, :, None] == neighbours[s, both][:, None, :]).any(axis=2).sum(axis=1) / k
        for r, s in itertools.combinations(range(runs), 2)
        if len(both := np.flatnonzero(has[r] & has[s]))
    ]
    return float(np.concatenate(shares).mean()) if shares else float("nan")
