"""The bias direction, direct bias and indirect bias.

What: definitional pairs (she, he; woman, man) define a direction g. Direct bias is how far words that should be
neutral, such as professions, lie along g. Indirect bias is the share of the similarity of two neutral words that
disappears when g is removed from both.

Objective: with unit vectors w, v and w_perp = w - (w . g) g,

    g            the first principal component of the centred pairs
    direct_c     = 1/|N| sum_{w in N} |cos(w, g)|^c
    beta(w, v)   = ( w . v - (w_perp . v_perp) / (|w_perp| |v_perp|) ) / (w . v)

With c = 1 the mean is linear in the cosines; c = 0 counts the words with any component. beta is the share of a
similarity that is due to g; it may be negative.

Source: Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, "Man is to computer programmer as woman is to homemaker?",
sections 5.2 (direct bias) and 5.3 (indirect bias), section 6, step 1 (g).

Departures: pairs and words are looked up as written, then in lower case.

Cost: that of `directions.axis`, and one product per word.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from firth.bias.query import BiasScore, Coverage, Floats, Vectors, coverage_of, rows_of, units
from firth.bias.word_pairs import KnownPairs
from firth.directions.axis import Axis, axis, project
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors


def bias_direction(vectors: Vectors, pairs: Iterable[Sequence[str]], *, name: str | None = None) -> Axis:
    """Return the direction from the first to the second words of definitional pairs.

    Args:
        vectors: the vectors.
        pairs: such as ("she", "he").
        name: name of the direction; by default its first pair.

    Raises:
        OptionError: no pair has two known words, or their vectors do not differ.
        FormatError: the vector of a word is not finite.
    """
    pairing = KnownPairs.of(vectors, pairs, "definitional pairs")
    return replace(axis(vectors, pairing.used, method="pca", name=name), missing=pairing.missing)


def direct_bias(vectors: Vectors, along: Axis, words: Sequence[str], *, strictness: float = 1.0) -> BiasScore:
    """Return direct bias: how far words that should be neutral lie along a direction.

    Args:
        vectors: the vectors.
        along: the bias direction.
        words: words that should be neutral.
        strictness: c; with greater values, small cosines count less.

    Returns:
        The mean of |cos|^c; `by_word` has the signed cosine of each word.

    Raises:
        OptionError: no word has a vector, the dimensions differ, or `strictness` is below 0.
        FormatError: the vector of a word is not finite.

    Source:
        Bolukbasi et al. 2016, section 5.2.
    """
    if not 0 <= strictness < np.inf:
        raise OptionError(f"strictness={strictness}: expected a number of at least 0")
    covered = coverage_of(vectors, words, "neutral words")
    components = units(rows_of(vectors, covered.used)) @ direction_for(vectors, along)
    return BiasScore(
        "direct-bias",
        along.name,
        float((np.abs(components) ** strictness).mean()),
        {"neutral words": covered},
        by_word=dict(zip(covered.used, components.tolist(), strict=True)),
        facts={"strictness": strictness, "explained": along.explained},
    )


def indirect_bias(vectors: Vectors, along: Axis, word: str, other_words: Sequence[str]) -> BiasScore:
    """Return indirect bias: the share of a word's similarity with others that is due to a direction.

    Args:
        vectors: the vectors.
        along: the bias direction.
        word: such as "softball".
        other_words: such as "receptionist", "pitcher".

    Returns:
        The mean of beta; `by_word` has that of each other word, NaN where the cosine is 0.

    Raises:
        OptionError: the word or all others have no vector, or the dimensions differ.
        FormatError: the vector of a word is not finite.

    Source:
        Bolukbasi et al. 2016, section 5.3.
    """
    word_coverage, covered = (
        coverage_of(vectors, [word], f"word {word!r}"),
        coverage_of(vectors, other_words, "other words"),
    )
    direction = direction_for(vectors, along)
    w, v = units(rows_of(vectors, word_coverage.used)), units(rows_of(vectors, covered.used))
    total, rest = (v @ w.T)[:, 0], (units(_remove(v, direction)) @ units(_remove(w, direction)).T)[:, 0]
    shares = np.divide(total - rest, total, out=np.full(len(total), np.nan), where=total != 0)
    return BiasScore(
        "indirect-bias",
        f"{word}, {along.name}",
        float(shares.mean()),
        {word: Coverage(word_coverage.used, ()), "other words": covered},
        by_word=dict(zip(covered.used, shares.tolist(), strict=True)),
    )


def _remove(rows: Floats, direction: Floats) -> Floats:
    return np.asarray(rows - np.outer(rows @ direction, direction))


def direction_for(vectors: Vectors, along: Axis) -> Floats:
    """Return the direction of an axis, (D,)."""
    if vectors.dim != len(along.direction):
        raise OptionError(
            f"a direction of {len(along.direction)} numbers and vectors of {vectors.dim}: expected equal dimensions"
        )
    return along.direction


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
