"""The vector of an occurrence from vectors of senses: the one that is meant, as the words around it tell.

What: models of several vectors a word answer the questions of `firth.evaluation.context` (word-in-context, similarity
in context) by a `Reading` of their own.

Objective: of an occurrence of a word with the senses s among the words c,

    expected   sum_s p(s | c)  v_s / |v_s|, at length 1
    likeliest  v_s / |v_s| of the s with the greatest p(s | c)

Source: Huang et al. 2012, Improving word representations via global context and multiple word prototypes, section 5.2,
whose AvgSimC is the product of two expected vectors before they are brought to length 1, and whose MaxSimC is the
product of two likeliest.

Departures: the expected vector is brought to length 1, for the cosine of two occurrences of one word would else fall
with every doubt about them.

Cost: that of `SenseVectors.disambiguate`, a call for each word that occurs.
"""

from collections.abc import Sequence

import numpy as np

from firth.errors import OptionError
from firth.evaluation.context import WINDOW, Known, Occurrence, Reading
from firth.evaluation.suite import Space
from firth.vectors.neighbours import Matrix, unit
from firth.vectors.sense_vectors import SenseVectors

HOW = ("expected", "likeliest")


def senses_in_context(senses: SenseVectors, how: str = "expected") -> Reading:
    """Return what gives an occurrence of a word the vector of the sense that is meant.

    Args:
        senses: of the words; the form in the sentence is looked up, or else the lemma.
        how: "expected" or "likeliest"; the module's docstring has the formulas.

    Returns:
        A `Reading`, for `firth.evaluation.context.cosines_of`; it asks the senses, whatever the space is.

    Raises:
        OptionError: there is no such `how`.
    """
    if how not in HOW:
        raise OptionError(f"how={how!r}: expected {' or '.join(HOW)}")

    def reading(space: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Known]:
        made = np.zeros((len(occurrences), senses.dim), dtype=np.float32)
        known = np.zeros(len(occurrences), dtype=bool)
        places = dict[str, list[int]]()
        for place, one in enumerate(occurrences):
            forms = (one.tokens[one.place], one.tokens[one.place].lower(), one.word)
            word = next((form for form in forms if form in senses), None)
            if word is not None:
                places.setdefault(word, []).append(place)
        for word, own in places.items():
            made[own] = _meant(senses, word, [occurrences[place].around(WINDOW) for place in own], how)
            known[own] = True
        return made, known & made.any(axis=1)

    return reading


def _meant(senses: SenseVectors, word: str, around: Sequence[Sequence[str]], how: str) -> Matrix:
    contexts = [[token if token in senses else token.lower() for token in tokens] for tokens in around]
    p = senses.disambiguate(word, contexts)
    if how == "likeliest":
        p = np.eye(p.shape[1])[p.argmax(axis=1)]
    return unit(p.astype(np.float32) @ unit(np.asarray(senses.vectors[senses.rows(word)], dtype=np.float32)))
