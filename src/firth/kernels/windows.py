"""Subsampling of encoded sentences."""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.random import draw

LONGEST = 1000  # maximum words per piece after subsampling; longer sentences are split, as in word2vec.c


def keep_thresholds(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.uint32]:
    """Turn the probabilities of keeping words into thresholds for 32 random bits.

    Args:
        probabilities: (V,) from `Vocabulary.keep_probabilities`.

    Returns:
        (V,) uint32: a word is kept if 32 random bits are at most its threshold; probability 1 always keeps it.
    """
    return np.asarray(np.clip(probabilities * 2.0**32 - 1, 0, 2.0**32 - 1).astype(np.uint32))


@njit(nogil=True, inline="always")
def subsample(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    start: int,  # first token to read
    end: int,  # one past the last token to read
    thresholds: npt.NDArray[np.uint32],  # (V,) from keep_thresholds
    state: npt.NDArray[np.uint64],  # (1,) random state, updated in place
    words: npt.NDArray[np.int64],  # (LONGEST + 1,) receives the words that survive
) -> tuple[int, int]:
    """Copy the words that survive subsampling; return their number and the position after the last token read.

    Source: Mikolov et al. 2013 (NIPS), section 2.3.
    """
    count = 0
    while start < end and count < LONGEST:
        word = ids[start]
        start += 1
        # No branch: the processor cannot predict whether a word survives, and a miss costs more than the store.
        words[count] = word
        count += np.uint32(draw(state) >> np.uint64(32)) <= thresholds[word]
    return count, start
