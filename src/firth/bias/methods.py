"""The table of debiasing methods, with one interface: vectors, word lists and options."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

from firth.bias import word_lists
from firth.bias.double_hard_debiasing import double_hard_debias
from firth.bias.half_sibling import half_sibling_regression
from firth.bias.hard_debiasing import hard_debias
from firth.bias.null_space_projection import inlp
from firth.bias.word_pairs import KnownPairs, Pair
from firth.errors import OptionError, brief_repr
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class BiasLists:
    """Word lists that define a bias.

    Attributes:
        pairs: definitional pairs, such as ("she", "he").
        equalise_pairs: pairs that should differ in the direction alone; None is the definitional ones.
        specific: words whose meaning includes the bias, such as "queen"; they keep it.
        neutral: words that should be neutral, such as professions, on which direct bias is computed.
    """

    pairs: Sequence[Pair]
    equalise_pairs: Sequence[Pair] | None = None
    specific: Sequence[str] = ()
    neutral: Sequence[str] = ()

    __repr__ = brief_repr

    @classmethod
    def of_gender(cls, data: str | os.PathLike[str] | None = None) -> "BiasLists":
        """Return the gender lists of Bolukbasi et al. 2016; neutral words are the professions that are not specific.

        Args:
            data: folder with local copies of the named sets; by default FIRTH_DATA, or a download.

        Raises:
            DataError: a named set is not available.
        """
        lists = cls(
            word_lists.definitional_pairs(data), word_lists.equalise_pairs(data), word_lists.gender_specific(data)
        )
        specific = set(lists.specific)
        return replace(lists, neutral=[word for word in word_lists.professions(data) if word not in specific])


@dataclass(frozen=True)
class DebiasingMethod:
    """A method in the table.

    Attributes:
        run: returns debiased vectors from vectors, lists and options.
    """

    run: Callable[..., WordVectors]
    options: tuple[str, ...] = ()


def _hard(vectors: WordVectors, lists: BiasLists) -> WordVectors:
    return hard_debias(vectors, lists.pairs, equalise_pairs=lists.equalise_pairs, specific=lists.specific)


def _double_hard(vectors: WordVectors, lists: BiasLists, **kwargs: Any) -> WordVectors:
    return double_hard_debias(
        vectors, lists.pairs, equalise_pairs=lists.equalise_pairs, specific=lists.specific, **kwargs
    )


def _half_sibling(vectors: WordVectors, lists: BiasLists, **kwargs: Any) -> WordVectors:
    pairs = [*lists.pairs, *(lists.equalise_pairs or ())]
    words = KnownPairs.of(vectors, pairs, "definitional pairs").words
    return half_sibling_regression(vectors, [*words, *lists.specific], **kwargs)


def _null_space(vectors: WordVectors, lists: BiasLists, **kwargs: Any) -> WordVectors:
    return inlp(vectors, lists.pairs, specific=lists.specific, **kwargs)


METHODS: Mapping[str, DebiasingMethod] = {
    "hard": DebiasingMethod(_hard),
    "double-hard": DebiasingMethod(_double_hard, ("components", "count")),
    "half-sibling": DebiasingMethod(_half_sibling, ("alpha",)),
    "null-space": DebiasingMethod(_null_space, ("rounds", "count", "seed")),
}


class DebiasingArguments(TypedDict, total=False):
    """The options of the methods as keyword arguments."""

    components: int | None
    count: int | None
    alpha: float | None
    rounds: int | None
    seed: int | None


def debias(vectors: WordVectors, method: str, lists: BiasLists, **options: Unpack[DebiasingArguments]) -> WordVectors:
    """Debias vectors with one of the methods.

    Args:
        vectors: V words, the most frequent first.
        method: one of `METHODS`.
        lists: the word lists.
        **options: `components` and `count` of "double-hard"; `alpha` of "half-sibling"; `rounds`, `count` and `seed` of
            "null-space". None is the default.

    Raises:
        OptionError: the method or option does not exist, or as in the function of the method.
        FormatError: a vector is not finite.
    """
    if method not in METHODS:
        raise OptionError(f"method {method!r}: expected one of {', '.join(METHODS)}")
    description = METHODS[method]
    arguments = {name: value for name, value in options.items() if value is not None}
    for name in arguments:
        if name not in description.options:
            raise OptionError(
                f"{name} with method {method}: it has {' and '.join(description.options) or 'no options'}"
            )
    return description.run(vectors, lists, **arguments)
