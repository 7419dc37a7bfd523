"""Pairs of words, such as synonyms or antonyms: read from files, and looked up as rows of vectors.

A line of a file holds a pair, `cheap inexpensive`, or a word and all its synonyms, `cheap inexpensive low-cost`: one
pair with each. Words are separated by tabs if the line has any, else by spaces. A language prefix common to all words
of a file, as in `en_cheap en_inexpensive`, is removed.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError, OptionError, brief_repr
from firth.storage.files import text_of
from firth.vectors.word_vectors import WordVectors

Pair = tuple[str, str]

_LANGUAGE = re.compile(r"([a-z]{2,3}_)[^_]")


@names_files
def read_word_pairs(path: str | os.PathLike[str]) -> list[Pair]:
    """Read the pairs of a file in order, skipping empty lines and lines that start with #.

    Args:
        path: UTF-8 text file.

    Raises:
        FormatError: the file is not text, or no line has two words.
        OSError: the file cannot be read.
    """
    rows = [_words(line) for line in text_of(path).split("\n") if line.strip() and not line.startswith("#")]
    pairs = [(row[0], other) for row in rows for other in row[1:]]
    if not pairs:
        raise FormatError(f"{path}: no line of two words; expected one pair per line, or a word and its synonyms")
    matches = [_LANGUAGE.match(word) for pair in pairs for word in pair]
    prefixes = {match[1] if match else "" for match in matches}
    prefix = prefixes.pop() if len(prefixes) == 1 else ""
    return [(first.removeprefix(prefix), second.removeprefix(prefix)) for first, second in pairs]


def _words(line: str) -> list[str]:
    fields = line.split("\t") if "\t" in line.strip() else line.split()
    return [field.strip() for field in fields if field.strip()]


@dataclass(frozen=True)
class WordPairs:
    """Pairs as rows of vectors.

    Attributes:
        rows: (P, 2) the different pairs in ascending order, the lower row first.
        given: number of input pairs.
        unknown: number of input pairs with a word without a vector.
        unknown_words: number of different words without a vector.
    """

    rows: npt.NDArray[np.int64]
    given: int
    unknown: int
    unknown_words: int

    __repr__ = brief_repr

    @classmethod
    def of(cls, vectors: WordVectors, pairs: Iterable[Pair], what: str = "pairs") -> "WordPairs":
        """Look up pairs; a word is looked up as written, then in lower case.

        Args:
            vectors: vectors of the words.
            pairs: pairs of words; a pair of twice the same word is skipped.
            what: name of the pairs in error messages.

        Raises:
            OptionError: no pair has two words with vectors, although there are pairs.
        """
        checked = [word_pair(pair, what) for pair in pairs]
        table = vectors.key_to_index
        words = {word for pair in checked for word in pair}
        row = {word: table.get(word, table.get(word.lower(), -1)) for word in words}
        rows = np.array([(row[first], row[second]) for first, second in checked], dtype=np.int64).reshape(-1, 2)
        mask = (rows >= 0).all(axis=1)
        rows_of_pairs = np.unique(np.sort(rows[mask & (rows[:, 0] != rows[:, 1])], axis=1), axis=0)
        if checked and not len(rows_of_pairs):
            missing = next((word for word in checked[0] if row[word] < 0), checked[0][0])
            raise OptionError(
                f"none of {len(checked):,} {what} has two words with vectors ({missing!r} has none): expected pairs in "
                "the vectors' language and spelling"
            )
        return cls(rows_of_pairs, len(checked), int((~mask).sum()), sum(index < 0 for index in row.values()))

    def without(self, excluded_pairs: "WordPairs") -> "WordPairs":
        """Return the pairs that are not among `excluded_pairs`."""
        excluded = {tuple(pair) for pair in excluded_pairs.rows.tolist()}
        mask = np.array([tuple(pair) not in excluded for pair in self.rows.tolist()], dtype=bool)
        return WordPairs(self.rows[mask], self.given, self.unknown, self.unknown_words)

    @property
    def facts(self) -> dict[str, int]:
        """Number of given, used and unknown pairs, for JSON."""
        return pair_facts(self.given, len(self.rows), self.unknown, unknown_words=self.unknown_words)


def pair_facts(given: int, used: int, unknown: int, **unknown_words: int) -> dict[str, int]:
    """Return numbers of pairs and, by side, of words without a vector, for JSON."""
    return {"given": given, "used": used, "with_unknown_words": unknown, **unknown_words}


def word_pair(pair: Any, what: str) -> tuple[str, str]:
    """Return a pair of words after checking it.

    Args:
        pair: a sequence of two words; a string of two letters is an error.
        what: name of the pairs in error messages.
    """
    is_pair = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
    if not is_pair or not all(isinstance(word, str) for word in pair):
        raise OptionError(f"{pair!r} in the {what}: expected two words")
    return pair[0], pair[1]
