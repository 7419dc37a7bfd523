"""Merging of similar senses of a word, after training in which senses are opened one by one.

A sense is opened on the evidence of a single occurrence; after training, all occurrences are known. The nearest pair is
merged first: the first sense gets the weighted mean of both vectors and the sum of weights and centres.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.vectors.cosine import unit


def merge_similar(
    vectors: npt.NDArray[np.float32],
    weights: npt.NDArray[Any],
    above: float,
    *,
    centres: npt.NDArray[np.float32] | None = None,
    live: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.bool_]:
    """Merge similar senses of a word in place, nearest first, and return (n,) which senses remain.

    Args:
        vectors: (n, D); merged vectors are means by weight.
        weights: (n,) frequencies; merged weights are added, and the second sense gets 0.
        above: senses with a cosine above this are merged; 1 merges none.
        centres: (n, E) sums of contexts, which decide the cosines and are added; None uses the vectors.
        live: (n,) which rows are senses; None for all.
    """
    live_mask = np.ones(len(weights), dtype=bool) if live is None else live.copy()
    while above < 1 and live_mask.sum() > 1:
        directions = unit((vectors if centres is None else centres).astype(np.float64))
        pairs = np.triu(live_mask & live_mask[:, None], 1)
        cosines = np.where(pairs, directions @ directions.T, -np.inf)
        first, second = divmod(int(cosines.argmax()), len(weights))
        if cosines[first, second] <= above:
            break
        both = weights[first] + weights[second]
        # The first becomes the mean by weight; the second is dropped.
        share = weights[second] / both if both else 0.5
        vectors[first] = (1 - share) * vectors[first] + share * vectors[second]
        if centres is not None:
            centres[first] += centres[second]
        weights[first], weights[second], live_mask[second] = both, 0, False
    return live_mask
