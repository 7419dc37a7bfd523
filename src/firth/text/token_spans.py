"""The tokens of a text with their places in it, so that what was counted can be shown as it was written.

What: for each rule of `tokenise` a function from a text to its tokens, each with the start and the end of what it was
    made of. The tokens are those of the rule itself, as a corpus counts them.
Objective: a rule for words first changes characters (composition, apostrophes, invisible ones), so that a place in what
    it makes is looked up in a list of the places of its characters; where it changes no length, which is nearly always,
    places are the same.
Departures: the tokens of a function are looked for in the text in their order, as they are and in lower case; those
    that are not there, because the function made them up, are left out.
Cost: about 10 MB of text a second.
"""

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firth.text.characters import fold
from firth.text.running_text import rule_tokens
from firth.text.tokenise import DIGIT_NAMES, TEXT8, VISIBLE, token_spans, tokeniser
from firth.text.word_rules import WordRule, replaced, word_rule

_STRETCH = re.compile(r"\S+")
_REMEMBERED, _LONGEST = 1 << 16, 40  # stretches between spaces whose tokens are kept, and their characters
_AHEAD = 2_000  # characters in which a token of a function is looked for


Token = tuple[str, int, int]  # as the rule makes it; where it starts in the text; one past its last character


@dataclass(frozen=True)
class TokenFinder:
    """Finds tokens in a text.

    Attributes:
        tokens: returns the tokens of a text with their places.
        folded: returns a text in which each word stands as `tokens` makes it, for a quick look; None where it cannot be
            told without splitting.
    """

    tokens: Callable[[str], list[Token]]
    folded: Callable[[str], str] | None = None


def token_finder(tokens: Any) -> TokenFinder:
    """Return what finds the tokens of a rule.

    Args:
        tokens: as in `firth.text.tokenise.tokeniser`.

    >>> token_finder("words").tokens("“Don’t”, said I.")
    [("don't", 1, 6), ('said', 9, 13), ('i', 14, 15)]
    """
    rule = word_rule(tokens) if isinstance(tokens, str) else None
    if rule is not None:
        return TokenFinder(_Words(rule).tokens, None if rule.language else functools.partial(_folded, rule))
    if tokens == "unicode":
        return TokenFinder(_folded_words)
    if tokens == "whitespace":
        return TokenFinder(
            lambda text: [(match[0], *match.span()) for match in VISIBLE.finditer(text)], without_final_sigma
        )
    if tokens == "cased":
        return TokenFinder(
            lambda text: [(text[a:b], a, b) for a, b in rule_tokens(text, 0, len(text))], without_final_sigma
        )
    if tokens == "text8":
        return TokenFinder(_text8)
    return TokenFinder(functools.partial(_found, tokeniser(tokens)))


class _Words(dict[str, list[Token]]):
    """The tokens of stretches between spaces, over which no rule for words reaches: most of a text is seen again."""

    def __init__(self, rule: WordRule) -> None:
        self._rule = rule

    def __missing__(self, stretch: str) -> list[Token]:
        tokens = _words(self._rule, stretch)
        if len(stretch) <= _LONGEST:
            if len(self) == _REMEMBERED:
                self.clear()
            self[stretch] = tokens
        return tokens

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of a text."""
        tokens = list[Token]()
        for stretch in _STRETCH.finditer(text):
            first = stretch.start()
            tokens += [(word, first + start, first + end) for word, start, end in self[stretch[0]]]
        return tokens


def _words(rule: WordRule, text: str) -> list[Token]:
    made, positions = _prepared(text, rule)
    spans = token_spans(made)
    if positions is None:
        return [(rule.lowered(made[start:end]), start, end) for start, end in spans]
    return [(rule.lowered(made[start:end]), positions[start], positions[end]) for start, end in spans]


def _folded(rule: WordRule, text: str) -> str:
    if text.isascii() or (unicodedata.is_normalized("NFC", text) and _replaced(rule.as_shaped).isdisjoint(text)):
        return without_final_sigma(text.lower().replace("’", "'"))
    return without_final_sigma(rule.folded(text))


@functools.cache
def _replaced(as_shaped: bool) -> frozenset[str]:
    """Return the characters that a rule replaces before it looks at case, but the usual apostrophe."""
    return frozenset({"İ", *map(chr, replaced(as_shaped=as_shaped))} - {"’"})


def without_final_sigma(text: str) -> str:
    """Return a text with one small sigma: which one a word ends in may depend on what stands behind it."""
    return text.replace("ς", "σ")


def _prepared(text: str, rule: WordRule) -> tuple[str, Sequence[int] | None]:
    """Return a text as a rule prepares it, and the place of each of its characters; None where it is the same."""
    made = rule.prepared(text)
    if made == text or (len(made) == len(text) and _keeps_places(text, rule)):
        return made, None
    positions, parts = list[int](), list[str]()
    for start, written in _clusters(text, rule):
        part = rule.prepared(written)
        parts.append(part)
        positions += range(start, start + len(part)) if len(part) == len(written) else [start] * len(part)
    if "".join(parts) != made:  # composed over what seemed a boundary: no known text has this
        return text, None
    return made, [*positions, len(text)]


def _keeps_places(text: str, rule: WordRule) -> bool:
    """Whether a rule turns each character into one."""
    table = replaced(as_shaped=rule.as_shaped)
    if not _changes_length(rule.as_shaped).isdisjoint(text):
        return False
    return unicodedata.is_normalized("NFC", text.translate(table))


@functools.cache
def _changes_length(as_shaped: bool) -> frozenset[str]:
    """Return the characters that are removed, or become several."""
    table = replaced(as_shaped=as_shaped)
    return frozenset(chr(code) for code, made in table.items() if made is None or len(made) != 1)


def _clusters(text: str, rule: WordRule) -> Iterator[tuple[int, str]]:
    """Yield the characters of a text with their marks."""
    first = 0
    for position in range(1, len(text) + 1):
        if position == len(text) or not _joins(text[position], rule):
            yield first, text[first:position]
            first = position


def _joins(character: str, rule: WordRule) -> bool:
    """Whether a character may become one with what is before it: marks, vowels and finals of Hangul, removed ones."""
    return (
        unicodedata.combining(character) > 0
        or "\u1160" <= character <= "\u11ff"
        or unicodedata.category(character) in ("Mn", "Mc")
        or replaced(as_shaped=rule.as_shaped).get(ord(character), "") is None
    )


def _folded_words(text: str) -> list[Token]:
    """Return the tokens of the rule "unicode", whose folding may change the length of any word."""
    tokens = list[Token]()
    for match in _STRETCH.finditer(text):
        made = fold(match[0])
        if len(made) == len(match[0]):
            tokens += ((made[a:b], match.start() + a, match.start() + b) for a, b in token_spans(made))
        else:
            tokens += ((made[a:b], *match.span()) for a, b in token_spans(made))
    return tokens


def _text8(text: str) -> list[Token]:
    tokens = ((match[0].lower(), *match.span()) for match in TEXT8.finditer(text))
    return [(DIGIT_NAMES[int(word)] if word.isdigit() else word, start, end) for word, start, end in tokens]


def _found(split: Callable[[str], Iterable[str]], text: str) -> list[Token]:
    """Return the tokens of a function, where they are found in the text."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    tokens, before = list[Token](), 0
    for word in split(text):
        if not word:
            continue
        starts = [where.find(word, before, before + _AHEAD) for where in (text, lower)]
        start = min((start for start in starts if start >= 0), default=-1)  # "the" may be "The", and stand again later
        if start >= 0:
            before = start + len(word)
            tokens.append((word, start, before))
    return tokens
