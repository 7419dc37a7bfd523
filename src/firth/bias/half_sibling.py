"""Half-sibling regression: subtract what definitional words predict of other words.

What: what vectors of definitional words (he, queen, mother) have in common with other words is assumed to be gender.
A ridge regression on them predicts each other word's vector, and the prediction is subtracted.

Objective: with definitional words as columns of V_d (D, n_d) and the others of V_n (D, n_n),

    W = (V_d' V_d + alpha I)^-1 V_d' V_n,    V_n <- V_n - V_d W

Source: Yang and Feng 2020, "A causal inference method for reducing gender bias in word embedding relations", equations
4 to 6; alpha = 60. Schölkopf et al. 2016 for half-sibling regression.

Departures: none. As in the paper, vectors are not normalised. alpha has the unit of their squared length, so that its
effect is smaller for vectors shorter than GloVe's; the metadata has it relative to the mean squared length.

Cost: one system of n_d unknowns, and one product (V, D) x (D, D).
"""

from collections.abc import Iterable

import numpy as np

from firth.bias.query import coverage_of, rows_of
from firth.errors import OptionError
from firth.postprocess.transforms import Floats, checked_matrix, map_rows, with_matrix
from firth.vectors.word_vectors import WordVectors

ALPHA = 60.0


def half_sibling_regression(vectors: WordVectors, definitional: Iterable[str], *, alpha: float = ALPHA) -> WordVectors:
    """Return vectors minus what definitional words predict of them.

    Args:
        vectors: V words.
        definitional: words whose meaning includes the bias; they are not changed.
        alpha: ridge penalty, above 0.

    Raises:
        OptionError: no definitional word has a vector, or `alpha` is not above 0.
        FormatError: a vector is not finite.
    """
    if not 0 < alpha < np.inf:
        raise OptionError(f"alpha={alpha}: expected a number above 0")
    matrix = checked_matrix(vectors)
    covered = coverage_of(vectors, list(definitional), "definitional words")
    rows_d = rows_of(vectors, covered.used)  # (n_d, D): V_d'
    # V_d W = V_d (V_d' V_d + alpha I)^-1 V_d' V_n = S V_n, the same (D, D) map for every word.
    shrunk = rows_d.T @ np.linalg.solve(rows_d @ rows_d.T + alpha * np.eye(len(rows_d)), rows_d)
    mask = np.isin(np.arange(len(vectors)), vectors.get_index(list(covered.used)))

    def without(rows: Floats, part: slice) -> Floats:
        return rows - np.where(mask[part, None], 0.0, rows @ shrunk)

    facts = {
        "alpha": float(alpha),
        "relative_alpha": float(alpha / max(float((rows_d**2).sum(axis=1).mean()), np.finfo(np.float64).tiny)),
        "definitional": len(covered.used),
        "unknown_words": list(covered.missing),
    }
    return with_matrix(vectors, map_rows(matrix, vectors.dim, without), "half-sibling", facts)
