"""Strength of an alignment: how clearly translations stand out in the shared space. Needs no dictionary.

What: two words that are each other's best by CSLS are taken as translations. If the vectors are good and the map fits,
a word's translation is much nearer than the words around it. If the vectors are weak, many words are about equally near
and the nearest one is chance.

Objective: over the pairs (x, z) of each other's best words by CSLS among the `FREQUENT` first words of each side,

    margin = mean of csls(x, z),      agreement of two alignments = pairs of both / pairs of the one with fewer

Source: Conneau et al. 2018, "Word translation without parallel data", section 2.3 for CSLS and section 3.4 for the idea
of evaluating a map by the translations that CSLS finds for frequent words.

Departures: the paper uses the mean cosine of the translations. Weak vectors lie in a narrow cone and have greater
cosines than good ones: 0.76 to 0.89 if P@1 is below 5 %, 0.44 to 0.64 if it is above 40 %
(`benchmarks/results/alignment/strength.md`). CSLS subtracts a word's mean similarity to its neighbours.

Cost: 6 n^2 D flops for n = `FREQUENT`, a few tenths of a second.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import warn_caller
from firth.vectors.csls import csls_nearest

FREQUENT = 2_000  # most frequent words of each side that are compared
FEWEST = 200  # words per side below which a margin means little
WEAK = 0.1  # margin below which translations are mostly wrong


@dataclass(frozen=True)
class Strength:
    """Strength of an alignment.

    Attributes:
        margin: mean CSLS of the pairs; 0 without pairs.
        pairs: (P, 2) rows of words that are each other's best.
        words: number of compared words, of the side with fewer.
    """

    margin: float
    pairs: npt.NDArray[np.int64]
    words: int

    @property
    def weak(self) -> bool:
        """Whether translations are probably mostly wrong; False if there are too few words to tell."""
        return self.words >= FEWEST and self.margin < WEAK

    def agreement(self, other: "Strength") -> float:
        """Return the share of common pairs of two alignments of the same spaces."""
        both = len({*map(tuple, self.pairs.tolist())} & {*map(tuple, other.pairs.tolist())})
        return both / max(min(len(self.pairs), len(other.pairs)), 1)

    def warn(self) -> None:
        """Warn if the alignment is weak."""
        if self.weak:
            warn_caller(
                f"the vectors are too weak to align: translations stand out from the words around them by a CSLS of "
                f"{self.margin:.3f}, expected at least {WEAK:g}; train both sides for longer (epochs=20, sample=3e-4), "
                "on more text, or give more pairs"
            )


def strength(source: npt.NDArray[np.float32], target: npt.NDArray[np.float32]) -> Strength:
    """Measure how clearly translations stand out.

    Args:
        source: (V, K) source vectors in the shared space, the most frequent words first.
        target: (W, K) target vectors in the shared space.
    """
    x, z = source[:FREQUENT], target[:FREQUENT]
    (forward, scores), (backward, _) = csls_nearest(x, z, 1), csls_nearest(z, x, 1)
    rows = np.flatnonzero(backward[forward[:, 0], 0] == np.arange(len(x)))
    pairs = np.stack([rows, forward[rows, 0]], axis=1).astype(np.int64)
    return Strength(float(scores[rows, 0].mean()) if len(rows) else 0.0, pairs, min(len(x), len(z)))
