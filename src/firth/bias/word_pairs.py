"""Pairs of words, such as she and he, spelled as in the vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firth.bias.query import Vectors, row_of
from firth.errors import OptionError
from firth.postprocess.word_pairs import word_pair

Pair = tuple[str, str]


@dataclass(frozen=True)
class KnownPairs:
    """Pairs whose words both have a vector.

    Attributes:
        used: the pairs, each once, as the vectors spell them, in the given order.
        missing: words without a vector, in the spelling of the list.
    """

    used: tuple[Pair, ...]
    missing: tuple[str, ...]
    given: int

    @classmethod
    def of(cls, vectors: Vectors, pairs: Iterable[Sequence[str]], what: str = "pairs") -> "KnownPairs":
        """Return the pairs whose words both have a vector: as written, else both in lower case.

        Args:
            pairs: pairs of two different words.
            what: name of the pairs in messages.

        Raises:
            OptionError: an item is not a pair, or no pair has two known words.
        """
        distinct = list(dict.fromkeys(_checked(pair, what) for pair in pairs))
        # Both words have the same case: Dad and mom would not be a fair pair.
        spelled = [_spelling(vectors, pair) for pair in distinct]
        present = tuple(dict.fromkeys(pair for pair in spelled if pair is not None))
        unknown = [pair for pair, form in zip(distinct, spelled, strict=True) if form is None]
        missing = tuple(dict.fromkeys(word for pair in unknown for word in pair if not _known(vectors, word)))
        if not present:
            examples = f" ({', '.join(repr(word) for word in missing[:3])} have none)" if missing else ""
            raise OptionError(
                f"none of {len(distinct)} {what} has two words with vectors{examples}: expected pairs in the language "
                "and the spelling of the vectors"
            )
        return cls(present, missing, len(distinct))

    @property
    def words(self) -> list[str]:
        """The words of all pairs, each once."""
        return list(dict.fromkeys(word for pair in self.used for word in pair))


def _checked(pair: Sequence[str], what: str) -> Pair:
    first, second = word_pair(pair, what)
    if first == second:
        raise OptionError(f"{first!r} is paired with itself among the {what}: expected two different words")
    return first, second


def _spelling(vectors: Vectors, pair: Pair) -> Pair | None:
    for form in (pair, (pair[0].lower(), pair[1].lower())):
        rows = [row_of(vectors, word) for word in form]
        if min(rows) >= 0 and rows[0] != rows[1]:
            return vectors.words[rows[0]], vectors.words[rows[1]]
    return None


def _known(vectors: Vectors, word: str) -> bool:
    return row_of(vectors, word) >= 0
