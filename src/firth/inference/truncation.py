"""Distributions made bolder or tamer: temperature, top-k, nucleus, and a least share of the likeliest.

What: scores of the next word are divided by a temperature; then words too unlikely to be worth a draw are left out,
and what remains sums to one again.

Objective: p_i = exp(s_i / T) / sum_j exp(s_j / T) over the words kept: the k likeliest; of those the smallest set whose
p reach a sum; of those the ones with p at least a share of the largest.

Source: top-k from Fan et al. 2018, Hierarchical Neural Story Generation, section 5.4; the nucleus from Holtzman et al.
2020, The Curious Case of Neural Text Degeneration, section 3.1; the least share from Nguyen et al. 2024, Turning Up the
Heat: Min-p Sampling, section 3.

Departures: words of equal score are kept in the order of their ids, so that top-k leaves exactly k. Each rule looks at
the probabilities that the rule before it left.

Cost: O(V log V) a row for the nucleus, O(V) for all else.
"""

import numpy as np
import numpy.typing as npt

from firth.inference.generation_options import GenerationOptions

Floats = npt.NDArray[np.float64]
Kept = npt.NDArray[np.bool_]

_SLACK = 1e-12  # sums of logarithms raised again may lack this much of what they stand for


def shaped(scores: Floats, options: GenerationOptions) -> Floats:
    """Return the probabilities that words are drawn with.

    Args:
        scores: (B, V) logarithms, up to a constant a row; each row has a finite one.
        options: temperature and what to leave out; a temperature of 0 leaves the likeliest alone.

    Returns:
        (B, V) float64; rows sum to one.
    """
    if options.temperature == 0:
        return largest(scores, 1).astype(np.float64)
    with np.errstate(over="ignore"):  # a temperature near 0 sends all but the likeliest to minus infinity
        found = probabilities((scores - scores.max(axis=1, keepdims=True)) / options.temperature)
    if options.top_k is not None and options.top_k < found.shape[1]:
        found = _only(found, largest(found, options.top_k))
    if options.top_p < 1:
        found = _only(found, nucleus(found, options.top_p))
    if options.min_p > 0:
        found = _only(found, found >= options.min_p * found.max(axis=1, keepdims=True))
    return found


def probabilities(scores: Floats) -> Floats:
    """Return exp(scores), rows made to sum to one.

    Args:
        scores: (B, V), each row with a finite one.
    """
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def largest(values: Floats, k: int) -> Kept:
    """Return which are the k largest of each row; of equal ones those that stand first.

    Args:
        values: (B, V).
        k: at most V.
    """
    return _from(values, np.partition(values, -k, axis=1)[:, -k, None], k)


def nucleus(found: Floats, total: float) -> Kept:
    """Return the smallest set of each row whose probabilities reach a sum; of equal ones those that stand first.

    Args:
        found: (B, V) probabilities.
        total: above 0 and at most 1.
    """
    falling = np.sort(found, axis=1)[:, ::-1]
    before = np.cumsum(falling, axis=1) - falling
    sizes = (before < total - _SLACK).sum(axis=1, keepdims=True)  # at least 1: before the first stands nothing
    return _from(found, np.take_along_axis(falling, np.maximum(sizes, 1) - 1, axis=1), sizes)


def _from(values: Floats, least: Floats, count: int | npt.NDArray[np.int64]) -> Kept:
    """Those above each row's least, and of those that equal it so many of the first that the row has its count."""
    above, equal = values > least, values == least
    room = count - above.sum(axis=1, keepdims=True)
    return np.asarray(above | (equal & (np.cumsum(equal, axis=1) <= room)))


def _only(found: Floats, kept: Kept) -> Floats:
    left = np.where(kept, found, 0.0)
    return np.asarray(left / left.sum(axis=1, keepdims=True))
