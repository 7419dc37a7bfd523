"""Truncated sampling distributions: temperature, top-k, top-p (nucleus) and min-p.

What: scores of the next word are divided by a temperature; then unlikely words are removed, and the rest sums to one
    again.
Objective: p_i = exp(s_i / T) / sum_j exp(s_j / T) over the remaining words: the k most probable; of those the smallest
    set whose p reach a sum; of those the ones with p of at least a fraction of the largest.
Source: Fan et al. 2018, Hierarchical Neural Story Generation, section 5.4 (top-k); Holtzman et al. 2020, The Curious
    Case of Neural Text Degeneration, section 3.1 (nucleus); Nguyen et al. 2024, Turning Up the Heat: Min-p Sampling,
    section 3 (min-p).
Departures: words of equal score are ranked by their ids, so that top-k leaves exactly k. Each rule sees the
    probabilities that the rule before it left.
Cost: O(V log V) per row for the nucleus, O(V) otherwise.
"""

import numpy as np
import numpy.typing as npt

from firth.inference.generation_options import GenerationOptions
from firth.inference.scorer import Floats

Mask = npt.NDArray[np.bool_]

_SLACK = 1e-12  # rounding error of sums of probabilities


def sampling_distribution(scores: Floats, options: GenerationOptions) -> Floats:
    """Return the probabilities to sample from.

    Args:
        scores: (B, V) logarithms, up to a constant per row; each row has a finite one.
        options: temperature, above 0, and truncation.

    Returns:
        (B, V) float64; rows sum to one.
    """
    with np.errstate(over="ignore"):  # a temperature near 0 sends all but the largest to minus infinity
        temperature = 1.0 if options.temperature is None else options.temperature
        p = softmax((scores - scores.max(axis=1, keepdims=True)) / temperature)  # (B, V)
    if options.top_k is not None and options.top_k < p.shape[1]:
        p = _renormalised(p, largest(p, options.top_k))
    if options.top_p < 1:
        p = _renormalised(p, nucleus(p, options.top_p))
    if options.min_p > 0:
        p = _renormalised(p, p >= options.min_p * p.max(axis=1, keepdims=True))
    return p


def softmax(scores: Floats) -> Floats:
    """Return exp(scores) with rows that sum to one; each row of (B, V) has a finite score."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def largest(values: Floats, k: int) -> Mask:
    """Return a mask of the k largest of each row of (B, V) values; of equal ones the first."""
    return _from(values, np.partition(values, -k, axis=1)[:, -k, None], k)


def nucleus(probabilities: Floats, total: float) -> Mask:
    """Return a mask of the smallest set of each row whose probabilities reach a sum; of equal ones the first.

    Args:
        probabilities: (B, V).
        total: above 0 and at most 1.
    """
    falling = np.sort(probabilities, axis=1)[:, ::-1]
    before = np.cumsum(falling, axis=1) - falling
    sizes = (before < total - _SLACK).sum(axis=1, keepdims=True)  # at least 1: nothing is before the first
    return _from(probabilities, np.take_along_axis(falling, np.maximum(sizes, 1) - 1, axis=1), sizes)


def _from(values: Floats, threshold: Floats, count: int | npt.NDArray[np.int64]) -> Mask:
    """Mask values above each row's least, and the first of those that equal it, `count` in all."""
    above, equal = values > threshold, values == threshold
    room = count - above.sum(axis=1, keepdims=True)
    return np.asarray(above | (equal & (np.cumsum(equal, axis=1) <= room)))


def _renormalised(probabilities: Floats, mask: Mask) -> Floats:
    remaining = np.where(mask, probabilities, 0.0)
    return np.asarray(remaining / remaining.sum(axis=1, keepdims=True))
