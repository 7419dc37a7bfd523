"""The words that lean most to either side of a direction: what some methods learn from, and what the control asks."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.directions.axis import Axis, project
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

Ints = npt.NDArray[np.int64]
AMONG = 50_000  # of the first words, the most frequent: of rare ones vectors say little


@dataclass(frozen=True)
class BiasedWords:
    """Words by their lean.

    Attributes:
        rows: (2n,) rows of words: n of the first pole, the most leaning first, then n of the second.
        leaning: (2n,) their cosines with the direction.
    """

    rows: Ints
    leaning: npt.NDArray[np.float64]

    @property
    def each(self) -> int:
        """How many words there are of each pole."""
        return len(self.rows) // 2

    @property
    def labels(self) -> Ints:
        """(2n,) 0 for the words of the first pole, 1 for those of the second."""
        return np.repeat(np.arange(2), self.each)

    def most(self, count: int) -> "BiasedWords":
        """Return the `count` most leaning words of each pole."""
        kept = np.concatenate([np.arange(count), self.each + np.arange(count)])
        return BiasedWords(self.rows[kept], self.leaning[kept])


def biased_words(
    vectors: WordVectors, along: Axis, count: int, *, without: Iterable[str] = (), among: int = AMONG
) -> BiasedWords:
    """Return the words that lean most to either pole of a direction.

    Args:
        vectors: V words, the most frequent first.
        along: the direction; words that define it are left out.
        count: words of each pole; fewer where a side has fewer.
        without: words to leave out, which have their lean by their meaning.
        among: how many of the first words to look at.

    Raises:
        OptionError: `count` or `among` is below 1, or there are no such words.
    """
    if count < 1 or among < 1:
        raise OptionError(f"count={count} words among={among}: expected at least 1")
    some = vectors.words[:among]
    out = {word for pole in along.poles for word in pole} | set(without)
    leaning = project(vectors.first(min(among, len(vectors))), along)
    open_to = np.array([word not in out and word.lower() not in out for word in some], dtype=bool)
    sides = [np.flatnonzero(open_to & (leaning < 0)), np.flatnonzero(open_to & (leaning > 0))]
    each = min(count, *(len(side) for side in sides))
    if not each:
        raise OptionError("no words lean to one of the poles: expected vectors with more than the words of the pairs")
    order = [np.argsort(leaning[sides[0]], kind="stable"), np.argsort(-leaning[sides[1]], kind="stable")]
    rows = np.concatenate([side[best[:each]] for side, best in zip(sides, order, strict=True)])
    return BiasedWords(rows, leaning[rows])
