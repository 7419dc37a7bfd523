"""Constraints on the text of one prompt, and on its length; contradictions are found before the search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from firth.errors import OptionError
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.phrases import Phrases

Ids = Sequence[int]


@dataclass(frozen=True)
class Constraints:
    """Constraints on the text of one prompt.

    Attributes:
        prefix: the first words of the text; they are part of the result and of its score.
        phrases: ids of words or phrases that the text contains, in any order; beam search only.
        max_length: as in `GenerationOptions`, which it can only lower.
    """

    prefix: tuple[int, ...] = ()
    phrases: tuple[tuple[int, ...], ...] = ()
    max_length: int | None = None


def of_prompts(
    constraints: Sequence[Constraints] | None, prompts: Sequence[Ids], processor: LogitsProcessor, words: int
) -> Sequence[Constraints]:
    """Return the checked constraints of each prompt, with the maximum lengths of a search.

    Args:
        constraints: one for each of the B prompts; None for none.
        prompts: B sequences of ids.
        processor: the constraints of the search on all texts.
        words: V.
    """
    max_length = processor.options.max_length
    if constraints is None:
        return [Constraints(max_length=max_length)] * len(prompts)
    if len(constraints) != len(prompts):
        raise OptionError(f"{len(constraints)} constraints for {len(prompts)} prompts: expected one for each")
    for number, (own, prompt) in enumerate(zip(constraints, prompts, strict=True)):
        check_constraints(own, prompt, processor, words, what=f"prompt {number}: ")
    lengths = [max_length if own.max_length is None else min(max_length, own.max_length) for own in constraints]
    return [
        Constraints(tuple(own.prefix), own.phrases, length) for own, length in zip(constraints, lengths, strict=True)
    ]


def check_constraints(
    constraints: Constraints,
    prompt: Ids,
    processor: LogitsProcessor,
    words: int,
    *,
    what: str = "",
    name: Callable[[Ids], str] = lambda ids: f"of ids {', '.join(map(str, ids))}",
) -> None:
    """Check that a text can meet its constraints.

    Args:
        prompt: ids of the prompt.
        processor: the constraints of the search on all texts.
        words: V.
        what: begins the message.
        name: how words are named in the message.
    """
    parts = [("prefix", constraints.prefix)] * bool(constraints.prefix)
    for kind, ids in parts + [("forced phrase", phrase) for phrase in constraints.phrases]:
        if error := _unwritable(ids, processor, words):
            raise OptionError(f"{what}{kind} {name(ids)}: {error}")
    _check_length(constraints, processor, what)
    if processor.options.no_repeat_ngram is not None:
        _check_blocking(constraints, prompt, processor.options.no_repeat_ngram, what, name)


def _check_blocking(constraints: Constraints, prompt: Ids, size: int, what: str, name: Callable[[Ids], str]) -> None:
    advice = f"repeats {size} word(s) of the text, which no_repeat_ngram={size} forbids; leave out one of the two"
    before = [*prompt, *constraints.prefix]
    if _repeats(before, size, len(prompt) - size + 1):
        raise OptionError(f"{what}prefix {name(constraints.prefix)}: it {advice}")
    phrases = Phrases(constraints.phrases)
    progress = reduce(phrases.advance, constraints.prefix, phrases.start)
    for (phrase, needed), (count, matched) in zip(phrases.needed.items(), progress, strict=True):
        # Only n-grams inside the phrase: other words could stand before it.
        inside = len(before) - min(matched, size - 1)
        twice = needed > 1 and len(phrase) >= size
        if twice or (count < needed and _repeats([*before, *phrase[matched:]], size, inside)):
            raise OptionError(f"{what}forced phrase {name(phrase)}: it {advice}")


def _unwritable(ids: Ids, processor: LogitsProcessor, words: int) -> str:
    if not ids:
        return "it is empty; expected at least one word"
    if outside := [i for i in ids if not 0 <= i < words]:
        return f"id {outside[0]} is outside the vocabulary; expected 0 to {words - 1}"
    if any(i in processor.stop for i in ids):
        return "it has the end of the text; expected words only"
    if any(i in processor.banned for i in ids):
        return "it has a word that is never generated; allow the word, or leave it out"
    return ""


def _check_length(constraints: Constraints, processor: LogitsProcessor, what: str) -> None:
    own = constraints.max_length
    if own is not None and own < 1:
        raise OptionError(f"{what}max_length={own}: expected at least 1")
    max_length = processor.options.max_length if own is None else min(own, processor.options.max_length)
    if processor.options.min_length >= max_length:
        raise OptionError(
            f"{what}min_length={processor.options.min_length}: expected less than max_length={max_length}, "
            "which counts the end"
        )
    phrases = Phrases(constraints.phrases)
    progress = reduce(phrases.advance, constraints.prefix, phrases.start)
    needed = len(constraints.prefix) + phrases.total - phrases.bank(progress) + bool(processor.stop)
    if needed > max_length:
        raise OptionError(
            f"{what}prefix and forced phrases need up to {needed} words with the end: expected at most "
            f"max_length={max_length}; raise it, or force fewer words"
        )


def _repeats(text: Ids, size: int, start: int) -> bool:
    """Whether an n-gram that begins at `start` or later occurs before."""
    grams = [tuple(text[i : i + size]) for i in range(len(text) - size + 1)]
    return any(grams[i] in grams[:i] for i in range(max(0, start), len(grams)))


def check_prefix_score(score: float, number: int, constraints: Constraints, position: int) -> None:
    """Check that the model can write a word of a prefix."""
    if not np.isfinite(score):
        raise OptionError(
            f"prompt {number}: word {position + 1} of the prefix, id {constraints.prefix[position]}, has probability "
            "0; expected a prefix that the model can write"
        )
