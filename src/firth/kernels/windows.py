"""From encoded sentences to the words that a window holds."""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.random import draw

LONGEST = 1000  # kept words a piece; longer sentences are trained in pieces, as word2vec.c does


def keep_thresholds(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.uint32]:
    """Turn probabilities of survival into thresholds for 32 random bits.

    Args:
        probabilities: (V,) from `Vocabulary.keep_probabilities`.

    Returns:
        (V,) uint32: a word is kept where 32 random bits are at most its threshold, so 1 keeps it always.
    """
    return np.asarray(np.clip(probabilities * 2.0**32 - 1, 0, 2.0**32 - 1).astype(np.uint32))


@njit(nogil=True, inline="always")
def subsample(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    start: int,  # first token to read
    end: int,  # one past the last token to read
    thresholds: npt.NDArray[np.uint32],  # (V,) from keep_thresholds
    state: npt.NDArray[np.uint64],  # (1,) random state, updated in place
    kept: npt.NDArray[np.int64],  # (LONGEST + 1,) receives the words that survive
) -> tuple[int, int]:
    """Copy the words that survive subsampling; return how many they are and where reading stopped.

    Source: Mikolov et al. 2013 (NIPS), section 2.3.
    """
    count = 0
    while start < end and count < LONGEST:
        word = ids[start]
        start += 1
        # No branch: whether a word survives cannot be predicted, and a miss costs more than the store.
        kept[count] = word
        count += np.uint32(draw(state) >> np.uint64(32)) <= thresholds[word]
    return count, start
