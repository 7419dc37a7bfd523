"""Where a word occurs in an encoded corpus, with the words around it: a few occurrences for the explorer.

What: evenly spaced occurrences, so that a few of them show all parts of the text.
Cost: one look at each token's id, 4 N bytes read; none of it is kept.
"""

from dataclasses import dataclass

import numpy as np

from firth.corpus.encoded import Corpus
from firth.errors import UnknownWordError
from firth.options import check_whole
from firth.text.forms import place_of

PART = 1 << 22  # tokens that are looked at at once


@dataclass(frozen=True)
class Occurrence:
    """A word in its sentence.

    Attributes:
        sentence: number of the sentence, from 0.
        before: the words before it, at most so many as were asked for.
    """

    sentence: int
    before: tuple[str, ...]
    after: tuple[str, ...]


def spaced_contexts(corpus: Corpus, word: str, *, n: int = 20, width: int = 8) -> tuple[list[Occurrence], int]:
    """Return occurrences of a word in the order of the text, and how many there are.

    Args:
        corpus: the text; words outside its vocabulary are left out of it.
        word: to look for, in any form; see `firth.text.forms`.
        n: occurrences at most, evenly spaced.
        width: words on either side, at most.
    """
    check_whole("n", n, 1)
    check_whole("width", width, 1)
    words = corpus.vocabulary.words
    tokens = corpus.options.tokens
    number = place_of(word, corpus.vocabulary.ids, tokens if isinstance(tokens, str) else None)
    if number is None:
        raise UnknownWordError(word)
    starts = range(0, len(corpus.ids), PART)
    positions = np.concatenate([
        np.empty(0, np.int64), *(start + np.flatnonzero(corpus.ids[start : start + PART] == number) for start in starts)
    ])  # fmt: skip
    chosen = positions[np.unique(np.linspace(0, len(positions) - 1, min(n, len(positions))).astype(np.int64))]
    occurrences = []
    for position in chosen.tolist():
        sentence = int(np.searchsorted(corpus.offsets, position, side="right")) - 1
        first, last = int(corpus.offsets[sentence]), int(corpus.offsets[sentence + 1])
        before, after = (
            corpus.ids[max(first, position - width) : position],
            corpus.ids[position + 1 : min(last, position + 1 + width)],
        )
        occurrences.append(Occurrence(sentence, *(tuple(words[i] for i in side.tolist()) for side in (before, after))))
    return occurrences, len(positions)
