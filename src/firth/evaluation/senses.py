"""Word senses in context: represents an occurrence of a word by the sense it most probably has there.

What: makes a model with several vectors per word an `OccurrenceEncoder`, so that `firth.evaluation.context` can
evaluate it on word-in-context and on similarity in context.

Objective: for an occurrence of a word with the senses s in the context c,

    expected   sum_s p(s | c)  v_s / |v_s|, scaled to length 1
    likeliest  v_s / |v_s| of the s with the greatest p(s | c)

Source: Huang et al. 2012, Improving word representations via global context and multiple word prototypes, section 5.2:
AvgSimC is the product of two expected vectors before they are scaled, MaxSimC the product of two likeliest ones.

Departures: the expected vector is scaled to length 1. Otherwise the cosine of two occurrences of the same word would
fall with the uncertainty about each.

Lookup: a token is looked up as written, then in lower case, the rule of every other evaluation (`Space.find`); the
target word is last looked up by its lemma. Case has to fall back, because models of lower-cased text would otherwise
lose the first word of each sentence and every name in the context. The position of the word is passed on, so that
models that weight context words by distance do so here too.

Cost: that of `SenseVectors.disambiguate`, one call per different word.
"""

from collections.abc import Sequence

import numpy as np

from firth.errors import OptionError
from firth.evaluation.context import WINDOW, Mask, OccurrenceEncoder
from firth.evaluation.suite import Space
from firth.readers.words_in_context import Occurrence
from firth.vectors.cosine import Matrix, unit
from firth.vectors.sense_vectors import SenseVectors

METHODS = ("expected", "likeliest")


def senses_in_context(senses: SenseVectors, method: str = "expected", *, window: int = WINDOW) -> OccurrenceEncoder:
    """Return an encoder that represents an occurrence of a word by its sense in context.

    Args:
        senses: the model.
        method: "expected" or "likeliest"; the module's docstring has the formulas.
        window: context size: tokens on either side of the word.

    Returns:
        An encoder for `firth.evaluation.context.pair_cosines`. It uses `senses` and ignores the space it is given.

    Raises:
        OptionError: `method` is unknown.
    """
    if method not in METHODS:
        raise OptionError(f"method={method!r}: expected {' or '.join(METHODS)}")

    def encode(_: Space, occurrences: Sequence[Occurrence]) -> tuple[Matrix, Mask]:
        matrix = np.zeros((len(occurrences), senses.dim), dtype=np.float32)
        encoded = np.zeros(len(occurrences), dtype=bool)
        rows_of = dict[str, list[int]]()
        for row, occurrence in enumerate(occurrences):
            token = occurrence.tokens[occurrence.position]
            word = next((form for form in (token, token.lower(), occurrence.word) if form in senses), None)
            if word is not None:
                rows_of.setdefault(word, []).append(row)
        for word, rows in rows_of.items():
            matrix[rows] = _sense_vectors(senses, word, [occurrences[row].clip(window) for row in rows], method)
            encoded[rows] = True
        return matrix, encoded & matrix.any(axis=1)

    return encode


def _sense_vectors(senses: SenseVectors, word: str, occurrences: Sequence[Occurrence], method: str) -> Matrix:
    contexts = [list(occurrence.tokens) for occurrence in occurrences]
    p = senses.disambiguate(word, contexts, [occurrence.position for occurrence in occurrences])
    if method == "likeliest":
        p = np.eye(p.shape[1])[p.argmax(axis=1)]
    return unit(p.astype(np.float32) @ unit(np.asarray(senses.vectors[senses.rows(word)], dtype=np.float32)))
