"""Iterative null-space projection (INLP): every direction by which a classifier can tell the bias is taken out.

What: a linear classifier learns to tell words of the one side from those of the other; its direction is taken out of
all vectors; and again, until a classifier does no better than chance on words that it has not seen.

Objective: with unit coefficients q_1, q_2, ... of the classifiers, each orthogonal to those before,

    w <- (I - Q Q') w,    Q = [q_1 .. q_r]

Source: Ravfogel, Elazar, Gonen, Twiton and Goldberg 2020, "Null it out: guarding protected attributes by iterative
nullspace projection", algorithm 1 and section 5.

Departures: two classes, the words that lean most to either side of the definitional pairs; the paper has a third of
words that lean to neither, and linear support vector machines, where logistic regression stands here. Rounds end by
the accuracy on held-out words, or after `rounds`; the paper fixes them. A direction a round is taken out of vectors of
D numbers: how many, the step records.

Cost: r logistic regressions of 2n rows, and one product (V, D) x (D, r).
"""

from collections.abc import Iterable

import numpy as np

from firth.bias.biased_words import biased_words
from firth.bias.direction import bias_direction
from firth.bias.neutralise import Pairs
from firth.bias.query import units
from firth.errors import OptionError
from firth.evaluation.linear import Ints, LogisticRegression, logistic_path, stratified_folds
from firth.postprocess.recorded import Floats, mapped, matrix_of, remade
from firth.vectors.word_vectors import WordVectors

COUNT = 2500  # words of each side
ROUNDS = 35
PENALTY = 1e-4
CHANCE = 0.02  # above the half of a coin that ends the rounds
HELD = 5  # one part in so many is held out


def null_space_projection(
    vectors: WordVectors,
    pairs: Pairs,
    *,
    specific: Iterable[str] = (),
    count: int = COUNT,
    rounds: int | None = None,
    seed: int = 0,
) -> WordVectors:
    """Return vectors in which no linear classifier can tell the two sides of pairs.

    Args:
        vectors: V words, the most frequent first.
        pairs: that define the sides, such as ("she", "he").
        specific: words that no classifier learns from, for they have their side by their meaning; they lose the
            directions all the same.
        count: words of each side that classifiers learn from.
        rounds: directions to take out at most; None is 35, and fewer than the vectors have numbers.
        seed: which words are held out.

    Raises:
        OptionError: no pair has two words with vectors, `rounds` is not from 1 to D - 1, or there are too few words.
        FormatError: a vector is not finite.
    """
    matrix = matrix_of(vectors)
    rounds = min(ROUNDS, vectors.dim - 1) if rounds is None else rounds
    if not 1 <= rounds < vectors.dim:
        raise OptionError(f"rounds={rounds} of vectors of {vectors.dim} numbers: expected fewer, and at least 1")
    biased = biased_words(vectors, bias_direction(vectors, pairs), count, without=specific)
    if biased.each < HELD:
        raise OptionError(f"{biased.each} words of each side: expected at least {HELD} to learn from")
    rows = units(matrix[biased.rows].astype(np.float64))
    removed, accuracies = _directions(rows, biased.labels, rounds, seed)

    def without(block: Floats, _: slice) -> Floats:
        return block - (block @ removed) @ removed.T

    facts = {"directions": removed.shape[1], "words": 2 * biased.each, "accuracies": accuracies}
    return remade(vectors, mapped(matrix, vectors.dim, without), "null-space", facts)


def _directions(rows: Floats, labels: Ints, rounds: int, seed: int) -> tuple[Floats, list[float]]:
    """Return Q (D, r), and the accuracy on held-out words before each direction and after the last."""
    held = stratified_folds(labels, HELD, seed=seed) == 0
    found: list[Floats] = []
    accuracies = []
    while True:
        model = logistic_path(rows[~held], labels[~held], [PENALTY])[0]
        accuracies.append(_accuracy(model, rows[held], labels[held]))
        if len(found) == rounds or (found and accuracies[-1] <= 0.5 + CHANCE):
            return np.stack(found, axis=1), accuracies
        direction = model.coefficients[0].copy()
        for one in found:  # they are orthogonal but for the solver's rounding
            direction -= (direction @ one) * one
        found.append(direction / np.linalg.norm(direction))
        rows = rows - np.outer(rows @ found[-1], found[-1])


def _accuracy(model: LogisticRegression, rows: Floats, labels: Ints) -> float:
    return float((model.predict(rows) == labels).mean())
