"""QVec and QVec-CCA: correlation of vector dimensions with linguistic features of the words.

What: X (n, D) holds the vectors of n words, S (n, M) the weights of M linguistic features of each word, such as
supersenses or parts of speech. Two metrics:

    qvec      sum_i max_j r(X_i, S_j): each column of X is aligned with the column of S that it correlates with most
    qvec-cca  the mean of the canonical correlations of X and S, with rows of length 1 and centred columns

Each column of X is aligned with one feature; a feature may be aligned with many columns. qvec depends on the basis: it
grows with D, rotations change it, and scores for different dimensions are not comparable. qvec-cca is invariant to
rotation but increases with D / n by chance: compare it with its baseline, the same vectors shuffled over the words.

Source: Tsvetkov, Faruqui, Ling, Lample and Dyer 2015, Evaluation of word vector representations by subspace alignment,
section 2; Tsvetkov, Faruqui and Dyer 2016, Correlation-based intrinsic evaluation of word vector representations,
section 3. Influence functions: Devlin, Gnanadesikan and Kettenring 1975 for correlations, Romanazzi 1992 for canonical
correlations.

Departures: as in the authors' programs, every column is aligned, even if its best correlation is negative, and qvec-cca
is the mean of all canonical correlations; the paper takes the first. A constant column has correlation 0 (NaN in their
program). The number of canonical correlations is the smaller of the two ranks; their program takes the number of
columns, so that a linearly dependent column adds a direction of rounding errors. Intervals are first-order: resamples
with repeated words have higher correlations than new samples would.

Cost: n D M for qvec, n (D^2 + M^2) for qvec-cca.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.randomness import generator
from firth.readers.qvec import LinguisticFeatures, read_qvec
from firth.resampling import Linear, Sample
from firth.vectors.cosine import unit

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_SHUFFLES = 10  # shuffles of the baseline; few are enough, because each is a mean over all columns
_ROUNDING = 1e-7  # relative to a vector's length: less variation is float32 rounding


def align(vectors: npt.NDArray[np.floating], features: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.intp], Floats]:
    """Align each dimension of the vectors with the linguistic feature that it correlates with most.

    Args:
        vectors: (n, D), not normalised.
        features: (n, M) of the same words.

    Returns:
        (D,) columns of `features`, the first of equal ones, and (D,) correlations; 0 for constant columns.
    """
    products = _standardise(vectors).T @ _standardise(features)
    return products.argmax(axis=1), products.max(axis=1)


def qvec(vectors: npt.NDArray[np.floating], features: npt.NDArray[np.floating]) -> float:
    """Return QVec: the sum of the correlations of aligned columns.

    Args:
        vectors: (n, D), not normalised.
        features: (n, M) of the same words.

    Returns:
        From -D to D; NaN for fewer than two words.

    Source:
        Tsvetkov et al. 2015, section 2.
    """
    return _linear(QVEC, vectors, features).value


def qvec_cca(vectors: npt.NDArray[np.floating], features: npt.NDArray[np.floating]) -> float:
    """Return QVec-CCA: the mean of the canonical correlations of vectors and features.

    Args:
        vectors: (n, D), of any length; they are normalised.
        features: (n, M) of the same words.

    Returns:
        From 0 to 1; NaN for fewer than two words. With fewer words than columns it is 1 for any vectors.

    Source:
        Tsvetkov et al. 2016, section 3.
    """
    return _linear(CCA, vectors, features).value


def _standardise(matrix: npt.NDArray[np.floating]) -> Floats:
    """Columns centred and scaled to length 1, so that products are correlations; constant columns are zero."""
    centred = matrix - matrix.mean(axis=0, dtype=np.float64)
    lengths = np.linalg.norm(centred, axis=0)
    # a constant column leaves rounding errors
    same = lengths <= 1e-12 * np.abs(matrix).max(axis=0, initial=0) * math.sqrt(len(matrix))
    return np.asarray(np.where(same, 0, centred / np.where(same, 1, lengths)))


def _orthonormal_basis(matrix: npt.NDArray[np.floating]) -> Floats:
    """Orthonormal basis of the column space, with rows of length 1 and centred columns, (n, rank)."""
    rows = unit(matrix.astype(np.float64))
    columns = rows - rows.mean(axis=0)
    for _ in range(2):  # one pass leaves the squared rounding error of the shortest direction
        squares, axes = np.linalg.eigh(columns.T @ columns)
        mask = squares > _ROUNDING**2 * len(rows)
        columns = columns @ (axes[:, mask] / np.sqrt(squares[mask]))
    return np.asarray(columns)


Correlated = tuple[Floats, Floats, Floats]  # (d,) correlations, and the weights of both sides: (D, d) and (M, d)


def _aligned(products: Floats) -> Correlated:
    best = products.argmax(axis=1)
    return products.max(axis=1), np.eye(len(products)), np.eye(products.shape[1])[:, best]


def _canonical(products: Floats) -> Correlated:
    left, correlations, right = np.linalg.svd(products, full_matrices=False)
    return np.minimum(correlations, 1), left, right.T  # rounding can exceed 1


@dataclass(frozen=True)
class _QVecMetric:
    """A metric of this module.

    Attributes:
        prepare: maps a matrix to columns of mean 0 and length 1.
        match: maps the products of both sides' columns to correlated pairs of directions.
        mean: whether correlations are averaged instead of summed.
    """

    name: str
    prepare: Callable[[npt.NDArray[np.floating]], Floats]
    match: Callable[[Floats], Correlated]
    mean: bool

    def value(self, x: Floats, s: Floats) -> float:
        correlations = self.match(x.T @ s)[0]
        return float(correlations.mean() if self.mean and len(correlations) else correlations.sum())

    def linear(self, x: Floats, s: Floats) -> Linear:
        """The value and the influence of each word; matched pairs are kept, which is exact to first order."""
        correlations, left, right = self.match(x.T @ s)
        x_left, s_right = x @ left, s @ right
        influence = len(x) * (x_left * s_right - correlations / 2 * (x_left**2 + s_right**2)).sum(axis=1)
        total, share = correlations.sum(), 1 / max(len(correlations), 1) if self.mean else 1
        return Linear(float(total * share), influence * share)


QVEC = _QVecMetric("qvec", _standardise, _aligned, mean=False)
CCA = _QVecMetric("qvec-cca", _orthonormal_basis, _canonical, mean=True)


def _linear(metric: _QVecMetric, vectors: npt.NDArray[np.floating], features: npt.NDArray[np.floating]) -> Linear:
    if len(vectors) < 2:
        return Linear(math.nan, np.zeros(len(vectors)))
    return metric.linear(metric.prepare(vectors), metric.prepare(features))


@as_suite("qvec", ("supersenses", "ptb-tags"), read_qvec)
def suite(space: Space, gold: LinguisticFeatures, options: EvaluationOptions) -> list[Score]:
    """Correlation of vector dimensions with linguistic features: QVec and QVec-CCA."""
    vectors, covered_mask = space.lookup(gold.words, normalize=False)
    mask = options.counted(covered_mask)
    return [_score(metric, vectors, gold.matrix, covered_mask, mask, options.seed) for metric in (QVEC, CCA)]


def _score(
    metric: _QVecMetric, vectors: npt.NDArray[np.floating], features: Floats, covered: Mask, mask: Mask, seed: int
) -> Score:
    vectors, features = vectors[mask], features[mask]
    if len(vectors) < 2:
        linear, chance = Linear(math.nan, np.zeros(len(vectors))), None
    else:
        x, s = metric.prepare(vectors), metric.prepare(features)
        linear, chance = metric.linear(x, s), _by_chance(metric, x, s, seed)
    return Score(
        metric=metric.name,
        sample=Sample(mask, linear, lambda subset: _linear(metric, vectors[subset], features[subset])),
        covered=int(covered.sum()),
        total=len(covered),
        baseline=chance,
        baseline_name="random",
    )


def _by_chance(metric: _QVecMetric, x: Floats, s: Floats, seed: int) -> float:
    """The mean value for shuffled words; x and s are prepared."""
    random = generator(seed, "shuffled words")
    return float(np.mean([metric.value(x, random.permutation(s)) for _ in range(_SHUFFLES)]))
