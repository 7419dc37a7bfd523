"""Pairs labelled as antonyms or synonyms: reading, deduplication and lexical splits.

A line of a file holds a pair and its label, separated by tabs or spaces: `hot cold 1` for antonyms, `hot warm 0` for
synonyms, as in AntSynNET's files.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError, OptionError, brief_repr
from firth.postprocess.word_pairs import Pair
from firth.randomness import generator
from firth.storage.files import text_of

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LabelledPairs:
    """Pairs labelled as antonyms or synonyms.

    Attributes:
        pairs: n pairs.
        antonyms: (n,) True for antonyms, False for synonyms; an array or a list.

    Raises:
        OptionError: the numbers of labels and pairs differ.
    """

    pairs: Sequence[Pair]
    antonyms: Mask

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "antonyms", np.asarray(self.antonyms, dtype=bool))  # a list will do
        if len(self.pairs) != len(self.antonyms):
            raise OptionError(f"{len(self.antonyms):,} labels for {len(self.pairs):,} pairs: expected one per pair")

    def __len__(self) -> int:
        return len(self.pairs)

    def __add__(self, other: "LabelledPairs") -> "LabelledPairs":
        return LabelledPairs([*self.pairs, *other.pairs], np.concatenate([self.antonyms, other.antonyms]))

    @property
    def words(self) -> frozenset[str]:
        """The words of all pairs."""
        return frozenset(word for pair in self.pairs for word in pair)

    @property
    def sets(self) -> list[frozenset[str]]:
        """Each pair as a set of its two words."""
        return [frozenset(pair) for pair in self.pairs]

    def among(self, rows: npt.ArrayLike) -> "LabelledPairs":
        """Return a selection of the pairs.

        Args:
            rows: (n,) boolean mask, or indices.
        """
        selection: Any = np.asarray(rows)
        indices = np.arange(len(self))[selection].tolist()
        return LabelledPairs([self.pairs[i] for i in indices], self.antonyms[indices])

    def without(self, excluded_pairs: "LabelledPairs") -> "LabelledPairs":
        """Return the pairs that are not in `excluded_pairs`, in either word order."""
        excluded = set(excluded_pairs.sets)
        return self.among(np.array([pair not in excluded for pair in self.sets], dtype=bool))

    def once(self) -> "LabelledPairs":
        """Return each pair once, in order of first occurrence, without pairs that have both labels."""
        first: dict[frozenset[str], int] = {}
        both = set()
        for i, pair in enumerate(self.sets):
            if self.antonyms[first.setdefault(pair, i)] != self.antonyms[i]:
                both.add(pair)
        return self.among(np.array([i for pair, i in first.items() if pair not in both], dtype=np.int64))

    def checked(self) -> "LabelledPairs":
        """Return the pairs after checking that a classifier can learn from them.

        Raises:
            OptionError: a pair has both labels, all pairs have the same label, or there are none.
        """
        kinds = {bool(label) for label in self.antonyms}
        if len(kinds) < 2:
            content = f"{len(self):,} pairs of {'antonyms' if True in kinds else 'synonyms'}" if kinds else "no pairs"
            raise OptionError(f"{content} alone: expected antonyms (label 1) and synonyms (label 0)")
        once = set(self.once().sets)
        for first, second in self.pairs:
            if frozenset((first, second)) not in once:
                raise OptionError(f"{first!r} and {second!r} have both labels: remove one of the two")
        return self


@names_files
def read_labelled_pairs(*paths: str | os.PathLike[str]) -> LabelledPairs:
    """Read the pairs of one or more files in order.

    Args:
        *paths: paths of the files; empty lines are skipped.

    Raises:
        FormatError: a line is not two words and 0 or 1, or a file has no pairs.
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
            raise FormatError(f"{path}: no pairs; expected two words and 1 or 0 per line")
    return LabelledPairs(pairs, np.array(labels, dtype=bool))


def lexical_split(pairs: LabelledPairs, share: float = 0.6, *, seed: int = 0) -> tuple[LabelledPairs, LabelledPairs]:
    """Split pairs into training and test pairs without a common word; pairs with a word of each side are dropped.

    A classifier that has seen "hot" in ten pairs of antonyms predicts "antonyms" for any pair with "hot". Only pairs of
    unseen words test what it knows of pairs.

    Args:
        pairs: n pairs.
        share: share of the words for training, between 0 and 1.
        seed: seed of the random split.

    Returns:
        Training pairs and test pairs, each pair once.

    Raises:
        OptionError: `share` is not between 0 and 1.

    Source:
        Levy et al. 2015, Do supervised distributional methods really learn lexical inference relations?, section 3.1.
    """
    if not 0 < share < 1:
        raise OptionError(f"share={share!r}: expected a number between 0 and 1")
    pairs = pairs.once()
    words = sorted(pairs.words)
    in_training = generator(seed, "lexical split").random(len(words)) < share
    first = dict(zip(words, in_training.tolist(), strict=True))
    sides = np.array(
        [(first[first_word], first[second_word]) for first_word, second_word in pairs.pairs], dtype=bool
    ).reshape(-1, 2)
    return pairs.among(sides.all(axis=1)), pairs.among(~sides.any(axis=1))
