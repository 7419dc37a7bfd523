"""Semantic axes: a direction between two poles, and vectors without their component along it.

What: pairs of words that differ in one property (cold and hot, she and he) define a direction. A word's cosine with it
shows to which pole the word is nearer. Removing the component along the direction makes words neutral.

Objective: with every vector at length 1, for pairs (a_i, b_i), i = 1 .. n,

    mean    d = sum_i (b_i - a_i) / n
    pca     d = the first principal component of the 2n vectors a_i - m_i and b_i - m_i,    m_i = (a_i + b_i) / 2

normalised to length 1 and pointing to the b's. For unpaired poles, d is the mean of the b's minus the mean of the a's.
The projection of a word is cos(w, d); its neutral vector is w' = w - sum_j (w . d_j) d_j, for orthonormal d_j.

Source: Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, "Man is to computer programmer as woman is to homemaker?",
section 6, step 1 (pca) and step 2a (neutralise); Kozlowski, Taddy and Evans 2019, "The geometry of culture", for axes
as the mean of differences; An, Kwak and Ahn 2018, "SemAxis", for unpaired poles.

Departures: pairs with unknown words are skipped and listed in the result. Neutral vectors are not normalised again; the
paper does so, as `postprocess.normalise` can.

Cost: n D for an axis from differences, (2n) D min(2n, D) for a principal component, V D to project or neutralise.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief_repr
from firth.postprocess.transforms import checked_matrix, map_rows, with_matrix
from firth.vectors.cosine import unit
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Floats = npt.NDArray[np.float64]
Pair = tuple[str, str]
Vectors = WordVectors | SubwordVectors
Method = Literal["mean", "pca"]
LEAST = 1e-9  # minimum length of a difference of unit vectors that has a direction


@dataclass(frozen=True)
class Axis:
    """A direction between two poles.

    Attributes:
        direction: (D,) float64 of length 1, towards the second pole.
        poles: the words of the first and the second pole.
        missing: input words without a vector.
        explained: share of the pairs' variance along the direction; None except for method "pca".
        name: a name such as "cold → hot".
    """

    direction: Floats
    poles: tuple[tuple[str, ...], tuple[str, ...]]
    missing: tuple[str, ...] = ()
    explained: float | None = None
    name: str = ""

    __repr__ = brief_repr


def axis(vectors: Vectors, pairs: Iterable[Pair], *, method: Method = "mean", name: str | None = None) -> Axis:
    """Return the direction in which the second words of pairs differ from the first.

    Args:
        vectors: word vectors.
        pairs: such as [("cold", "hot"), ("cool", "warm")]; pairs with unknown words are skipped.
        method: "mean" of the differences, or "pca": the first principal component of the pairs, each centred.
        name: name of the axis; by default its first pair.

    Raises:
        OptionError: `method` is unknown, an element is not a pair of different words, no pair has two vectors, or the
            poles have the same vector.
        FormatError: a vector of theirs is not finite.

    Source:
        Kozlowski et al. 2019 ("mean"); Bolukbasi et al. 2016, section 6, step 1 ("pca").
    """
    if method not in get_args(Method):
        raise OptionError(f"method {method!r}: expected one of {', '.join(get_args(Method))}")
    pairs = [_checked(pair) for pair in pairs]
    present = [pair for pair in pairs if all(word in vectors for word in pair)]
    missing = _missing(vectors, [word for pair in pairs for word in pair])
    if not present:
        raise OptionError(f"none of {len(pairs)} pairs has two words with vectors; unknown: {_few(missing)}")
    first, second = (tuple(side) for side in zip(*present, strict=True))
    a, b = _rows(vectors, first), _rows(vectors, second)
    difference = (b - a).mean(axis=0)
    direction, explained = (difference, None) if method == "mean" else _component(b - a)
    what = f"{first[0]} → {second[0]}" if name is None else name
    return Axis(_scaled(direction, what), (first, second), missing, explained, what)


def axis_between(
    vectors: Vectors, first: str | Sequence[str], second: str | Sequence[str], *, name: str | None = None
) -> Axis:
    """Return the direction from one pole to another, each a word or a list of words that are averaged.

    Args:
        vectors: word vectors.
        first: the pole of negative projections.
        second: the pole of positive projections.
        name: name of the axis; by default the first words of both poles.

    Raises:
        OptionError: a pole has no words, or both poles have the same vector.
        UnknownWordError: no word of a pole has a vector.
        FormatError: a vector of theirs is not finite.

    Source:
        An et al. 2018, section 3.
    """
    poles = [[pole] if isinstance(pole, str) else list(dict.fromkeys(pole)) for pole in (first, second)]
    if not all(poles):
        raise OptionError("a pole has no words: expected a word or a list of words for each pole")
    sides = []
    for words in poles:
        sides.append(tuple(word for word in words if word in vectors))
        if not sides[-1]:
            raise vectors.lexicon.unknown(words[0])
    ends = [_rows(vectors, words).mean(axis=0) for words in sides]
    what = " → ".join(words[0] for words in poles) if name is None else name
    return Axis(
        _scaled(ends[1] - ends[0], what), (sides[0], sides[1]), _missing(vectors, [*poles[0], *poles[1]]), None, what
    )


def project(vectors: Vectors, along: Axis, words: Sequence[str] | None = None) -> Floats:
    """Return the projections of words onto an axis.

    Args:
        vectors: word vectors of the axis's dimension.
        along: the axis.
        words: n words; None is every word.

    Returns:
        (n,) cosines; positive ones are nearer to the second pole. A zero vector has 0.

    Raises:
        OptionError: the dimensions differ.
        UnknownWordError: a word has no vector.
    """
    _check_width(vectors, along.direction)
    rows = vectors.vectors if words is None else vectors.get_vector(list(words))
    products = np.asarray(rows, dtype=np.float64) @ along.direction
    lengths = np.linalg.norm(np.asarray(rows, dtype=np.float64), axis=1)
    return np.asarray(products / np.where(lengths > 0, lengths, 1.0))


def neutralise(vectors: WordVectors, axes: Axis | Sequence[Axis], words: Iterable[str] | None = None) -> WordVectors:
    """Remove the components of vectors along one or several axes.

    Args:
        vectors: vectors of V words.
        axes: one or several axes, which need not be orthogonal.
        words: words to change; None is every word. Unknown words are skipped.

    Raises:
        OptionError: there is no axis, or the dimensions differ.
        FormatError: a vector is not finite.

    Source:
        Bolukbasi et al. 2016, section 6, step 2a.
    """
    directions = [axes] if isinstance(axes, Axis) else list(axes)
    if not directions:
        raise OptionError("no axis to remove: give at least one")
    for axis in directions:
        _check_width(vectors, axis.direction)
    base, _ = np.linalg.qr(np.stack([axis.direction for axis in directions], axis=1))  # (D, k)
    matrix = checked_matrix(vectors)
    row_of = vectors.key_to_index
    mask = np.ones(len(vectors), dtype=bool)
    if words is not None:
        mask[:] = False
        mask[[row_of[word] for word in words if word in row_of]] = True

    def without(rows: Floats, part: slice) -> Floats:
        return rows - np.where(mask[part, None], (rows @ base) @ base.T, 0.0)

    facts: dict[str, Any] = {"axes": [axis.name for axis in directions], "words": int(mask.sum())}
    return with_matrix(vectors, map_rows(matrix, vectors.dim, without), "neutralise", facts)


def _checked(pair: Pair) -> Pair:
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise OptionError(f"pair {pair!r}: expected two different words")
    return pair[0], pair[1]


def _missing(vectors: Vectors, words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys(words) if word not in vectors)


def _few(words: Sequence[str]) -> str:
    return ", ".join(words[:5]) + (" ..." if len(words) > 5 else "") if words else "none"


def _rows(vectors: Vectors, words: Sequence[str]) -> Floats:
    rows = np.asarray(vectors.get_vector(list(words)), dtype=np.float64)
    bad = ~np.isfinite(rows).all(axis=1)
    if bad.any():
        raise FormatError(f"the vector of {words[int(bad.argmax())]!r} is not finite; train or load it again")
    return np.asarray(unit(rows), dtype=np.float64)


def _component(differences: Floats) -> tuple[Floats, float]:
    """Return the first principal component of the centred pairs, and its share of their variance.

    A centred pair is -d/2 and d/2 for the pair's difference d, so that the 2n vectors have the directions of the n
    differences, and half of their squared values.
    """
    _, values, directions = np.linalg.svd(differences, full_matrices=False)
    total = float((values**2).sum())
    first = directions[0] * (1.0 if differences.sum(axis=0) @ directions[0] >= 0 else -1.0)
    return first * values[0], float(values[0] ** 2) / total if total else 0.0


def _scaled(direction: Floats, what: str) -> Floats:
    length = float(np.linalg.norm(direction))
    if length < LEAST:
        raise OptionError(f"the poles of {what} have the same vector; expected different ones")
    return np.asarray(direction / length)


def _check_width(vectors: Vectors, direction: Floats) -> None:
    if vectors.dim != len(direction):
        raise OptionError(
            f"an axis of dimension {len(direction)}, vectors of dimension {vectors.dim}: expected equal ones"
        )
