"""What translations must begin with and contain, as ids of target tokens."""

from collections.abc import Sequence
from typing import Any

from firth.errors import OptionError, ShapeError
from firth.inference.constraints import Constraints, check_constraints
from firth.inference.generation_options import GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.neural.models.translation.units import EOS, Units
from firth.text.inputs import check_items, check_text


def constraints_of(
    units: Units,
    prefixes: Sequence[str] | None,
    forced: Sequence[str] | Sequence[Sequence[str]] | None,
    count: int,
    options: GenerationOptions,
) -> list[Constraints]:
    """Return the constraints of each translation.

    Raises:
        ShapeError: there are not as many prefixes or lists of phrases as texts.
    """
    if prefixes is not None:
        prefixes = list(check_items(prefixes, "prefixes"))
    forced = None if forced is None else _by_text(forced, count)
    for name, given in (("prefixes", prefixes), ("lists of forced phrases", forced)):
        if given is not None and len(given) != count:
            raise ShapeError(f"{len(given):,} {name} for {count:,} texts; expected as many")
    if prefixes is None and forced is None:
        return [Constraints()] * count
    processor, result = LogitsProcessor(options, (EOS,), units.banned), []
    for row in range(count):
        prefix = () if prefixes is None else _ids(units, prefixes[row], f"prefix {row + 1:,}")
        phrases = () if forced is None else check_items(forced[row], "forced", "phrase")
        ids = tuple(_ids(units, phrase, f"forced phrase of text {row + 1:,}") for phrase in phrases)
        result.append(Constraints(prefix, ids))
        what = f"text {row + 1:,}: "
        check_constraints(
            result[-1], (), processor, len(units), what=what, name=lambda ids: repr(units.text(units.tokens(ids)))
        )
    return result


def _by_text(forced: Any, count: int) -> list[Any]:
    """Return the phrases of each text; phrases that stand in no list are those of every text."""
    given = [forced] if isinstance(forced, str) else list(check_items(forced, "forced", "phrase"))
    return [given] * count if all(isinstance(each, str) for each in given) else given


def _ids(units: Units, text: str, name: str) -> tuple[int, ...]:
    check_text(text, name)
    tokens = units.split(text)
    unknown = [token for token in tokens if token not in units.numbers]
    if unknown:
        raise OptionError(f"{name}: the model does not know {unknown[0]!r}; expected words that it writes")
    return tuple(units.ids(tokens).tolist())
