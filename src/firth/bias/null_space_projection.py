"""Iterative null-space projection (INLP): remove every direction from which a classifier can predict the bias.

What: a linear classifier learns to distinguish words of the two sides, and its direction is removed from all vectors.
This repeats until a classifier is no better than chance on held-out words.

Objective: with unit coefficients q_1, q_2, ... of the classifiers, each orthogonal to those before,

    w <- (I - Q Q') w,    Q = [q_1 .. q_r]

Source: Ravfogel, Elazar, Gonen, Twiton and Goldberg 2020, "Null it out: guarding protected attributes by iterative
nullspace projection", algorithm 1 and section 5.

Departures: two classes, the most biased words of each side; the paper has a third class of neutral words. Logistic
regression instead of linear support vector machines. The iterations stop by the accuracy on held-out words, or after
`rounds`; the paper fixes their number. Each removes one direction; the metadata has their number.

Cost: r logistic regressions of 2n rows, and one product (V, D) x (D, r).
"""

from collections.abc import Iterable

import numpy as np

from firth.bias.direction import bias_direction, biased_words
from firth.bias.hard_debiasing import Pairs
from firth.bias.query import units
from firth.errors import OptionError
from firth.evaluation.linear import Ints, LogisticRegression, logistic_path
from firth.evaluation.selection import stratified_folds
from firth.postprocess.transforms import Floats, checked_matrix, map_rows, with_matrix
from firth.vectors.word_vectors import WordVectors

COUNT = 2500  # words per side
ROUNDS = 35
PENALTY = 1e-4
MARGIN = 0.02  # accuracy above 0.5 at which the iterations stop
FOLDS = 5  # one fold is held out


def inlp(
    vectors: WordVectors,
    pairs: Pairs,
    *,
    specific: Iterable[str] = (),
    count: int = COUNT,
    rounds: int | None = None,
    seed: int = 0,
) -> WordVectors:
    """Return vectors from which no linear classifier can predict the side of a word.

    Args:
        vectors: V words, the most frequent first.
        pairs: definitional pairs, such as ("she", "he").
        specific: words excluded from training because their meaning includes the side; the directions are removed from
            them too.
        count: training words per side.
        rounds: maximum number of directions to remove; None is 35, but below the dimension of the vectors.
        seed: random seed of the held-out words.

    Raises:
        OptionError: no pair has two known words, `rounds` is not from 1 to D - 1, or there are too few words.
        FormatError: a vector is not finite.
    """
    matrix = checked_matrix(vectors)
    rounds = min(ROUNDS, vectors.dim - 1) if rounds is None else rounds
    if not 1 <= rounds < vectors.dim:
        raise OptionError(
            f"rounds={rounds} with vectors of dimension {vectors.dim}: expected from 1 to {vectors.dim - 1}"
        )
    biased = biased_words(vectors, bias_direction(vectors, pairs), count, without=specific)
    if biased.per_side < FOLDS:
        raise OptionError(f"{biased.per_side} words per side: expected at least {FOLDS} for training")
    rows = units(matrix[biased.rows].astype(np.float64))
    directions, accuracies = _directions(rows, biased.labels, rounds, seed)

    def without(block: Floats, _: slice) -> Floats:
        return block - (block @ directions) @ directions.T

    facts = {"directions": directions.shape[1], "words": 2 * biased.per_side, "accuracies": accuracies}
    return with_matrix(vectors, map_rows(matrix, vectors.dim, without), "null-space", facts)


def _directions(rows: Floats, labels: Ints, rounds: int, seed: int) -> tuple[Floats, list[float]]:
    """Return Q (D, r), and the accuracy on held-out words before each direction and after the last."""
    test = stratified_folds(labels, FOLDS, seed=seed) == 0
    directions: list[Floats] = []
    accuracies = []
    while True:
        model = logistic_path(rows[~test], labels[~test], [PENALTY])[0]
        accuracies.append(_accuracy(model, rows[test], labels[test]))
        if len(directions) == rounds or (directions and accuracies[-1] <= 0.5 + MARGIN):
            return np.stack(directions, axis=1), accuracies
        direction = model.coefficients[0].copy()
        for axis in directions:  # orthogonal up to the solver's rounding
            direction -= (direction @ axis) * axis
        directions.append(direction / np.linalg.norm(direction))
        rows = rows - np.outer(rows @ directions[-1], directions[-1])


def _accuracy(model: LogisticRegression, rows: Floats, labels: Ints) -> float:
    return float((model.predict(rows) == labels).mean())
