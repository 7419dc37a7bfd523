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
from dataclasses import replace

import numpy as np

from firth.bias.query import BiasScore, Coverage, Floats, Vectors, coverage_of, rows_of, units
from firth.bias.word_pairs import KnownPairs
from firth.directions.axis import Axis, axis
from firth.errors import OptionError


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
