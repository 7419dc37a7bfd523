"""Vectors moved and turned as a whole: centring, removal of the top components, whitening, PCA, normalisation.

What: every function here maps each vector by one affine map, x -> (x - mu) W, that the vectors themselves determine;
`normalise` alone scales each by its own length.

Objective: with p_w = 1/V, or with `frequency` count_w over the sum of all counts,

    mu = sum_w p_w x_w,    C = sum_w p_w (x_w - mu)(x_w - mu)^T = E L E^T,    L = diag(l_1 >= ... >= l_D)

    centre             W = I
    remove_components  W = I - E_n E_n^T             E_n the first n columns of E
    reduce             W = E_k                       the k numbers that keep most of the variance
    whiten, pca        W = E L^(-1/2)                covariance I, directions in the order of their variance
    whiten, zca        W = E L^(-1/2) E^T            covariance I, as near to the old vectors as can be

Source: Mu and Viswanath 2018, "All-but-the-top", algorithm 1 (n near D/100); Raunak, Gupta and Metze 2019, "Effective
dimensionality reduction for word embeddings", algorithm 1 (components removed before and after); Kessy, Lewin and
Strimmer 2018, "Optimal whitening and decorrelation", equations 6 and 7 (PCA, ZCA); Yokoi et al. 2024, "Zipfian
whitening", section 3 (frequency).

Departures: sums are of double precision, whatever the vectors have. An eigenvector's sign, which is free, is that which
makes its largest number positive. The sum of squares is divided by V, not V - 1. A direction counts as flat where its
spread is below what rounding in the vectors' own precision makes of nothing.

Cost: two passes of 2 V D^2 flops and one eigendecomposition of (D, D); beside the result, a few megabytes and D^2
numbers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.postprocess.recorded import Floats, Matrix, blocks, mapped, matrix_of, remade
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Spread:
    """How rows lie.

    Attributes:
        mean: (D,) mu.
        variances: (D,) l_1 >= ... >= l_D, none below 0.
        directions: (D, D) E: column i is the direction of variance i.
        rank: how many variances are more than rounding.
    """

    mean: Floats
    variances: Floats
    directions: Floats
    rank: int

    def kept(self, count: int) -> float:
        """Return the share of the variance that the first directions have."""
        total = float(self.variances.sum())
        return float(self.variances[:count].sum()) / total if total > 0 else 1.0


def spread_of(matrix: Matrix, weights: Floats | None = None, *, centred: bool = True) -> Spread:
    """Return the mean of rows and their principal directions.

    Args:
        matrix: (V, D).
        weights: (V,) p, which add up to 1; None is 1/V each.
        centred: whether the mean is taken off first; else it counts as 0.
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
    return Spread(mean, variances, directions, int((variances > floor).sum()))


def _rounding(dtype: np.dtype[Any], dim: int) -> float:
    """Return the share of the greatest variance that rounding alone may give a direction."""
    return max((8 * float(np.finfo(dtype).eps)) ** 2, dim * float(np.finfo(np.float64).eps))


def centre(vectors: WordVectors, *, frequency: bool = False) -> WordVectors:
    """Return vectors whose mean is zero.

    Args:
        vectors: V words.
        frequency: whether a word counts as often as it stands in the corpus.

    Raises:
        OptionError: there are fewer than two words, they are made of n-grams, or have no counts where these are needed.
        FormatError: a vector is not finite.
    """
    matrix, mean = matrix_of(vectors), _spread(vectors, frequency).mean
    made = mapped(matrix, vectors.dim, lambda rows, _: rows - mean)
    return remade(vectors, made, "centre", {"frequency": frequency, "mean_length": float(np.linalg.norm(mean))})


def remove_components(vectors: WordVectors, count: int | None = None, *, frequency: bool = False) -> WordVectors:
    """Return vectors without their mean and without the directions that they all share most: all-but-the-top.

    Args:
        vectors: V words.
        count: directions to remove; None is D/100, and at least one.
        frequency: whether a word counts as often as it stands in the corpus.

    Raises:
        OptionError: `count` is not from 1 to D - 1, or as in `centre`.
        FormatError: a vector is not finite.
    """
    matrix = matrix_of(vectors)
    count = max(round(vectors.dim / 100), 1) if count is None else count
    if not 1 <= count < vectors.dim:
        raise OptionError(
            f"count={count} components of vectors of {vectors.dim} numbers: expected from 1 to {vectors.dim - 1}"
        )
    spread = _spread(vectors, frequency)
    top = spread.directions[:, :count]

    def without(rows: Floats, _: slice) -> Floats:
        rows -= spread.mean
        return rows - (rows @ top) @ top.T

    facts = {"count": count, "frequency": frequency, "variance_removed": spread.kept(count)}
    return remade(vectors, mapped(matrix, vectors.dim, without), "remove-components", facts)


def reduce(vectors: WordVectors, dim: int, *, components: int = 0, frequency: bool = False) -> WordVectors:
    """Return narrower vectors: the principal components of most variance.

    Args:
        vectors: V words.
        dim: the new width.
        components: directions to remove before and again after, as `remove_components` does; Raunak et al. take 7.
        frequency: whether a word counts as often as it stands in the corpus.

    Raises:
        OptionError: `dim` is above the width or above the directions in which the vectors differ, or as in `centre`.
        FormatError: a vector is not finite.
    """
    if components:
        vectors = remove_components(vectors, components, frequency=frequency)
    matrix = matrix_of(vectors)
    if not 1 <= dim <= vectors.dim:
        raise OptionError(f"dim={dim} of vectors of {vectors.dim} numbers: expected from 1 to {vectors.dim}")
    spread = _spread(vectors, frequency)
    if dim > spread.rank:
        raise OptionError(
            f"dim={dim}: these {len(vectors):,} vectors differ in {spread.rank} directions only; "
            f"expected at most {spread.rank}"
        )
    kept = spread.directions[:, :dim]
    made = mapped(matrix, dim, lambda rows, _: (rows - spread.mean) @ kept)
    facts = {"dim": dim, "frequency": frequency, "rank": spread.rank, "variance_kept": spread.kept(dim)}
    reduced = remade(vectors, made, "reduce", facts)
    return remove_components(reduced, components, frequency=frequency) if components else reduced


def whiten(vectors: WordVectors, method: str = "pca", *, ridge: float = 0.0, frequency: bool = False) -> WordVectors:
    """Return vectors whose numbers have mean 0, variance 1 and nothing to do with each other.

    Args:
        vectors: V words.
        method: "pca", numbers in the order of their old variance, or "zca", as near to the old numbers as can be.
        ridge: what is added to each variance before the division, as a share of their mean: it keeps directions of
            next to no variance from being blown up.
        frequency: whether a word counts as often as it stands in the corpus.

    Raises:
        OptionError: the covariance is singular and there is no ridge, an option is out of its range, or as in `centre`.
        FormatError: a vector is not finite.
    """
    matrix = matrix_of(vectors)
    if method not in ("pca", "zca"):
        raise OptionError(f"method={method!r}: expected pca or zca")
    if not 0 <= ridge < np.inf:
        raise OptionError(f"ridge={ridge}: expected a number of at least 0")
    spread = _spread(vectors, frequency)
    if spread.rank < vectors.dim and (ridge == 0 or spread.rank == 0):
        raise OptionError(
            f"the covariance of {len(vectors):,} words x {vectors.dim} numbers is singular, of rank {spread.rank}: "
            + (f"reduce to {spread.rank} numbers first, or pass ridge=0.01" if spread.rank else "all words are alike")
        )
    scales = 1 / np.sqrt(spread.variances + ridge * spread.variances.mean())
    map_to = spread.directions * scales
    if method == "zca":
        map_to = map_to @ spread.directions.T
    made = mapped(matrix, vectors.dim, lambda rows, _: (rows - spread.mean) @ map_to)
    condition = float(np.sqrt(spread.variances[0] / spread.variances[-1])) if spread.rank == vectors.dim else None
    facts = {"method": method, "ridge": float(ridge), "frequency": frequency, "rank": spread.rank}
    return remade(vectors, made, "whiten", {**facts, "condition": condition})


def normalise(vectors: WordVectors, norm: str = "l2") -> WordVectors:
    """Return vectors of length 1; zero vectors stay zero.

    Args:
        vectors: V words.
        norm: "l2" divides by the Euclidean length, "max" by the largest absolute number.

    Raises:
        OptionError: there is no such norm, or the vectors are made of n-grams.
        FormatError: a vector is not finite.
    """
    matrix = matrix_of(vectors)
    order = {"l2": None, "max": np.inf}
    if norm not in order:
        raise OptionError(f"norm={norm!r}: expected l2 or max")
    zeros = 0

    def scaled(rows: Floats, _: slice) -> Floats:
        nonlocal zeros
        lengths = np.linalg.norm(rows, order[norm], axis=1, keepdims=True)
        zeros += int((lengths == 0).sum())
        return rows / np.where(lengths > 0, lengths, 1)

    made = mapped(matrix, vectors.dim, scaled)
    return remade(vectors, made, "normalise", {"norm": norm, "zero_vectors": zeros})


def _spread(vectors: WordVectors, frequency: bool) -> Spread:
    if len(vectors) < 2:
        raise OptionError(f"{len(vectors)} word: expected at least 2, for one alone lies in no direction from the mean")
    return spread_of(vectors.vectors, _shares(vectors) if frequency else None)


def _shares(vectors: WordVectors) -> npt.NDArray[np.float64]:
    counts = vectors.counts
    if counts is None or not counts.sum() > 0:
        raise OptionError("frequency=True: these words have no counts; leave it out, or set them by set_vecattr")
    return np.asarray(counts / counts.sum())
