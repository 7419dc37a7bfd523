"""Whether models read text alike, so that their predictions of a token are about the same thing."""

from collections.abc import Mapping
from itertools import zip_longest

from firth.errors import OptionError
from firth.language.model import LanguageModel


def check_alike(models: Mapping[str, LanguageModel]) -> None:
    """Make sure that models have one vocabulary and one way of reading.

    Args:
        models: by name, for the message.

    Raises:
        OptionError: they differ; the message tells the first difference.
    """
    (first, one), *others = models.items()
    for name, other in others:
        difference = _difference(one, other)
        if difference:
            raise OptionError(
                f"{first} and {name} {difference}: expected models of one vocabulary, read alike; train both on the "
                "same corpus"
            )


def _difference(one: LanguageModel, other: LanguageModel) -> str:
    if one.rules != other.rules:
        changed = {name: (value, vars(other.rules)[name]) for name, value in vars(one.rules).items()}
        name, (ours, theirs) = next((name, pair) for name, pair in changed.items() if pair[0] != pair[1])
        return f"read text with {name}={ours!r} and {name}={theirs!r}"
    if one.vocabulary is other.vocabulary:
        return ""
    pairs = zip_longest(one.vocabulary.words, other.vocabulary.words)
    number, (a, b) = next(((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1]), (0, (None, None)))
    if a is None and b is None:
        return ""
    sizes = f"have {len(one.vocabulary):,} and {len(other.vocabulary):,} words"
    told = [f"word {number:,} is {word!r}" if word is not None else f"there is no word {number:,}" for word in (a, b)]
    return f"{sizes}; {told[0]} in the one, {told[1]} in the other"
