"""Pairs of words that people say are alike or opposite: from files, and as rows of vectors.

A file has a pair a line, `cheap inexpensive`, or a word and all its synonyms, `cheap inexpensive low-cost`, which is a
pair with each. Words are parted by spaces, or by tabs where a line has any. A language's mark that all words of a file
have in common, as in `en_cheap en_inexpensive`, is taken off.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.storage.files import text_of
from firth.vectors.word_vectors import WordVectors

Pair = tuple[str, str]

_LANGUAGE = re.compile(r"([a-z]{2,3}_)[^_]")


def read_word_pairs(path: str | os.PathLike[str]) -> list[Pair]:
    """Return the pairs of a file, in its order; empty lines and lines that begin with # are passed over.

    Args:
        path: the file, UTF-8.

    Raises:
        FormatError: it is not text, or no line has two words.
        OSError: it cannot be read.
    """
    rows = [_words(line) for line in text_of(path).split("\n") if line.strip() and not line.startswith("#")]
    pairs = [(row[0], other) for row in rows for other in row[1:]]
    if not pairs:
        raise FormatError(f"{path}: no line of two words; expected a pair a line, or a word and its synonyms")
    marks = [_LANGUAGE.match(word) for pair in pairs for word in pair]
    prefixes = {mark[1] if mark else "" for mark in marks}
    prefix = prefixes.pop() if len(prefixes) == 1 else ""
    return [(one.removeprefix(prefix), other.removeprefix(prefix)) for one, other in pairs]


def _words(line: str) -> list[str]:
    fields = line.split("\t") if "\t" in line.strip() else line.split()
    return [field.strip() for field in fields if field.strip()]


@dataclass(frozen=True)
class WordPairs:
    """Pairs as rows of vectors.

    Attributes:
        rows: (P, 2) the lower row first, each pair once, ascending.
        given: how many pairs there were.
        unknown: how many of them have a word without a vector.
        unknown_words: how many such words there are.
    """

    rows: npt.NDArray[np.int64]
    given: int
    unknown: int
    unknown_words: int

    @classmethod
    def of(cls, vectors: WordVectors, pairs: Iterable[Pair], what: str = "pairs") -> "WordPairs":
        """Return the rows of pairs; a word is looked up as it is written, then in lower case.

        Args:
            vectors: whose rows.
            pairs: of words; a word beside itself is left out.
            what: the pairs are called in messages.

        Raises:
            OptionError: there are pairs, and not one has two words with vectors.
        """
        listed = [word_pair(pair, what) for pair in pairs]
        table = vectors.key_to_index
        words = {word for pair in listed for word in pair}
        row = {word: table.get(word, table.get(word.lower(), -1)) for word in words}
        found = np.array([(row[one], row[other]) for one, other in listed], dtype=np.int64).reshape(-1, 2)
        known = (found >= 0).all(axis=1)
        used = np.unique(np.sort(found[known & (found[:, 0] != found[:, 1])], axis=1), axis=0)
        if listed and not len(used):
            missing = next((word for word in listed[0] if row[word] < 0), listed[0][0])
            raise OptionError(
                f"none of {len(listed):,} {what} has two words with vectors ({missing!r} has none): expected pairs in "
                "the language and the spelling of the vectors"
            )
        return cls(used, len(listed), int((~known).sum()), sum(place < 0 for place in row.values()))

    def without(self, others: "WordPairs") -> "WordPairs":
        """Return those pairs that are not among others."""
        taken = {tuple(pair) for pair in others.rows.tolist()}
        left = np.array([tuple(pair) not in taken for pair in self.rows.tolist()], dtype=bool)
        return WordPairs(self.rows[left], self.given, self.unknown, self.unknown_words)

    @property
    def facts(self) -> dict[str, int]:
        """What was given, used and unknown, as JSON has it."""
        return {
            "given": self.given,
            "used": len(self.rows),
            "with_unknown_words": self.unknown,
            "unknown_words": self.unknown_words,
        }


def word_pair(pair: Any, what: str) -> tuple[str, str]:
    """Return two words that were given as a pair.

    Args:
        pair: what was given.
        what: the pairs are, for messages.

    Raises:
        OptionError: it is no pair of words; a text of two letters is none either.
    """
    two = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
    if not two or not all(isinstance(word, str) for word in pair):
        raise OptionError(f"{pair!r} among the {what}: expected two words")
    return pair[0], pair[1]
