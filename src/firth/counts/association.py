"""What counts say of two words: how much more often they meet than they would by chance.

What: a co-occurrence matrix in, a sparse matrix of associations out.

Objective, with r_i = sum_j X_ij, c_j = sum_i X_ij, N = sum_ij X_ij, P(j) = c_j^s / sum_k c_k^s:

    PMI      log [ X_ij / (r_i P(j)) ]
    PPMI     max(0, PMI)
    shifted  max(0, PMI - log k)
    COALS    sqrt(max(0, rho_ij)),   rho_ij = (N X_ij - r_i c_j) / sqrt(r_i (N - r_i) c_j (N - c_j))

Source: Church and Hanks 1990, "Word association norms, mutual information, and lexicography", section 3 (PMI);
Bullinaria and Levy 2007, "Extracting semantic representations from word co-occurrence statistics", section 3 (PPMI);
Levy and Goldberg 2014, "Neural word embedding as implicit matrix factorization", equation 11 (shifted); Levy, Goldberg
and Dagan 2015, "Improving distributional similarity with lessons learned from word embeddings", section 3.1, equation 3
(context distribution smoothing s); Rohde, Gonnerman and Plaut 2006, section 2.1, table 4 (COALS).

Departures: pairs that never met have a PMI of minus infinity, and cells that are not stored stand for 0;
`positive=False` therefore gives the PMI of the pairs that did meet, and 0 elsewhere.

Cost: a few passes over the cells that are stored.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.counts.matrix import CooccurrenceMatrix
from firth.errors import OptionError


def pmi(counts: Any, *, positive: bool = True, shift: float = 1.0, smoothing: float = 1.0) -> Any:
    """Return pointwise mutual information, in nats.

    Args:
        counts: a `CooccurrenceMatrix`, or a SciPy matrix (V, C) of non-negative counts.
        positive: keep what is above 0 alone.
        shift: k, as many noise words as skip-gram would draw; log k is taken away.
        smoothing: s, the power of the context words' counts.

    Returns:
        A `csr_array` (V, C) of float64.

    Raises:
        OptionError: `shift` is not positive, `smoothing` is outside 0 to 1, or counts are negative or not finite.
    """
    if not 0 < shift < np.inf:
        raise OptionError(f"shift={shift!r}: expected a finite number above 0; 1 shifts nothing")
    if not 0 <= smoothing <= 1:
        raise OptionError(f"smoothing={smoothing!r}: expected a number from 0 to 1; 1 smooths nothing")
    matrix, centres, contexts = _cells(counts)
    rows, columns = _totals(matrix)
    power = np.where(columns > 0, columns, 1) ** smoothing * (columns > 0)
    with np.errstate(divide="ignore"):
        log_rows, log_columns = np.log(rows), np.log(power / power.sum())
    matrix.data = np.log(matrix.data) - log_rows[centres] - log_columns[contexts] - np.log(shift)
    return _kept(matrix, matrix.data > 0) if positive else matrix


def correlation(counts: Any) -> Any:
    """Return COALS's values: the square root of each positive correlation of a pair.

    The correlation is between the two variables "the centre word is i" and "the context word is j" over all pairs that
    were counted. That of a pair that never met is negative, so that nothing is lost by leaving it out.

    Args:
        counts: a `CooccurrenceMatrix`, or a SciPy matrix (V, C) of non-negative counts.

    Returns:
        A `csr_array` (V, C) of float64, from 0 to 1.

    Raises:
        OptionError: counts are negative or not finite.
    """
    matrix, centres, contexts = _cells(counts)
    rows, columns = _totals(matrix)
    total = rows.sum()
    spread_rows, spread_columns = rows * (total - rows), columns * (total - columns)
    above = total * matrix.data - rows[centres] * columns[contexts]
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = above / np.sqrt(spread_rows[centres] * spread_columns[contexts])
    matrix.data = np.sqrt(np.where(above > 0, rho, 0.0))
    return _kept(matrix, above > 0)


def _cells(counts: Any) -> tuple[Any, npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return a copy of the counts in float64 without zeros, and the row and column of each cell."""
    from scipy import sparse

    given = counts.to_scipy() if isinstance(counts, CooccurrenceMatrix) else counts
    matrix = sparse.csr_array(given, dtype=np.float64, copy=not isinstance(counts, CooccurrenceMatrix))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not (np.isfinite(matrix.data) & (matrix.data > 0)).all():
        raise OptionError("counts hold negative numbers, NaN or infinity; expected how often words met")
    return matrix, np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), matrix.indices


def _totals(matrix: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return np.asarray(matrix.sum(axis=1)).ravel(), np.asarray(matrix.sum(axis=0)).ravel()


def _kept(matrix: Any, kept: npt.NDArray[np.bool_]) -> Any:
    matrix.data = np.where(kept, matrix.data, 0.0)
    matrix.eliminate_zeros()
    return matrix
