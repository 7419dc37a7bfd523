"""Words and their rows, and spelling suggestions for unknown words."""

import difflib
import functools
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from firth.errors import FormatError, UnknownWordError, brief
from firth.text.forms import forms, parts, places_of, says_nothing

COMMONEST = 5_000  # most frequent words compared with a misspelt word: 50 ms at most
LETTERS = 64  # replacements tried for each letter of a misspelt word
LONGEST = 64  # letters; longer words get no suggestions
SUGGESTIONS = 3


class Lexicon:
    """An ordered list of distinct words and the row of each.

    The table from word to row is built at the first look-up, so that loading a million vectors for their matrix does
    not wait for it.

    Args:
        words: V distinct words, one per row. Use `checked` for words that may be invalid.

    Attributes:
        forms: returns the forms in which a word may be among them, best first; None if it must be as it is written.
        tokens: name of the rule that made the words of a text, where it is known.
    """

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.forms: Callable[[str], Iterable[str]] | None = None
        self.tokens: str | None = None
        self._rows: dict[str, int] | None = None

    @classmethod
    def checked(cls, words: Sequence[str]) -> "Lexicon":
        """Check the words and return their lexicon.

        Raises:
            FormatError: a word is not a string, or occurs twice.
        """
        for row, word in enumerate(words):
            if not isinstance(word, str):
                raise FormatError(f"word {row} is {brief(word)}: expected a string")
        lexicon = cls(list(words))
        lexicon.row_of("")
        return lexicon

    @property
    def rows(self) -> dict[str, int]:
        """The row of each word.

        Raises:
            FormatError: a word occurs twice.
        """
        if self._rows is None:
            rows = {word: row for row, word in enumerate(self.words)}
            if len(rows) != len(self.words):
                first, second = first_repeat(self.words)
                raise FormatError(
                    f"{brief(self.words[first])} is word {first} and word {second}: expected each word once; drop one"
                )
            self._rows = rows
        return self._rows

    def row_of(self, word: str) -> int | None:
        """Return the row of a word, as it is written or in another form; None if it is unknown."""
        row = self.rows.get(word)
        if row is None and self.forms is not None and isinstance(word, str):
            rows = (self.rows.get(form) for form in self.forms(word))
            row = next((match for match in rows if match is not None), None)
        return row

    def rows_of(self, words: Sequence[str]) -> list[int]:
        """Return the row of each of many words, as `row_of` does for one, and -1 for an unknown word."""
        if self.forms is None:
            return [self.rows.get(word, -1) for word in words]
        return places_of(words, self.rows, self.tokens)

    def read_by(self, tokens: str | None) -> None:
        """Look words up in other forms than the written one, too.

        Args:
            tokens: name of the rule that made the words of a text, or None where it is not known.
        """
        self.tokens, self.forms = tokens, functools.partial(forms, tokens=tokens)

    def is_made_by(self, tokens: object) -> bool:
        """Return whether the words were made by a rule, so that those of other texts by this rule have no other form.

        Words of vectors from elsewhere are taken for those of texts that are split at spaces alone.
        """
        return tokens == "whitespace" if says_nothing(self.tokens) else tokens == self.tokens

    def __len__(self) -> int:
        return len(self.words)

    def extend(self, words: Iterable[str]) -> None:
        """Append new words."""
        rows = self.rows
        for word in words:
            rows[word] = len(self.words)
            self.words.append(word)

    def unknown(self, word: object) -> UnknownWordError:
        """Return the error for an unknown word; suggestions are computed when its message is read."""
        return UnknownWordError(str(word), lambda: self.suggestions(str(word)), lambda: self._parts(str(word)))

    def _parts(self, word: str) -> list[str]:
        """Return the words that the text's rule makes of one that is unknown, if they are several that are known."""
        words = parts(word, self.tokens) if self.forms is not None and len(word) <= LONGEST else []
        return words if len(words) > 1 and all(part in self.rows for part in words) else []

    def suggestions(self, word: str) -> list[str]:
        """Return up to three known words that are spelt like `word`, best first.

        The order: the word in another case, with other accents or behind an apostrophe (l'homme), then words one letter
        away, most frequent first, then the most similar of the 5,000 most frequent words with the same first letter.
        """
        if len(word) > LONGEST:
            return []
        matches = dict.fromkeys(variant for variant in _recased(word) if variant in self.rows)
        bare = _bare(word)
        for other, plain in ((other, _bare(other)) for other in self.words[: COMMONEST if bare else 0]):
            if plain == bare or plain.endswith(f"'{bare}"):
                matches.setdefault(other)
        if len(matches) < SUGGESTIONS:
            near = (variant for variant in _one_letter_away(word, self._letters()) if variant in self.rows)
            matches |= dict.fromkeys(sorted(near, key=self.rows.__getitem__))
        if len(matches) < SUGGESTIONS:
            matches |= dict.fromkeys(difflib.get_close_matches(word, self._alike(word), SUGGESTIONS, cutoff=0.7))
        matches.pop(word, None)
        return list(matches)[:SUGGESTIONS]

    def _letters(self) -> list[str]:
        letters = Counter(letter for word in self.words[:COMMONEST] for letter in word)
        return [letter for letter, _ in letters.most_common(LETTERS)]

    def _alike(self, word: str) -> list[str]:
        alike: list[str] = []
        for other in self.words:
            if other[:1] == word[:1] and abs(len(other) - len(word)) <= 3:
                alike.append(other)
                if len(alike) == COMMONEST:
                    break
        return alike


def first_repeat(words: Sequence[str]) -> tuple[int, int]:
    """Return the rows (earlier, later) of the first repeated word.

    Raises:
        ValueError: no word repeats.
    """
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        if word in rows:
            return rows[word], row
        rows[word] = row
    raise ValueError("no word repeats")


def _bare(word: str) -> str:
    """A word in lower case without its accents."""
    lower = word.lower().replace("’", "'")
    if lower.isascii():
        return lower
    return "".join(letter for letter in unicodedata.normalize("NFD", lower) if not unicodedata.combining(letter))


def _recased(word: str) -> tuple[str, ...]:
    return word.lower(), word.capitalize(), word.title(), word.upper(), word.strip(), word.strip().lower()


def _one_letter_away(word: str, letters: Iterable[str]) -> Iterator[str]:
    """Yield all words one edit away: a letter deleted, replaced or inserted, or two neighbours swapped."""
    letters = list(letters)
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in letters)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        yield from (head + letter + tail for letter in letters)
