"""Pairs of words of two languages, as rows of their vectors.

A file of pairs is read by `firth.postprocess.word_pairs.read_word_pairs`: a pair a line, or a word and all its
translations, parted by spaces, or by tabs where a line has any.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.options import wrong_kind
from firth.postprocess.word_pairs import word_pair
from firth.vectors.space import VectorSpace

Pair = tuple[str, str]

SHOWN = 3  # words or pairs that a message names


@dataclass(frozen=True)
class Dictionary:
    """Pairs of which both words have a vector.

    Attributes:
        pairs: P pairs, each once, in the order given.
        rows: (P, 2) their rows in the source and in the target.
        given: how many different pairs there were.
        asked: how many different source words they had.
        unknown: how many pairs have a word without a vector.
        unknown_source: how many different source words have none.
        unknown_target: how many different target words have none.
    """

    pairs: tuple[Pair, ...]
    rows: npt.NDArray[np.int64]
    given: int
    asked: int
    unknown: int
    unknown_source: int
    unknown_target: int

    @classmethod
    def of(cls, source: VectorSpace, target: VectorSpace, pairs: Iterable[Pair], what: str = "pairs") -> "Dictionary":
        """Return the rows of pairs; a word is looked up as it is written, then in lower case.

        Args:
            source: vectors that have the first words.
            target: vectors that have the second.
            pairs: of words; a mapping from the first to the second words, too.
            what: the pairs are called in messages.

        Raises:
            OptionError: something among the pairs is no pair, or not one has two words with vectors.
        """
        if isinstance(pairs, Mapping):
            pairs = pairs.items()
        if isinstance(pairs, str | os.PathLike):
            how = "pairs of words; firth.postprocess.word_pairs.read_word_pairs reads a file of them"
            raise wrong_kind(what, pairs, how)
        if not isinstance(pairs, Iterable):
            raise wrong_kind(what, pairs, "pairs of words")
        given = list(dict.fromkeys(word_pair(pair, what) for pair in pairs))
        found = [(_row(source, one), _row(target, other)) for one, other in given]
        known = [place for place, rows in enumerate(found) if min(rows) >= 0]
        without = [{pair[side] for pair, rows in zip(given, found, strict=True) if rows[side] < 0} for side in (0, 1)]
        if not known:
            raise OptionError(_nothing(given, without, what))
        return cls(
            tuple(given[place] for place in known),
            np.array([found[place] for place in known], dtype=np.int64),
            len(given),
            len({one for one, _ in given}),
            len(given) - len(known),
            len(without[0]),
            len(without[1]),
        )

    @property
    def facts(self) -> dict[str, int]:
        """What was given, used and unknown, as JSON has it."""
        return {
            "given": self.given,
            "used": len(self.rows),
            "with_unknown_words": self.unknown,
            "unknown_source_words": self.unknown_source,
            "unknown_target_words": self.unknown_target,
        }


def _row(space: VectorSpace, word: str) -> int:
    rows = space.lexicon.rows
    return rows.get(word, rows.get(word.lower(), -1))


def _nothing(given: Sequence[Pair], without: Sequence[set[str]], what: str) -> str:
    if not given:
        return f"no {what}: expected at least one word and its translation"
    named = [", ".join(sorted(words)[:SHOWN]) or "none" for words in without]
    return (
        f"none of {len(given):,} {what} has two words with vectors (unknown in the source: {named[0]}; in the target: "
        f"{named[1]}): expected pairs of a source word and a target word, spelt as the vectors spell them"
    )
