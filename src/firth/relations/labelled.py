"""Pairs of words that are known to be antonyms, or synonyms: from files, each once, parted so that no word is shared.

A file has a pair a line and its label: `hot cold 1` for antonyms, `hot warm 0` for synonyms, parted by tabs or spaces,
as AntSynNET's files have them.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.postprocess.word_pairs import Pair
from firth.randomness import generator
from firth.storage.files import text_of

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LabelledPairs:
    """Pairs, and which of them are antonyms; the others are synonyms.

    Attributes:
        pairs: n pairs.
        antonyms: (n,), an array or a list.

    Raises:
        OptionError: there are not as many labels as pairs.
    """

    pairs: Sequence[Pair]
    antonyms: Mask

    def __post_init__(self) -> None:
        object.__setattr__(self, "antonyms", np.asarray(self.antonyms, dtype=bool))  # a list will do
        if len(self.pairs) != len(self.antonyms):
            raise OptionError(f"{len(self.antonyms):,} labels for {len(self.pairs):,} pairs: expected one a pair")

    def __len__(self) -> int:
        return len(self.pairs)

    def __add__(self, other: "LabelledPairs") -> "LabelledPairs":
        return LabelledPairs([*self.pairs, *other.pairs], np.concatenate([self.antonyms, other.antonyms]))

    @property
    def words(self) -> frozenset[str]:
        """The words that stand in the pairs."""
        return frozenset(word for pair in self.pairs for word in pair)

    @property
    def sets(self) -> list[frozenset[str]]:
        """Each pair without its order."""
        return [frozenset(pair) for pair in self.pairs]

    def among(self, kept: npt.ArrayLike) -> "LabelledPairs":
        """Return some of the pairs.

        Args:
            kept: (n,) whether, or the numbers of those that are kept.
        """
        chosen: Any = np.asarray(kept)
        places = np.arange(len(self))[chosen].tolist()
        return LabelledPairs([self.pairs[i] for i in places], self.antonyms[places])

    def without(self, others: "LabelledPairs") -> "LabelledPairs":
        """Return those that do not stand among others, in whichever order."""
        taken = set(others.sets)
        return self.among(np.array([pair not in taken for pair in self.sets], dtype=bool))

    def once(self) -> "LabelledPairs":
        """Return each pair once, in the order it first had; pairs that have both labels are left out."""
        first: dict[frozenset[str], int] = {}
        both = set()
        for i, pair in enumerate(self.sets):
            if self.antonyms[first.setdefault(pair, i)] != self.antonyms[i]:
                both.add(pair)
        return self.among(np.array([i for pair, i in first.items() if pair not in both], dtype=np.int64))

    def checked(self) -> "LabelledPairs":
        """Return the pairs, of which a classifier can learn.

        Raises:
            OptionError: a pair has both labels, all pairs have one, or there is none.
        """
        kinds = {bool(label) for label in self.antonyms}
        if len(kinds) < 2:
            found = f"{len(self):,} pairs of {'antonyms' if True in kinds else 'synonyms'}" if kinds else "no pairs"
            raise OptionError(f"{found} alone: expected antonyms (label 1) and synonyms (label 0)")
        once = set(self.once().sets)
        for one, other in self.pairs:
            if frozenset((one, other)) not in once:
                raise OptionError(f"{one!r} and {other!r} are labelled antonyms and synonyms: leave one of the two out")
        return self


def read_labelled_pairs(*paths: str | os.PathLike[str]) -> LabelledPairs:
    """Return the pairs of files, one after the other.

    Args:
        *paths: of the files; empty lines are passed over.

    Raises:
        FormatError: a line is not two words and 0 or 1, or a file holds no line.
        OSError: a file cannot be read.
    """
    pairs: list[Pair] = []
    labels: list[bool] = []
    for path in paths:
        before = len(pairs)
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if not line.strip():
                continue
            fields = [field.strip() for field in (line.split("\t") if "\t" in line else line.split())]
            if len(fields) != 3 or fields[2] not in ("0", "1") or not (fields[0] and fields[1]):
                raise FormatError(
                    f"{path} line {number}: {line[:60]!r}; expected two words and 1 (antonyms) or 0 (synonyms)"
                )
            pairs.append((fields[0], fields[1]))
            labels.append(fields[2] == "1")
        if len(pairs) == before:
            raise FormatError(f"{path}: no pairs; expected two words and 1 or 0 a line")
    return LabelledPairs(pairs, np.array(labels, dtype=bool))


def lexical_split(pairs: LabelledPairs, share: float = 0.6, *, seed: int = 0) -> tuple[LabelledPairs, LabelledPairs]:
    """Part pairs so that no word stands on both sides; pairs of a word of each side are left out.

    A classifier that has seen "hot" in ten pairs of antonyms says antonym of any pair with "hot" in it; only pairs of
    words that it never saw tell what it knows of pairs.

    Args:
        pairs: n pairs.
        share: of the words that the first side gets, between 0 and 1.
        seed: of the draw.

    Returns:
        The pairs to train on, and those to judge with, each once.

    Raises:
        OptionError: the share is not between 0 and 1.

    Source:
        Levy et al. 2015, Do supervised distributional methods really learn lexical inference relations?, section 3.1.
    """
    if not 0 < share < 1:
        raise OptionError(f"share={share!r}: expected a number between 0 and 1")
    pairs = pairs.once()
    words = sorted(pairs.words)
    drawn = generator(seed, "lexical split").random(len(words)) < share
    first = dict(zip(words, drawn.tolist(), strict=True))
    sides = np.array([(first[one], first[other]) for one, other in pairs.pairs], dtype=bool).reshape(-1, 2)
    return pairs.among(sides.all(axis=1)), pairs.among(~sides.any(axis=1))
