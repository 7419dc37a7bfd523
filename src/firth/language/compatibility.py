"""Whether models share their vocabulary and text rules, so that their predictions of a token can be compared."""

from collections.abc import Mapping
from itertools import zip_longest

from firth.errors import OptionError
from firth.language.model import LanguageModel
from firth.text.tokenise import is_named


def check_compatible(models: Mapping[str, LanguageModel]) -> None:
    """Check that all models have the same vocabulary and the same text rules.

    Args:
        models: models by name; the names are for the message.
    """
    (first, first_model), *rest = models.items()
    for name, other in rest:
        difference = _difference(first_model, other)
        if difference:
            raise OptionError(
                f"{first} and {name} {difference}; expected models with the same vocabulary and text rules: train both "
                "on the same corpus; models of different tokens compare by their bits per character"
            )


def _difference(first: LanguageModel, second: LanguageModel) -> str:
    if first.rules != second.rules:
        values = {name: (value, vars(second.rules)[name]) for name, value in vars(first.rules).items()}
        name, (ours, theirs) = next((name, pair) for name, pair in values.items() if pair[0] != pair[1])
        if name == "tokens":
            ours, theirs = (
                model.rules.tokens if is_named(model.rules.tokens) else model.rules.unit for model in (first, second)
            )
        return f"read text with {name}={ours!r} and {name}={theirs!r}"
    if first.vocabulary is second.vocabulary:
        return ""
    pairs = zip_longest(first.vocabulary.words, second.vocabulary.words)
    number, (a, b) = next(((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1]), (0, (None, None)))
    if a is None and b is None:
        return ""
    sizes = f"have {len(first.vocabulary):,} and {len(second.vocabulary):,} words"
    in_one, in_other = (
        f"word {number:,} is {word!r}" if word is not None else f"there is no word {number:,}" for word in (a, b)
    )
    return f"{sizes}; {in_one} in the first, {in_other} in the second"
