"""Recovery of bias after debiasing, as a control.

What: words of one side in the original vectors are often still similar after the direction is removed, so that their
side can be predicted. Three tests, each before and after: do two clusters of the most biased words agree with their
sides? Does a classifier predict the side of unseen words? Do a word's neighbours predict its original bias?

Objective: over the n most biased words of each side in the original,

    clusters     the share of the 2n words whose cluster of two agrees with their side; 0.5 is chance
    classifier   the accuracy on held-out words of sign( sum_i alpha_i k(w_i, w) + b ), where
                 k(u, v) = exp(-gamma |u - v|^2); 0.5 is chance
    neighbours   Pearson's r of a word's original bias with the share of its 100 nearest words of the second side

Source: Gonen and Goldberg 2019, "Lipstick on a pig: debiasing methods cover up systematic gender biases in word
embeddings but do not remove them", sections 4 and 5.

Departures: clusters are spherical (`evaluation.categorisation.cluster`) and deterministic. The classifier has the
paper's kernel, with least squares instead of the hinge loss (Suykens and Vandewalle 1999, "Least squares support vector
machine classifiers", equation 21): one linear system, without an iterative solver. gamma is 1 / (D variance), as in
scikit-learn. Neighbours are those of the 2n words instead of professions.

Cost: a linear system of `TRAINED` words; the 100 nearest of 2n words among V.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firth.bias.direction import FREQUENT, BiasedWords, Ints, biased_words
from firth.bias.query import Floats, units
from firth.directions.axis import Axis, project
from firth.errors import OptionError
from firth.evaluation.categorisation import cluster
from firth.randomness import generator
from firth.vectors.neighbours import nearest
from firth.vectors.word_vectors import WordVectors

COUNT = 500  # clustered words per side
CLASSIFIED = 2500  # classified words per side
TRAINED = 1000  # training words of the classifier
NEAREST = 100
MAX_NEAREST_SHARE = 10  # at most one word in ten counts as near
SLACK = 1.0  # scikit-learn's C


@dataclass(frozen=True)
class Recovered:
    """How well the sides of biased words can be recovered.

    Attributes:
        clusters: the share of words whose cluster agrees with their side.
        classifier: the accuracy on words that it has not seen.
        neighbours: the correlation of lean with that of the nearest words.
    """

    clusters: float
    classifier: float
    neighbours: float


@dataclass(frozen=True)
class Recovery:
    """The control, before and after.

    Attributes:
        before: of the original vectors.
        after: of the debiased ones.
        clustered: words of each side that were clustered.
        trained: words that the classifier learned from.
        tested: words that it was asked.
    """

    before: Recovered
    after: Recovered
    clustered: int
    trained: int
    tested: int

    @property
    def row(self) -> dict[str, Any]:
        """The control as JSON has it."""
        return asdict(self)


def recovery(
    before: WordVectors,
    after: WordVectors,
    along: Axis,
    *,
    specific: Iterable[str] = (),
    count: int = COUNT,
    classified: int = CLASSIFIED,
    seed: int = 0,
) -> Recovery:
    """Return how far a bias can be recovered from vectors that were debiased, beside the original ones.

    Args:
        before: the original vectors, the most frequent words first.
        after: the debiased ones, of the same words.
        along: the direction of the bias in the original.
        specific: words that have their side by their meaning, which are not asked.
        count: words of each side that are clustered.
        classified: words of each side that are classified.
        seed: which of these the classifier learns from.

    Raises:
        OptionError: the two have not the same words, or there are no words of one side.
    """
    if before.words != after.words:
        raise OptionError("vectors of other words before and after: expected the same, in the same order")
    protected = list(specific)
    biased = biased_words(before, along, max(count, classified), without=protected)
    clustered, classified_words = (biased.most(min(number, biased.per_side)) for number in (count, classified))
    leaning = project(before, along)
    train = _trained(classified_words, seed)
    figures = [_recovered(vectors, clustered, classified_words, train, leaning) for vectors in (before, after)]
    return Recovery(figures[0], figures[1], clustered.per_side, int(train.sum()), int((~train).sum()))


def clusters_agree(rows: Floats, labels: Ints) -> float:
    """Return the share of rows whose cluster, of two, agrees with their label; at least 0.5.

    Args:
        rows: (n, D).
        labels: (n,) 0 or 1.
    """
    same = float((cluster(rows, 2) == labels).mean())
    return max(same, 1 - same)


def kernel_accuracy(rows: Floats, labels: Ints, train: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    """Return the accuracy of a least-squares support vector machine on rows that it has not seen.

    Args:
        rows: (n, D).
        labels: (n,) 0 or 1.
        train: (n,) which rows it learns from.
    """
    training_rows, signs = rows[train], 2.0 * labels[train] - 1
    gamma = 1 / (rows.shape[1] * max(float(training_rows.var()), np.finfo(np.float64).tiny))
    system = np.ones((len(training_rows) + 1, len(training_rows) + 1))
    system[0, 0] = 0
    system[1:, 1:] = _kernel(training_rows, training_rows, gamma) + np.eye(len(training_rows)) / SLACK
    solved = np.linalg.solve(system, np.append(0, signs))
    scores = _kernel(rows[~train], training_rows, gamma) @ solved[1:] + solved[0]
    return float(((scores > 0) == (labels[~train] == 1)).mean())


def _recovered(
    vectors: WordVectors, clustered: BiasedWords, words: BiasedWords, train: np.ndarray[Any, Any], leaning: Floats
) -> Recovered:
    rows = {lists.per_side: units(vectors.vectors[lists.rows].astype(np.float64)) for lists in (clustered, words)}
    return Recovered(
        clusters_agree(rows[clustered.per_side], clustered.labels),
        kernel_accuracy(rows[words.per_side], words.labels, train),
        _neighbour_correlation(vectors, clustered, leaning),
    )


def _trained(words: BiasedWords, seed: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which words the classifier learns from: a fifth of each side, as 1,000 of 5,000."""
    count = max(1, min(TRAINED // 2, words.per_side // 5))
    random = generator(seed, "recovery")
    train = np.zeros(2 * words.per_side, dtype=bool)
    for start in (0, words.per_side):
        train[start + random.permutation(words.per_side)[:count]] = True
    return train


def _neighbour_correlation(vectors: WordVectors, clustered: BiasedWords, leaning: Floats) -> float:
    size = min(len(vectors), FREQUENT)
    among = vectors.first(size)
    queries = units(among.vectors[clustered.rows].astype(np.float64)).astype(np.float32)
    rows, _ = nearest(among.vectors, among.norms, queries, 1 + min(NEAREST, max(1, size // MAX_NEAREST_SHARE)))
    own = rows == clustered.rows[:, None]
    second = np.where(own, 0, leaning[rows] > 0).sum(axis=1) / np.maximum((~own).sum(axis=1), 1)
    if second.std() == 0 or clustered.bias.std() == 0:
        return 0.0
    return float(np.corrcoef(second, clustered.bias)[0, 1])


def _kernel(rows: Floats, other_rows: Floats, gamma: float) -> Floats:
    squares = (rows**2).sum(axis=1)[:, None] + (other_rows**2).sum(axis=1) - 2 * rows @ other_rows.T
    return np.asarray(np.exp(-gamma * np.maximum(squares, 0)))
