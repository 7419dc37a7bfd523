"""Cosines of one word with all words of a run, from its codes of one byte.

Cost: V D multiplications of whole numbers, and one reading of V D bytes: a millisecond for 50,000 words of 100 numbers.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled


@compiled
def code_cosines(
    codes: npt.NDArray[np.int8],  # (V, D)
    inverses: npt.NDArray[np.float32],  # (V,) from `inverse_lengths`
    row: int,
    cosines: npt.NDArray[np.float32],  # (V,) written; 0 for and with a row of zeros
) -> None:
    """Write the cosine of a row with every row; the scale of a row makes no difference."""
    words, dim = codes.shape
    query = codes[row]
    for i in range(words):
        product = np.int32(0)
        for d in range(dim):  # each step is cut to 32 bits, which no sum exceeds: more numbers are worked on at once
            product = np.int32(product + np.int32(np.int32(codes[i, d]) * np.int32(query[d])))
        cosines[i] = np.float32(product) * inverses[row] * inverses[i]
