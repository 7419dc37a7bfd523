"""Hard debiasing: words that should be neutral lose a direction, pairs keep it in equal shares.

What: along the direction g of a bias, every neutral word is moved to zero, and of every pair that should differ in g
alone (grandmother, grandfather) both words are moved to equal distances from zero: each neutral word is then equally
near to both.

Objective: with unit vectors,

    neutralise   w <- (w - (w . g) g) / |w - (w . g) g|                       for each neutral word
    equalise     nu = (a + b)/2 less its part along g,  z = sqrt(1 - |nu|^2)
                 a <- nu + z s g,   b <- nu - z s g,   s the sign of (a - b) . g

Source: Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, "Man is to computer programmer as woman is to homemaker?",
section 6, step 2a.

Departures: words of the pairs, definitional ones too, are never neutralised, whether listed as specific or not: nothing
would be left to equalise. Pairs are equalised as they are written and in lower, title and upper case, as the authors'
program does; a word of two pairs goes with the first. What remains is measured by `bias.recovery`: the direction is
gone, and most of the bias is not (Gonen and Goldberg 2019).

Cost: one pass over (V, D) to neutralise, two to bring vectors to length 1.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from firth.bias.direction import bias_direction, fitting
from firth.bias.query import row_of, rows_of, units
from firth.bias.word_pairs import Pairing
from firth.directions.axis import Axis, neutralise
from firth.postprocess.linear import normalise
from firth.postprocess.recorded import matrix_of, remade
from firth.vectors.word_vectors import WordVectors

Pairs = Iterable[Sequence[str]]


def hard_debias(
    vectors: WordVectors, pairs: Pairs, *, equalise_pairs: Pairs | None = None, specific: Iterable[str] = ()
) -> WordVectors:
    """Return vectors of length 1 whose neutral words have nothing along the direction of definitional pairs.

    Args:
        vectors: V words.
        pairs: that define the direction, such as ("she", "he").
        equalise_pairs: that should differ in it alone; None is the definitional ones.
        specific: words that keep the direction, for they have it by their meaning, such as "queen"; words of pairs need
            not be named.

    Raises:
        OptionError: no definitional pair, or none to equalise, has two words with vectors.
        FormatError: a vector is not finite.
    """
    listed = list(pairs)
    matrix_of(vectors)  # NaN anywhere is reported before anything is made
    along = bias_direction(vectors, listed)
    return hardened(vectors, along, listed, list(listed if equalise_pairs is None else equalise_pairs), specific)


def hardened(
    vectors: WordVectors,
    along: Axis,
    pairs: Sequence[Sequence[str]],
    equalise_pairs: Sequence[Sequence[str]],
    specific: Iterable[str],
) -> WordVectors:
    """Return vectors neutralised and equalised along a direction that is known; arguments of `hard_debias`."""
    equal = Pairing.of(vectors, in_all_cases(equalise_pairs), "pairs to equalise")
    spared = {*Pairing.of(vectors, in_all_cases(pairs), "definitional pairs").words, *equal.words, *specific}
    neutral = [word for word in vectors.words if word not in spared]
    made = normalise(neutralise(normalise(vectors), along, neutral))
    return equalise(made, along, equalise_pairs)


def equalise(vectors: WordVectors, along: Axis, pairs: Iterable[Sequence[str]]) -> WordVectors:
    """Return vectors in which the words of each pair differ along a direction alone, in equal shares.

    Args:
        vectors: V words.
        along: the direction.
        pairs: such as ("grandmother", "grandfather"); their vectors come back with length 1.

    Raises:
        OptionError: no pair has two words with vectors, or the direction has another width.
        FormatError: a vector is not finite.
    """
    listed = list(pairs)
    g = fitting(vectors, along)
    pairing = Pairing.of(vectors, in_all_cases(listed), "pairs to equalise")
    apart = _apart(pairing.used)
    matrix = matrix_of(vectors).copy()
    a, b = (units(rows_of(vectors, side)) for side in zip(*apart, strict=True))
    middle = (a + b) / 2
    middle -= np.outer(middle @ g, g)
    out = np.sqrt(np.maximum(1 - (middle**2).sum(axis=1), 0)) * np.where((a - b) @ g < 0, -1.0, 1.0)
    for side, sign in ((0, 1.0), (1, -1.0)):
        matrix[[row_of(vectors, pair[side]) for pair in apart]] = middle + sign * np.outer(out, g)
    facts = {"axis": along.name, "pairs": len(apart), "overlapping": len(pairing.used) - len(apart)}
    return remade(vectors, matrix, "equalise", {**facts, "unknown_words": _unknown(vectors, listed)})


def in_all_cases(pairs: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """Return pairs as they are written, then in lower, title and upper case."""
    listed = list(pairs)
    forms = [listed] + [
        [[form(word) for word in pair] for pair in listed] for form in (str.lower, str.title, str.upper)
    ]
    return [pair for some in forms for pair in some if some is listed or pair[0] != pair[1]]


def _apart(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs that have no word in common with one before them."""
    taken: set[str] = set()
    kept = []
    for pair in pairs:
        if taken.isdisjoint(pair):
            kept.append(pair)
            taken.update(pair)
    return kept


def _unknown(vectors: WordVectors, pairs: Sequence[Sequence[str]]) -> list[str]:
    return list(Pairing.of(vectors, pairs, "pairs to equalise").missing)
