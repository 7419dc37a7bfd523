"""The ways to debias by their names, all asked alike: vectors, lists of words, and a few options."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firth.bias import word_lists
from firth.bias.double_hard import double_hard_debias
from firth.bias.half_sibling import half_sibling_regression
from firth.bias.neutralise import hard_debias
from firth.bias.null_space import null_space_projection
from firth.bias.word_pairs import Pair, Pairing
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Lists:
    """What a bias is about.

    Attributes:
        pairs: that define its direction, such as ("she", "he").
        equalise_pairs: that should differ in it alone; None is the same pairs.
        specific: words that have it by their meaning, such as "queen", and keep it.
        neutral: words that should not have it, such as professions: what direct bias is measured on.
    """

    pairs: Sequence[Pair]
    equalise_pairs: Sequence[Pair] | None = None
    specific: Sequence[str] = ()
    neutral: Sequence[str] = ()

    @classmethod
    def of_gender(cls, data: str | os.PathLike[str] | None = None) -> "Lists":
        """Return the lists of Bolukbasi et al. 2016; the professions that are neutral are those not specific.

        Args:
            data: a folder of local copies of the named sets; without it FIRTH_DATA, or a download.

        Raises:
            DataError: a named set cannot be had.
        """
        found = cls(
            word_lists.definitional_pairs(data), word_lists.equalize_pairs(data), word_lists.gender_specific(data)
        )
        specific = set(found.specific)
        return replace(found, neutral=[word for word in word_lists.professions(data) if word not in specific])


@dataclass(frozen=True)
class Method:
    """A way to debias.

    Attributes:
        run: of vectors, lists and options it makes vectors.
        options: the names of its options.
    """

    run: Callable[..., WordVectors]
    options: tuple[str, ...] = ()


def _hard(vectors: WordVectors, lists: Lists) -> WordVectors:
    return hard_debias(vectors, lists.pairs, equalise_pairs=lists.equalise_pairs, specific=lists.specific)


def _double_hard(vectors: WordVectors, lists: Lists, **how: Any) -> WordVectors:
    return double_hard_debias(vectors, lists.pairs, equalise_pairs=lists.equalise_pairs, specific=lists.specific, **how)


def _half_sibling(vectors: WordVectors, lists: Lists, **how: Any) -> WordVectors:
    pairs = [*lists.pairs, *(lists.equalise_pairs or ())]
    words = Pairing.of(vectors, pairs, "definitional pairs").words
    return half_sibling_regression(vectors, [*words, *lists.specific], **how)


def _null_space(vectors: WordVectors, lists: Lists, **how: Any) -> WordVectors:
    return null_space_projection(vectors, lists.pairs, specific=lists.specific, **how)


METHODS: Mapping[str, Method] = {
    "hard": Method(_hard),
    "double-hard": Method(_double_hard, ("components", "count")),
    "half-sibling": Method(_half_sibling, ("alpha",)),
    "null-space": Method(_null_space, ("rounds", "count", "seed")),
}


def debias(vectors: WordVectors, method: str, lists: Lists, **options: Any) -> WordVectors:
    """Return vectors debiased by one of the methods.

    Args:
        vectors: V words, the most frequent first.
        method: one of `METHODS`.
        lists: what the bias is about.
        options: of that method; None is its default.

    Raises:
        OptionError: there is no such method, it has no such option, or as in the method's own function.
        FormatError: a vector is not finite.
    """
    if method not in METHODS:
        raise OptionError(f"method {method!r}: expected one of {', '.join(METHODS)}")
    how = METHODS[method]
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in how.options:
            raise OptionError(f"{name} with method {method}: it has {' and '.join(how.options) or 'no options'}")
    return how.run(vectors, lists, **given)
