"""Hard debiasing: neutralise words along the bias direction and equalise pairs.

What: every neutral word gets a zero component along the bias direction g. Both words of each pair that should differ in
g alone (grandmother, grandfather) are moved to equal distances from zero, so that every neutral word is equally similar
to both.

Objective: with unit vectors,

    neutralise   w <- (w - (w . g) g) / |w - (w . g) g|                       for each neutral word
    equalise     nu = (a + b)/2 without its component along g,  z = sqrt(1 - |nu|^2)
                 a <- nu + z s g,   b <- nu - z s g,   s the sign of (a - b) . g

Source: Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, "Man is to computer programmer as woman is to homemaker?",
section 6, step 2a.

Departures: words of the pairs, including definitional ones, are never neutralised, even if not listed as specific:
nothing would be left to equalise. Pairs are equalised as written and in lower, title and upper case, as in the authors'
program; a word in two pairs goes with the first. The direction is removed, but most of the bias remains (Gonen and
Goldberg 2019): `bias.recovery` measures it.

Cost: one pass over (V, D) to neutralise, two to normalise.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from firth.bias.direction import bias_direction, direction_for
from firth.bias.query import row_of, rows_of, units
from firth.bias.word_pairs import KnownPairs
from firth.directions.axis import Axis, neutralise
from firth.postprocess.linear import normalise
from firth.postprocess.transforms import checked_matrix, with_matrix
from firth.vectors.word_vectors import WordVectors

Pairs = Iterable[Sequence[str]]


def hard_debias(
    vectors: WordVectors, pairs: Pairs, *, equalise_pairs: Pairs | None = None, specific: Iterable[str] = ()
) -> WordVectors:
    """Return normalised vectors whose neutral words have no component along the bias direction.

    Args:
        vectors: V words.
        pairs: definitional pairs, such as ("she", "he").
        equalise_pairs: pairs that should differ in the direction alone; None is the definitional ones.
        specific: words that keep the direction because it is part of their meaning, such as "queen"; words of pairs
            need not be listed.

    Raises:
        OptionError: no definitional pair, or no pair to equalise, has two known words.
        FormatError: a vector is not finite.
    """
    pairs = list(pairs)
    checked_matrix(vectors)  # report NaN before computing anything
    along = bias_direction(vectors, pairs)
    return debias_along(vectors, along, pairs, list(pairs if equalise_pairs is None else equalise_pairs), specific)


def debias_along(
    vectors: WordVectors,
    along: Axis,
    pairs: Sequence[Sequence[str]],
    equalise_pairs: Sequence[Sequence[str]],
    specific: Iterable[str],
) -> WordVectors:
    """Hard debiasing along a known direction; arguments of `hard_debias`."""
    equal = KnownPairs.of(vectors, with_case_variants(equalise_pairs), "pairs to equalise")
    excluded = {*KnownPairs.of(vectors, with_case_variants(pairs), "definitional pairs").words, *equal.words, *specific}
    neutral = [word for word in vectors.words if word not in excluded]
    neutralised = normalise(neutralise(normalise(vectors), along, neutral))
    return equalise(neutralised, along, equalise_pairs)


def equalise(vectors: WordVectors, along: Axis, pairs: Iterable[Sequence[str]]) -> WordVectors:
    """Return vectors in which the words of each pair differ along a direction alone, symmetrically.

    Args:
        vectors: V words.
        along: the bias direction.
        pairs: such as ("grandmother", "grandfather"); their vectors get length 1.

    Raises:
        OptionError: no pair has two known words, or the dimensions differ.
        FormatError: a vector is not finite.
    """
    originals = list(pairs)
    g = direction_for(vectors, along)
    pairing = KnownPairs.of(vectors, with_case_variants(originals), "pairs to equalise")
    disjoint = _disjoint(pairing.used)
    matrix = checked_matrix(vectors).copy()
    a, b = (units(rows_of(vectors, side)) for side in zip(*disjoint, strict=True))
    middle = (a + b) / 2
    middle -= np.outer(middle @ g, g)
    out = np.sqrt(np.maximum(1 - (middle**2).sum(axis=1), 0)) * np.where((a - b) @ g < 0, -1.0, 1.0)
    for side, sign in ((0, 1.0), (1, -1.0)):
        matrix[[row_of(vectors, pair[side]) for pair in disjoint]] = middle + sign * np.outer(out, g)
    facts = {"axis": along.name, "pairs": len(disjoint), "overlapping": len(pairing.used) - len(disjoint)}
    return with_matrix(vectors, matrix, "equalise", {**facts, "unknown_words": _unknown(vectors, originals)})


def with_case_variants(pairs: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """Return pairs as written, then in lower, title and upper case."""
    originals = list(pairs)
    forms = [originals] + [
        [[form(word) for word in pair] for pair in originals] for form in (str.lower, str.title, str.upper)
    ]
    return [pair for variants in forms for pair in variants if variants is originals or pair[0] != pair[1]]


def _disjoint(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs without a word of an earlier one."""
    words: set[str] = set()
    disjoint = []
    for pair in pairs:
        if words.isdisjoint(pair):
            disjoint.append(pair)
            words.update(pair)
    return disjoint


def _unknown(vectors: WordVectors, pairs: Sequence[Sequence[str]]) -> list[str]:
    return list(KnownPairs.of(vectors, pairs, "pairs to equalise").missing)
