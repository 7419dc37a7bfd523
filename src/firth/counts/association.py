"""Association measures: how much more often two words co-occur than by chance.

What: from a co-occurrence matrix to a sparse matrix of associations.

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

Departures: pairs that never co-occur have a PMI of minus infinity, and cells that are not stored are 0. Therefore
`positive=False` gives the PMI of the pairs that co-occur, and 0 elsewhere.

Cost: a few passes over the stored cells.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.counts.matrix import CooccurrenceMatrix
from firth.errors import OptionError
from firth.kernels.association import CORRELATION, PMI, associate


def pmi(counts: Any, *, positive: bool = True, shift: float = 1.0, smoothing: float = 1.0) -> Any:
    """Return pointwise mutual information, in nats.

    Args:
        counts: a `CooccurrenceMatrix`, or a SciPy matrix (V, C) of non-negative counts.
        positive: keep only values above 0 (PPMI).
        shift: k, the number of negative samples of skip-gram; log k is subtracted.
        smoothing: s, the exponent of the context counts (context distribution smoothing).

    Returns:
        A `csr_array` (V, C) of float64.

    Raises:
        OptionError: `shift` is not positive, `smoothing` is outside 0 to 1, or counts are negative or not finite.
    """
    if not 0 < shift < np.inf:
        raise OptionError(f"shift={shift!r}: expected a finite number above 0; 1 shifts nothing")
    if not 0 <= smoothing <= 1:
        raise OptionError(f"smoothing={smoothing!r}: expected a number from 0 to 1; 1 smooths nothing")
    matrix = _cells(counts)
    rows, columns = _totals(matrix)
    power = np.where(columns > 0, columns, 1) ** smoothing * (columns > 0)
    with np.errstate(divide="ignore"):  # pairs that never co-occur have no cell
        terms = np.log(rows) + np.log(shift), np.log(power / power.sum())
    return _associated(PMI, matrix, *terms, positive=positive)


def correlation(counts: Any) -> Any:
    """Return the values of COALS: the square roots of the positive correlations.

    The correlation is between the variables "the centre word is i" and "the context word is j" over all counted pairs.
    Pairs that never co-occur have negative correlations, so leaving them out loses nothing.

    Args:
        counts: a `CooccurrenceMatrix`, or a SciPy matrix (V, C) of non-negative counts.

    Returns:
        A `csr_array` (V, C) of float64, from 0 to 1.

    Raises:
        OptionError: counts are negative or not finite.
    """
    matrix = _cells(counts)
    return _associated(CORRELATION, matrix, *_totals(matrix), positive=True)


def window_pmi(together: Any, alone: npt.NDArray[np.float64], windows: int) -> Any:
    """Return positive pointwise mutual information of words in windows, in nats: max(0, log n W / (n_i n_j)).

    Args:
        together: n_ij, a SciPy matrix (V, V): in how many windows both words are.
        alone: n_i, (V,): in how many windows a word is.
        windows: W, their number.

    Returns:
        A `csr_array` (V, V) of float64.

    Source:
        Church and Hanks 1990, section 3, for windows as in Yao, Mao and Luo 2019, equations 4 to 6.
    """
    rates = np.log(np.maximum(alone, 1))
    return _associated(PMI, _cells(together), rates, rates - np.log(windows), positive=True)


def _associated(
    kind: int, matrix: Any, of_rows: npt.NDArray[np.float64], of_columns: npt.NDArray[np.float64], *, positive: bool
) -> Any:
    from scipy import sparse

    starts = np.empty(matrix.shape[0] + 1, dtype=np.int64)
    columns = np.empty(matrix.nnz, dtype=np.int32)
    arrays = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data
    n = associate(kind, *arrays, of_rows, of_columns, float(matrix.sum()), positive, starts, columns, matrix.data)
    return sparse.csr_array((matrix.data[:n], columns[:n], starts), shape=matrix.shape)


def _cells(counts: Any) -> Any:
    """Return a copy of the counts in float64, without zeros and with sorted indices."""
    from scipy import sparse

    if isinstance(counts, CooccurrenceMatrix):
        matrix = counts.to_scipy()
        matrix.data = matrix.data.astype(np.float64)
    else:
        matrix = sparse.csr_array(counts, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    if not (np.isfinite(matrix.data).all() and matrix.data.min(initial=1) > 0):
        raise OptionError("counts hold negative numbers, NaN or infinity; expected co-occurrence counts")
    return matrix


def _totals(matrix: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return np.asarray(matrix.sum(axis=1)).ravel(), np.asarray(matrix.sum(axis=0)).ravel()
