"""Affine transformations of all vectors: centring, removal of top components, PCA, whitening; and normalisation.

What: each function except `normalise` applies one affine map x -> (x - mu) W, computed from the vectors, to all of
them. `normalise` divides each vector by its own norm.

Objective: with p_w = 1/V, or with `frequency` count_w over the sum of all counts,

    mu = sum_w p_w x_w,    C = sum_w p_w (x_w - mu)(x_w - mu)^T = E L E^T,    L = diag(l_1 >= ... >= l_D)

    centre             W = I
    remove_components  W = I - E_n E_n^T             E_n the first n columns of E
    reduce             W = E_k                       the k components of largest variance
    whiten, pca        W = E L^(-1/2)                covariance I, components ordered by variance
    whiten, zca        W = E L^(-1/2) E^T            covariance I, as close to the old vectors as possible

Source: Mu and Viswanath 2018, "All-but-the-top", algorithm 1 (n near D/100); Raunak, Gupta and Metze 2019, "Effective
dimensionality reduction for word embeddings", algorithm 1 (components removed before and after); Kessy, Lewin and
Strimmer 2018, "Optimal whitening and decorrelation", equations 6 and 7 (PCA, ZCA); Yokoi et al. 2024, "Zipfian
whitening", section 3 (frequency).

Departures: sums are computed in double precision. The sign of an eigenvector is chosen so that its largest component is
positive. The sum of squares is divided by V, not V - 1. The rank counts the directions whose variance exceeds the
rounding error of the vectors' precision.

Cost: two passes of 2 V D^2 flops and one eigendecomposition of (D, D). Memory: the result, D^2 numbers and a few
megabytes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import OptionError
from firth.postprocess.transforms import Floats, Matrix, blocks, checked_matrix, map_rows, with_matrix
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class PrincipalComponents:
    """Mean and principal components of the rows of a matrix.

    Attributes:
        mean: (D,) mu.
        variances: (D,) l_1 >= ... >= l_D >= 0.
        directions: (D, D) E: column i is the direction of variance i.
        rank: number of variances above rounding error.
    """

    mean: Floats
    variances: Floats
    directions: Floats
    rank: int

    def explained(self, count: int) -> float:
        """Return the share of the variance in the first components."""
        total = float(self.variances.sum())
        return float(self.variances[:count].sum()) / total if total > 0 else 1.0


def principal_components(matrix: Matrix, weights: Floats | None = None, *, centred: bool = True) -> PrincipalComponents:
    """Return the mean and the principal components of rows.

    Args:
        matrix: (V, D).
        weights: (V,) p, which sum to 1; None is 1/V each.
        centred: whether to subtract the mean first; else mu = 0.
    """
    size, dim = matrix.shape
    shares = np.full(size, 1.0 / size) if weights is None else weights
    mean, second = np.zeros(dim), np.zeros((dim, dim))
    if centred:
        for part in blocks(matrix):
            mean += shares[part] @ matrix[part].astype(np.float64)
    for part in blocks(matrix):
        rows = (matrix[part].astype(np.float64) - mean) * np.sqrt(shares[part])[:, None]
        second += rows.T @ rows
    variances, directions = np.linalg.eigh(second)
    variances, directions = np.maximum(variances[::-1], 0.0), directions[:, ::-1]
    largest = np.abs(directions).argmax(axis=0)
    directions = directions * np.where(directions[largest, np.arange(dim)] < 0, -1.0, 1.0)
    floor = _rounding(matrix.dtype, dim) * (float(variances[0]) + float(np.max(mean * mean)))
    return PrincipalComponents(mean, variances, directions, int((variances > floor).sum()))


def _rounding(dtype: np.dtype[Any], dim: int) -> float:
    """Return the share of the largest variance below which a variance is rounding error."""
    return max((8 * float(np.finfo(dtype).eps)) ** 2, dim * float(np.finfo(np.float64).eps))


@explained
def centre(vectors: WordVectors, *, frequency: bool = False) -> WordVectors:
    """Subtract the mean of all vectors.

    Args:
        vectors: vectors of V words.
        frequency: whether to weight words by their counts.

    Raises:
        OptionError: there are fewer than two words, the vectors are built from n-grams, or `frequency` is set and the
            words have no counts.
        FormatError: a vector is not finite.
    """
    matrix, mean = checked_matrix(vectors), _pca(vectors, frequency).mean
    result = map_rows(matrix, vectors.dim, lambda rows, _: rows - mean)
    return with_matrix(vectors, result, "centre", {"frequency": frequency, "mean_length": float(np.linalg.norm(mean))})


@explained
def remove_components(vectors: WordVectors, count: int | None = None, *, frequency: bool = False) -> WordVectors:
    """Subtract the mean and remove the top principal components: all-but-the-top.

    Args:
        vectors: vectors of V words.
        count: number of components to remove; None is D/100, at least 1.
        frequency: whether to weight words by their counts.

    Raises:
        OptionError: `count` is not from 1 to D - 1, or as in `centre`.
        FormatError: a vector is not finite.
    """
    matrix = checked_matrix(vectors)
    count = max(round(vectors.dim / 100), 1) if count is None else count
    if not 1 <= count < vectors.dim:
        raise OptionError(
            f"count={count} components of vectors of dimension {vectors.dim}: expected 1 to {vectors.dim - 1}"
        )
    pca = _pca(vectors, frequency)
    top = pca.directions[:, :count]

    def without(rows: Floats, _: slice) -> Floats:
        rows -= pca.mean
        return rows - (rows @ top) @ top.T

    facts = {"count": count, "frequency": frequency, "variance_removed": pca.explained(count)}
    return with_matrix(vectors, map_rows(matrix, vectors.dim, without), "remove-components", facts)


@explained
def reduce(vectors: WordVectors, dim: int, *, components: int = 0, frequency: bool = False) -> WordVectors:
    """Reduce the dimension to the principal components of largest variance.

    Args:
        vectors: vectors of V words.
        dim: the new dimension.
        components: number of top components to remove before and after the reduction; Raunak et al. take 7.
        frequency: whether to weight words by their counts.

    Raises:
        OptionError: `dim` is above the old dimension or the rank of the covariance, or as in `centre`.
        FormatError: a vector is not finite.
    """
    if components:
        vectors = remove_components(vectors, components, frequency=frequency)
    matrix = checked_matrix(vectors)
    if not 1 <= dim <= vectors.dim:
        raise OptionError(f"dim={dim} for vectors of dimension {vectors.dim}: expected 1 to {vectors.dim}")
    pca = _pca(vectors, frequency)
    if dim > pca.rank:
        raise OptionError(
            f"dim={dim}: the covariance of {len(vectors):,} vectors has rank {pca.rank}; expected at most {pca.rank}"
        )
    top = pca.directions[:, :dim]
    result = map_rows(matrix, dim, lambda rows, _: (rows - pca.mean) @ top)
    facts = {"dim": dim, "frequency": frequency, "rank": pca.rank, "variance_kept": pca.explained(dim)}
    reduced = with_matrix(vectors, result, "reduce", facts)
    return remove_components(reduced, components, frequency=frequency) if components else reduced


@explained
def whiten(vectors: WordVectors, method: str = "pca", *, ridge: float = 0.0, frequency: bool = False) -> WordVectors:
    """Whiten vectors: components with mean 0, variance 1 and no correlation.

    Args:
        vectors: vectors of V words.
        method: "pca" orders components by their old variance, "zca" stays as close to the old vectors as possible.
        ridge: added to each variance before the division, as a share of the mean variance, so that directions of
            almost no variance are not blown up.
        frequency: whether to weight words by their counts.

    Raises:
        OptionError: the covariance is singular and `ridge` is 0, an option is out of its range, or as in `centre`.
        FormatError: a vector is not finite.
    """
    matrix = checked_matrix(vectors)
    if method not in ("pca", "zca"):
        raise OptionError(f"method={method!r}: expected pca or zca")
    if not 0 <= ridge < np.inf:
        raise OptionError(f"ridge={ridge}: expected a number of at least 0")
    pca = _pca(vectors, frequency)
    if pca.rank < vectors.dim and (ridge == 0 or pca.rank == 0):
        raise OptionError(
            f"the covariance of {len(vectors):,} words x {vectors.dim} dimensions is singular, of rank {pca.rank}: "
            + (f"reduce to {pca.rank} dimensions first, or pass ridge=0.01" if pca.rank else "all vectors are equal")
        )
    scales = 1 / np.sqrt(pca.variances + ridge * pca.variances.mean())
    weights = pca.directions * scales
    if method == "zca":
        weights = weights @ pca.directions.T
    result = map_rows(matrix, vectors.dim, lambda rows, _: (rows - pca.mean) @ weights)
    condition = float(np.sqrt(pca.variances[0] / pca.variances[-1])) if pca.rank == vectors.dim else None
    facts = {"method": method, "ridge": float(ridge), "frequency": frequency, "rank": pca.rank}
    return with_matrix(vectors, result, "whiten", {**facts, "condition": condition})


@explained
def normalise(vectors: WordVectors, norm: str = "l2") -> WordVectors:
    """Divide each vector by its norm; zero vectors stay zero.

    Args:
        vectors: vectors of V words.
        norm: "l2" is the Euclidean norm, "max" the largest absolute component.

    Raises:
        OptionError: `norm` is unknown, or the vectors are built from n-grams.
        FormatError: a vector is not finite.
    """
    matrix = checked_matrix(vectors)
    order = {"l2": None, "max": np.inf}
    if norm not in order:
        raise OptionError(f"norm={norm!r}: expected l2 or max")
    zeros = 0

    def scaled(rows: Floats, _: slice) -> Floats:
        nonlocal zeros
        lengths = np.linalg.norm(rows, order[norm], axis=1, keepdims=True)
        zeros += int((lengths == 0).sum())
        return rows / np.where(lengths > 0, lengths, 1)

    result = map_rows(matrix, vectors.dim, scaled)
    return with_matrix(vectors, result, "normalise", {"norm": norm, "zero_vectors": zeros})


def _pca(vectors: WordVectors, frequency: bool) -> PrincipalComponents:
    if len(vectors) < 2:
        raise OptionError(f"{len(vectors)} word: expected at least 2")
    return principal_components(vectors.vectors, _shares(vectors) if frequency else None)


def _shares(vectors: WordVectors) -> npt.NDArray[np.float64]:
    counts = vectors.counts
    if counts is None or not counts.sum() > 0:
        raise OptionError("frequency=True: the words have no counts; omit it, or set counts with set_vecattr")
    return np.asarray(counts / counts.sum())
