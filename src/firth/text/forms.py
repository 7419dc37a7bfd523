"""The forms in which a vocabulary may hold a word that a user writes: one function for every look-up.

A word is looked up as it is written. If the vocabulary lacks it so, it is looked up as the rule of the model's text
makes it, which may change case, composition, apostrophes and widths. Where nobody knows the rule, no sign is left out.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence

from firth.text.byte_level import UNITS, to_characters
from firth.text.characters import fold
from firth.text.tokenise import tokeniser, tokeniser_named
from firth.text.word_rules import DEFAULT, NAME, SHAPED, WordRule

_SAY_NOTHING = (None, "whitespace")  # the words came from elsewhere, as lists of tokens do
_APOSTROPHE = re.compile("['’‘ʼʻ`´]")  # U+02BC and U+02BB are letters, which are typed as apostrophes
# Of other vocabularies, most of which are made by a plain lower case: `İ` is `i` and a dot there.
_CASES: tuple[Callable[[str], str], ...] = (str.lower, DEFAULT.folded, WordRule("tr").folded, fold)
_FOLDING = frozenset((NAME, "words:tr", "unicode"))  # rules that leave folded letters and digits as they are


def forms(word: str, tokens: str | None = None) -> Iterator[str]:
    """Yield the forms of a word, best first; the same form may come twice.

    Args:
        word: as the user writes it.
        tokens: the rule of the model's text, a name of `firth.text.tokenise`; None where it is not known.

    >>> list(dict.fromkeys(forms("Don’t")))
    ['Don’t', "Don't", "don't"]
    """
    yield word
    if tokens in UNITS:
        yield to_characters(f" {word}")
        yield to_characters(word)
        return
    for form in ("NFC", "NFD"):
        yield unicodedata.normalize(form, word)
    for apostrophe in "'’ʼʻ":
        yield _APOSTROPHE.sub(apostrophe, word)
    if says_nothing(tokens):
        # Only the case and the shape of letters: without its signs, C++ would be another word of GloVe.
        for lower in _CASES:
            yield lower(word.strip())
        return
    split = tokeniser_named(str(tokens))
    words = split(word) if split is not None else []
    if len(words) == 1:
        yield words[0]


def says_nothing(tokens: str | None) -> bool:
    """Return whether the rule of a text tells nothing of the forms of its words, which came from elsewhere."""
    return tokens in _SAY_NOTHING


def place_of(word: str, rows: Mapping[str, int], tokens: str | None = None) -> int | None:
    """Return the place of a word in whichever of its forms has one, or None.

    Args:
        word: as the user writes it.
        rows: a place for each word of a vocabulary.
        tokens: as in `forms`.
    """
    candidates = (rows.get(form) for form in forms(word, tokens))
    return next((row for row in candidates if row is not None), None)


def places_of(words: Sequence[str], rows: Mapping[str, int], tokens: str | None = None) -> list[int]:
    """Return the place of each word, as `place_of` does for one, and -1 for none: many words in little time.

    Args:
        words: of a text, most of them distinct.
        rows: as in `place_of`.
    """
    numbers = [rows.get(word, -1) for word in words]
    folding = says_nothing(tokens) or tokens in _FOLDING
    for number in [number for number, row in enumerate(numbers) if row < 0]:
        word = words[number]
        if not folding or not _is_folded(word):
            row = place_of(word, rows, tokens)
        else:
            row = None if word.isascii() else rows.get(unicodedata.normalize("NFD", word))
        numbers[number] = -1 if row is None else row
    return numbers


def _is_folded(word: str) -> bool:
    """Return whether a word consists of letters and digits that no rule of `_FOLDING` changes."""
    if not word.isalnum() or word != word.lower():
        return False
    return word.isascii() or (
        word == word.casefold() and unicodedata.is_normalized("NFC", word) and SHAPED.search(word) is None
    )


def parts(word: str, tokens: str | None = None) -> list[str]:
    """Return the words that the rule of a text makes of what a user writes as one, such as "well-known".

    Args:
        word: as the user writes it.
        tokens: as in `forms`.
    """
    return list(tokeniser(NAME if tokens is None or tokeniser_named(tokens) is None else tokens)(word))
