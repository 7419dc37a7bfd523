"""The direction of a bias, and how much of it neutral words have: direct and indirect bias.

What: definitional pairs (she, he; woman, man) span a direction g. Words that should be neutral, such as professions,
are biased directly by as much as they lie along g; two neutral words are alike by way of the bias as far as their
likeness goes when g is taken out of both.

Objective: with unit vectors w, v and w_perp = w - (w . g) g,

    g            the first principal component of the centred pairs
    direct_c     = 1/|N| sum_{w in N} |cos(w, g)|^c
    beta(w, v)   = ( w . v - (w_perp . v_perp) / (|w_perp| |v_perp|) ) / (w . v)

c = 1 counts every lean, c = 0 counts words that lean at all. beta is the share of a likeness that is owed to g; it may
be negative.

Source: Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, "Man is to computer programmer as woman is to homemaker?",
sections 5.2 (direct bias) and 5.3 (indirect bias), section 6, step 1 (g).

Departures: pairs and words are looked up as they are written, then in lower case.

Cost: that of `directions.axis`, and a product a word.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from firth.bias.query import Coverage, Floats, Measured, Vectors, covered_by, rows_of, units
from firth.bias.word_pairs import Pairing
from firth.directions.axis import Axis, axis
from firth.errors import OptionError


def bias_direction(vectors: Vectors, pairs: Iterable[Sequence[str]], *, name: str | None = None) -> Axis:
    """Return the direction in which definitional pairs differ, towards their second words.

    Args:
        vectors: of words.
        pairs: such as ("she", "he").
        name: of the direction; by default its first pair.

    Raises:
        OptionError: no pair has two words with vectors, or they do not differ.
        FormatError: a vector of theirs is not finite.
    """
    pairing = Pairing.of(vectors, pairs, "definitional pairs")
    return replace(axis(vectors, pairing.used, method="pca", name=name), missing=pairing.missing)


def direct_bias(vectors: Vectors, along: Axis, words: Sequence[str], *, strictness: float = 1.0) -> Measured:
    """Return how far words that should be neutral lean along a direction.

    Args:
        vectors: of words.
        along: the direction.
        words: that should be neutral.
        strictness: c; the greater, the less small leanings count.

    Returns:
        The mean of |cos|^c; `by_word` has the cosine of each, with its sign.

    Raises:
        OptionError: no word has a vector, the direction has another width, or `strictness` is below 0.
        FormatError: the vector of a word is not finite.

    Source:
        Bolukbasi et al. 2016, section 5.2.
    """
    if not 0 <= strictness < np.inf:
        raise OptionError(f"strictness={strictness}: expected a number of at least 0")
    covered = covered_by(vectors, words, "neutral words")
    leaning = units(rows_of(vectors, covered.used)) @ fitting(vectors, along)
    return Measured(
        "direct-bias",
        along.name,
        float((np.abs(leaning) ** strictness).mean()),
        {"neutral words": covered},
        by_word=dict(zip(covered.used, leaning.tolist(), strict=True)),
        facts={"strictness": strictness, "explained": along.explained},
    )


def indirect_bias(vectors: Vectors, along: Axis, word: str, others: Sequence[str]) -> Measured:
    """Return which share of a word's likeness with others is owed to a direction.

    Args:
        vectors: of words.
        along: the direction.
        word: such as "softball".
        others: such as "receptionist", "pitcher".

    Returns:
        The mean of beta; `by_word` has that of each other word: NaN where the two are not alike at all.

    Raises:
        OptionError: a word has no vector, none of the others has, or the direction has another width.
        FormatError: the vector of a word is not finite.

    Source:
        Bolukbasi et al. 2016, section 5.3.
    """
    one, covered = covered_by(vectors, [word], f"word {word!r}"), covered_by(vectors, others, "other words")
    direction = fitting(vectors, along)
    w, v = units(rows_of(vectors, one.used)), units(rows_of(vectors, covered.used))
    whole, left = (v @ w.T)[:, 0], (units(_off(v, direction)) @ units(_off(w, direction)).T)[:, 0]
    shares = np.divide(whole - left, whole, out=np.full(len(whole), np.nan), where=whole != 0)
    return Measured(
        "indirect-bias",
        f"{word}, {along.name}",
        float(shares.mean()),
        {word: Coverage(one.used, ()), "other words": covered},
        by_word=dict(zip(covered.used, shares.tolist(), strict=True)),
    )


def _off(rows: Floats, direction: Floats) -> Floats:
    return np.asarray(rows - np.outer(rows @ direction, direction))


def fitting(vectors: Vectors, along: Axis) -> Floats:
    """Return a direction that vectors can be placed along, (D,).

    Raises:
        OptionError: it has another width than they.
    """
    if vectors.dim != len(along.direction):
        raise OptionError(
            f"a direction of {len(along.direction)} numbers and vectors of {vectors.dim}: expected one width"
        )
    return along.direction
