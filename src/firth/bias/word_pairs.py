"""Pairs of words, such as she and he, in the spelling of the vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firth.bias.query import Vectors, row_of
from firth.errors import OptionError
from firth.postprocess.word_pairs import word_pair

Pair = tuple[str, str]


@dataclass(frozen=True)
class Pairing:
    """Pairs of which both words have a vector.

    Attributes:
        used: each once, as the vectors write them, in the order given.
        missing: words without a vector, as they were given.
        given: how many different pairs there were.
    """

    used: tuple[Pair, ...]
    missing: tuple[str, ...]
    given: int

    @classmethod
    def of(cls, vectors: Vectors, pairs: Iterable[Sequence[str]], what: str = "pairs") -> "Pairing":
        """Return the pairs of which both words have a row: as they are written, else both in lower case.

        Args:
            vectors: which they are looked up in.
            pairs: of two different words each.
            what: they are called in messages.

        Raises:
            OptionError: one is no pair, or none has two words with vectors.
        """
        listed = list(dict.fromkeys(_checked(pair, what) for pair in pairs))
        # Case is that of the pair: Dad and mom, where only mom has a capital form too, would be no fair pair.
        spelt = [_spelt(vectors, pair) for pair in listed]
        used = tuple(dict.fromkeys(pair for pair in spelt if pair is not None))
        lacking = [pair for pair, form in zip(listed, spelt, strict=True) if form is None]
        missing = tuple(dict.fromkeys(word for pair in lacking for word in pair if not _known(vectors, word)))
        if not used:
            some = f" ({', '.join(repr(word) for word in missing[:3])} have none)" if missing else ""
            raise OptionError(
                f"none of {len(listed)} {what} has two words with vectors{some}: expected pairs in the language and "
                "the spelling of the vectors"
            )
        return cls(used, missing, len(listed))

    @property
    def words(self) -> list[str]:
        """The words of all pairs, each once."""
        return list(dict.fromkeys(word for pair in self.used for word in pair))


def _checked(pair: Sequence[str], what: str) -> Pair:
    one, other = word_pair(pair, what)
    if one == other:
        raise OptionError(f"{one!r} stands beside itself among the {what}: expected two different words")
    return one, other


def _spelt(vectors: Vectors, pair: Pair) -> Pair | None:
    for form in (pair, (pair[0].lower(), pair[1].lower())):
        if form[0] != form[1] and all(row_of(vectors, word) >= 0 for word in form):
            return form
    return None


def _known(vectors: Vectors, word: str) -> bool:
    return row_of(vectors, word) >= 0 or row_of(vectors, word.lower()) >= 0
