"""The vectors of the texts of a set: of an encoder, or averages of word vectors in two weightings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.evaluation.suite import Space, TextSpace
from firth.sentences.averages import WEIGHTINGS, SentenceAverages, shared_direction
from firth.text.inputs import Text, token_lists
from firth.text.tokenise import tokeniser
from firth.vectors.averages import SMOOTHING, along, smooth_weights, weighted_averages, word_bags
from firth.vectors.cosine import Matrix

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class TextRows:
    """The vectors of n texts.

    Attributes:
        weighting: "mean" or "sif" for averages of word vectors; "" for an encoder.
        rows: (n, D).
        encoded: (n,) which texts have a known word; of an encoder, which vectors are not zero.
        shared: whether the direction that the vectors of training texts share is to be removed, as in SIF.
    """

    weighting: str
    rows: Matrix
    encoded: Mask
    shared: bool = False

    def metric(self, name: str) -> str:
        """Return the name of a metric with the weighting."""
        return f"{name}, {self.weighting}" if self.weighting else name

    def without_shared(self, train: Mask) -> Matrix:
        """Return the rows without the direction that training rows share, if it is to be removed.

        Args:
            train: (n,) training rows; with too few of them the direction is kept, with a warning.
        """
        return remove_shared(self.rows, train & self.encoded) if self.shared else self.rows


def remove_shared(rows: Matrix, train: Mask) -> Matrix:
    """Return rows without the common direction of training rows; with too few of them it is kept, with a warning.

    Args:
        rows: (n, D).
        train: (n,) which rows are training rows.
    """
    if not rows[train].any():  # no text has a known word
        return rows
    direction = shared_direction([rows[train]])
    return rows if direction is None else rows - along(rows, direction)


def text_rows(space: Space | TextSpace, texts: Sequence[Text]) -> list[TextRows]:
    """Return the vectors of texts: one set of an encoder, two of word vectors.

    Args:
        texts: n texts, each a string or its tokens.
    """
    if isinstance(space, TextSpace):
        rows = space.encode(texts)
        return [TextRows("", rows, np.asarray(rows.any(axis=1)))]
    saved = SentenceAverages.from_metadata(space.vectors)
    split = tokeniser(SentenceAverages(space.vectors).tokens if saved is None else saved.tokens)
    words, bags = word_bags(token_lists(texts, split))
    matrix, known_words = space.lookup(words, normalize=False)
    has_words = np.asarray(bags @ known_words.astype(np.float32) > 0)
    by_weighting = []
    for weighting in WEIGHTINGS:
        weights, shared = known_words.astype(np.float64), weighting == "sif"
        if shared:
            smoothing = SMOOTHING if saved is None else saved.smoothing
            weights = weights * smooth_weights(space.vectors, space.rows(words), smoothing)
        averages = weighted_averages(bags, matrix, weights, known_words)
        if shared and saved is not None and saved.direction is not None:
            averages, shared = averages - along(averages, saved.direction), False
        by_weighting.append(TextRows(weighting, averages, has_words, shared))
    return by_weighting
