"""Bottom-up selection: which words of a text stand in its summary, as tags for a tagger, and as a mask for copying.

What
    A tagger learns which words of a text were copied into its summary. In a search, only words whose probability
    reaches a threshold can be copied; the model itself is not trained again.
Objective
    Word i is copied if it is part of the longest sequence of words around it that the summary contains, and the text
    has no earlier occurrence of that sequence.
    alpha'_i = alpha_i / sum_j alpha_j over selected words, 0 for the others
Source
    Gehrmann, Deng and Rush 2018, sections 3.1 (alignment) and 3.2 (masks).
Departures
    Sequences are found from left to right, each as long as possible. The mark of the end of a text is always selected;
    attention that is on no selected word stays as it is.
Cost
    S T comparisons per pair of S and T words; one pass of the tagger over the texts.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError

TARGET, COPIED, LEFT = "copying", "copied", "left"


def copied_words(source: Sequence[str], summary: Sequence[str]) -> list[bool]:
    """Return of each of S words of a text whether the summary took it.

    >>> copied_words("the cat saw the cat sleep".split(), "a cat sleep".split())
    [False, True, False, False, True, True]
    """
    result, taken, start = [False] * len(source), set[tuple[str, ...]](), 0
    while start < len(source):
        length = max((_common(source[start:], summary[at:]) for at in range(len(summary))), default=0)
        words = tuple(source[start : start + length])
        if length and words not in taken:
            taken.add(words)
            result[start : start + length] = [True] * length
        start += max(length, 1)
    return result


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def selected_words(
    selector: Any, texts: Sequence[Sequence[str]], threshold: float, threads: int | None = None
) -> list[npt.NDArray[np.bool_]]:
    """Return of each text the (S,) words that may be copied.

    Raises:
        OptionError: the tagger has other tags, or the threshold is no probability.
    """
    if not 0 <= threshold <= 1:
        raise OptionError(f"threshold={threshold}: expected a probability, from 0 to 1")
    tags = getattr(selector, "tags", {}).get(TARGET, [])
    if COPIED not in tags:
        raise OptionError("selector: expected a tagger that was trained on model.selection_examples(pairs)")
    marginals = selector.marginals([list(words) for words in texts], threads=threads)
    return [by_task[TARGET][:, tags.index(COPIED)] >= threshold for by_task in marginals]
