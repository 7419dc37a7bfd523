"""Augmentations: a text changed so that it still means about the same, for contrastive learning.

What: an augmentation is a function from the words of a text to other words. `delete` leaves words out, `reorder` moves
    them a little, `Synonyms` replaces them, by words of a thesaurus or by neighbours of word vectors; `chain` applies
    several in turn.
Objective: delete keeps each word with probability 1 - p, one at least; reorder sorts word i by i + u, u uniform from 0
    to d + 1, so that no word moves by more than d places; synonyms replace a word that has any with probability p.
Source: Wei and Zou 2019, "EDA" (synonyms, deletion); Lample, Conneau, Denoyer and Ranzato 2018, section 2.3 (deletion,
    reordering); Fang et al. 2020, "CERT", section 3, for augmentations as positives.
Departures: synonyms keep the case of the first letter, and nothing else of the form of the word. CERT translates a text
    to another language and back; any function of this kind may do so.
Cost: linear in the words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from firth.errors import OptionError, brief_repr

Augmentation = Callable[[Sequence[str], np.random.Generator], Sequence[str]]


def delete(words: Sequence[str], random: np.random.Generator, *, rate: float = 0.1) -> list[str]:
    """Return words without some of them; one is kept at least.

    Args:
        rate: probability that a word is left out.
    """
    kept = [word for word, draw in zip(words, random.random(len(words)), strict=True) if draw >= rate]
    return kept or [words[int(random.integers(len(words)))] for _ in words[:1]]


def reorder(words: Sequence[str], random: np.random.Generator, *, distance: int = 3) -> list[str]:
    """Return words in another order.

    Args:
        words: of a text.
        random: source of randomness.
        distance: places that a word moves at most.
    """
    keys = np.arange(len(words)) + random.uniform(0, distance + 1, len(words))
    return [words[i] for i in np.argsort(keys, kind="stable").tolist()]


@dataclass(frozen=True)
class Synonyms:
    """Replaces words by synonyms; an augmentation.

    Attributes:
        words: the synonyms of each word, all in lower case.
        rate: probability that a word with synonyms is replaced.

    Raises:
        OptionError: the rate is no probability.
    """

    words: Mapping[str, Sequence[str]]
    rate: float = 0.1

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        check_rate("rate", self.rate)

    @classmethod
    def of_senses(cls, senses: Mapping[str, Sequence[str]], rate: float = 0.1) -> "Synonyms":
        """Return synonyms from the senses of words, such as those of WordNet: words of a sense are synonyms.

        Args:
            senses: the senses of each word, the first one first. Words with the same first sense are synonyms.
            rate: probability that a word with synonyms is replaced.
        """
        members: dict[str, list[str]] = {}
        for word, own in senses.items():
            if own:
                members.setdefault(own[0], []).append(word)
        synonyms = {word: tuple(other for other in same if other != word) for same in members.values() for word in same}
        return cls({word: same for word, same in synonyms.items() if same}, rate)

    def __call__(self, words: Sequence[str], random: np.random.Generator) -> list[str]:
        """Return words with some of them replaced."""
        return [
            self._another(word, random) if draw < self.rate else word
            for word, draw in zip(words, random.random(len(words)), strict=True)
        ]

    def _another(self, word: str, random: np.random.Generator) -> str:
        core = word.strip("\"'()[].,;:!?")
        synonyms = self.words.get(core.lower()) if core else None
        if not synonyms:
            return word
        other = synonyms[int(random.integers(len(synonyms)))]
        before, _, after = word.partition(core)
        return before + (other[:1].upper() + other[1:] if core[0].isupper() else other) + after


def chain(*augmentations: Augmentation) -> Augmentation:
    """Return the augmentation that applies several in turn."""
    return partial(_apply, augmentations)


def _apply(augmentations: Sequence[Augmentation], words: Sequence[str], random: np.random.Generator) -> Sequence[str]:
    for augmentation in augmentations:
        words = augmentation(words, random)
    return words


def check_rate(name: str, rate: float) -> None:
    """Check a probability."""
    if not 0 <= rate <= 1:
        raise OptionError(f"{name}={rate!r}: expected a probability from 0 to 1")
