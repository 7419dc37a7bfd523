"""What the categories of discrete codes stand for: their words and sentences.

What
    The words of the sentences of a category, ranked by how much more often they occur there than in all sentences.
Objective
    n(w, c) log(p(w | c) / p(w)), the share of w in the Kullback-Leibler divergence of both distributions
Source
    Dunning 1993, "Accurate methods for the statistics of surprise and coincidence", the part of a word.
Departures
    None.
Cost
    One pass over the words per slot.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class CodeUse:
    """A category of a slot among sentences.

    Attributes:
        slot: from 0.
        code: from 0.
        count: sentences with this category.
        words: that mark it, best first.
        sentences: the first ones with it.
    """

    slot: int
    code: int
    count: int
    words: tuple[str, ...]
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return f"slot {self.slot}, code {self.code}: {self.count:,} sentences; {', '.join(self.words)}"


def code_uses(
    codes: npt.NDArray[np.int64], words: Sequence[Sequence[str]], texts: Sequence[str], size: int, top: int
) -> list[CodeUse]:
    """Return the use of each category, also of those without sentences.

    Args:
        codes: (N, M).
        words: of N sentences.
        texts: the sentences.
        size: K.
        top: words and sentences of each.
    """
    everywhere = Counter(word for each in words for word in each)
    return [
        _use(slot, code, np.flatnonzero(codes[:, slot] == code).tolist(), everywhere, words, texts, top)
        for slot in range(codes.shape[1])
        for code in range(size)
    ]


def _use(
    slot: int,
    code: int,
    rows: Sequence[int],
    everywhere: Counter[str],
    words: Sequence[Sequence[str]],
    texts: Sequence[str],
    top: int,
) -> CodeUse:
    here = Counter(word for row in rows for word in words[row])
    total, all_words = here.total(), everywhere.total()
    weight = {word: n * math.log(n / total * all_words / everywhere[word]) for word, n in here.items()}
    best = sorted((word for word in weight if weight[word] > 0), key=lambda word: (-weight[word], word))[:top]
    return CodeUse(slot, code, len(rows), tuple(best), tuple(texts[row] for row in rows[:top]))
