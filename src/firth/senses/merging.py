"""Senses of a word that are alike become one: how training ends where senses open on the way.

A sense is opened on the evidence of single occurrences, which is too little to tell; at the end all are known. Nearest
first: of two senses the first takes the weighted mean of both vectors and the sum of weights and centres.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.vectors.cosine import unit


def merge_alike(
    vectors: npt.NDArray[np.float32],
    weights: npt.NDArray[Any],
    above: float,
    *,
    centres: npt.NDArray[np.float32] | None = None,
    live: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.bool_]:
    """Make one of the senses of a word that are alike, nearest first; the arrays are changed in place.

    Args:
        vectors: (n, D) of the senses; of two that become one, the mean by their weights.
        weights: (n,) how often each is meant, which are added; what goes is left with 0.
        above: the cosine above which two become one; with 1 none do.
        centres: (n, E) sums of contexts, which are added, and whose cosines tell; None takes those of the vectors.
        live: (n,) which are senses; None is all.

    Returns:
        (n,) which are senses still.
    """
    left = np.ones(len(weights), dtype=bool) if live is None else live.copy()
    while above < 1 and left.sum() > 1:
        directions = unit((vectors if centres is None else centres).astype(np.float64))
        pairs = np.triu(left & left[:, None], 1)
        cosines = np.where(pairs, directions @ directions.T, -np.inf)
        one, other = divmod(int(cosines.argmax()), len(weights))
        if cosines[one, other] <= above:
            break
        both = weights[one] + weights[other]
        share = weights[other] / both if both else 0.5
        vectors[one] = (1 - share) * vectors[one] + share * vectors[other]
        if centres is not None:
            centres[one] += centres[other]
        weights[one], weights[other], left[other] = both, 0, False
    return left
