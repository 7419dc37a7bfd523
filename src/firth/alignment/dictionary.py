"""A bilingual dictionary: pairs of words looked up as rows of their vectors.

`firth.postprocess.word_pairs.read_word_pairs` reads a file of pairs: one pair per line, or a word and all its
translations, separated by tabs if the line has any, else by spaces.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.options import wrong_kind
from firth.postprocess.word_pairs import pair_facts, word_pair
from firth.vectors.space import VectorSpace

Pair = tuple[str, str]

SHOWN = 3  # words or pairs listed in a message


@dataclass(frozen=True)
class Dictionary:
    """The pairs in which both words have a vector.

    Attributes:
        pairs: P different pairs, in input order.
        rows: (P, 2) their rows in the source and in the target.
        asked: number of different source words in the input pairs.
        unknown: number of input pairs with a word without a vector.
        unknown_source: number of different source words without a vector.
        unknown_target: number of different target words without a vector.
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
        """Look up pairs; a word is looked up as written, then in lower case.

        Args:
            pairs: pairs of words, or a mapping from first to second words.
            what: name of the pairs in error messages.

        Raises:
            OptionError: an element is not a pair of words, or no pair has two words with vectors.
        """
        if isinstance(pairs, Mapping):
            pairs = pairs.items()
        if isinstance(pairs, str | os.PathLike):
            expected = "pairs of words; firth.postprocess.word_pairs.read_word_pairs reads a file of them"
            raise wrong_kind(what, pairs, expected)
        if not isinstance(pairs, Iterable):
            raise wrong_kind(what, pairs, "pairs of words")
        distinct = list(dict.fromkeys(word_pair(pair, what) for pair in pairs))
        pair_rows = [(_row(source, first), _row(target, second)) for first, second in distinct]
        rows_known = [i for i, rows in enumerate(pair_rows) if min(rows) >= 0]
        unknown = [
            {pair[side] for pair, rows in zip(distinct, pair_rows, strict=True) if rows[side] < 0} for side in (0, 1)
        ]
        if not rows_known:
            raise OptionError(_no_pair_message(distinct, unknown, what))
        return cls(
            tuple(distinct[i] for i in rows_known),
            np.array([pair_rows[i] for i in rows_known], dtype=np.int64),
            len(distinct),
            len({word for word, _ in distinct}),
            len(distinct) - len(rows_known),
            len(unknown[0]),
            len(unknown[1]),
        )

    @property
    def facts(self) -> dict[str, int]:
        """Number of given, used and unknown pairs, for JSON."""
        sides = {"unknown_source_words": self.unknown_source, "unknown_target_words": self.unknown_target}
        return pair_facts(self.given, len(self.rows), self.unknown, **sides)


def _row(space: VectorSpace, word: str) -> int:
    row = space.lexicon.row_of(word)
    return -1 if row is None else row


def _no_pair_message(pairs: Sequence[Pair], unknown: Sequence[set[str]], what: str) -> str:
    if not pairs:
        return f"no {what}: expected at least one word and its translation"
    words = [", ".join(sorted(side)[:SHOWN]) or "none" for side in unknown]
    return (
        f"none of {len(pairs):,} {what} has two words with vectors (unknown in the source: {words[0]}; in the target: "
        f"{words[1]}): expected pairs of a source word and a target word, spelt as in the vectors"
    )
