"""Occurrences of words as the senses they have there: what makes a model of senses be judged on words in context.

An occurrence gets the vector of its likeliest sense among the tokens around it, so that two occurrences of one word are
one point where the model says that they share their sense, and the cosine of two words in context is their MaxSimC
(Huang et al. 2012, section 5.2). `firth.evaluation.context.cosines_of` takes such a reading in the place of its own.
"""

from collections.abc import Sequence

import numpy as np

from firth.evaluation.context import WINDOW, Known, Occurrence, Reading
from firth.evaluation.suite import Space
from firth.vectors.neighbours import Matrix, unit
from firth.vectors.sense_vectors import SenseVectors


def sense_reading(senses: SenseVectors, window: int = WINDOW) -> Reading:
    """Return the reading that gives an occurrence the vector of its likeliest sense.

    Args:
        senses: the model. Of a word it does not know in its form, it reads the lemma.
        window: tokens on either side that tell which sense is meant.

    Returns:
        A function from a space, which it does not ask, and n occurrences to (n, D) vectors of length 1, zeros for
        unknown words, and (n,) whether the word is known.
    """

    def read(space: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Known]:
        found = np.zeros((len(occurrences), senses.dim), dtype=senses.vectors.dtype)
        known = np.zeros(len(occurrences), dtype=bool)
        for number, one in enumerate(occurrences):
            word = next((form for form in (one.tokens[one.place], one.word) if form in senses), None)
            if word is None:
                continue
            first = max(0, one.place - window)
            around = one.tokens[first : one.place + window + 1]
            likeliest = senses.disambiguate(word, around, place=one.place - first).argmax()
            found[number] = senses.vectors[senses.rows(word)][likeliest]
            known[number] = True
        return unit(found), known

    return read
