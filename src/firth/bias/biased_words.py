"""The most biased words of each side of a direction, for methods that learn from them and for the control."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.directions.axis import Axis, project
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

Ints = npt.NDArray[np.int64]
FREQUENT = 50_000  # number of most frequent words considered


@dataclass(frozen=True)
class BiasedWords:
    """The most biased words.

    Attributes:
        rows: (2n,) rows of words: n of the first pole, the most biased first, then n of the second.
        bias: (2n,) their cosines with the direction.
    """

    rows: Ints
    bias: npt.NDArray[np.float64]

    @property
    def per_side(self) -> int:
        """Number of words per pole."""
        return len(self.rows) // 2

    @property
    def labels(self) -> Ints:
        """(2n,) 0 for words of the first pole, 1 for those of the second."""
        return np.repeat(np.arange(2), self.per_side)

    def most(self, count: int) -> "BiasedWords":
        """Return the `count` most biased words of each pole."""
        rows = np.concatenate([np.arange(count), self.per_side + np.arange(count)])
        return BiasedWords(self.rows[rows], self.bias[rows])


def biased_words(
    vectors: WordVectors, along: Axis, count: int, *, without: Iterable[str] = (), among: int = FREQUENT
) -> BiasedWords:
    """Return the words with the greatest components towards each pole of a direction.

    Args:
        vectors: V words, the most frequent first.
        along: the direction; words that define it are excluded.
        count: words per pole; fewer if a pole has fewer.
        without: words to exclude because their meaning includes the bias.
        among: number of words considered, from the first.
    """
    if count < 1 or among < 1:
        raise OptionError(f"count={count} words among={among}: expected at least 1")
    words = vectors.words[:among]
    excluded = {word for pole in along.poles for word in pole} | set(without)
    bias = project(vectors.first(min(among, len(vectors))), along)
    included = np.array([word not in excluded and word.lower() not in excluded for word in words], dtype=bool)
    sides = [np.flatnonzero(included & (bias < 0)), np.flatnonzero(included & (bias > 0))]
    count_per_side = min(count, *(len(side) for side in sides))
    if not count_per_side:
        raise OptionError("no words towards one of the poles: expected vectors with more words than those of the pairs")
    order = [np.argsort(bias[sides[0]], kind="stable"), np.argsort(-bias[sides[1]], kind="stable")]
    rows = np.concatenate([side[best[:count_per_side]] for side, best in zip(sides, order, strict=True)])
    return BiasedWords(rows, bias[rows])
