"""Counts of words in documents, and inverse document frequencies.

What: a sparse matrix with a row per document and a column per word.

Objective: f_jw, how often word w occurs in document j; idf_w = log(J / J_w), if J_w of J documents have the word.

Source: Salton and Buckley 1988, "Term-weighting approaches in automatic text retrieval", section 2.

Departures: none.

Cost: one pass over the corpus, in memory.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus


def document_counts(corpus: Corpus) -> Any:
    """Return the count of each word in each document: f, a SciPy `csr_array` (J, V) of float64."""
    from scipy import sparse

    shape = (len(corpus), len(corpus.vocabulary))
    matrix = sparse.csr_array((np.ones(corpus.num_tokens), corpus.ids.copy(), corpus.offsets.copy()), shape=shape)
    matrix.sum_duplicates()
    return matrix


def inverse_document_frequencies(counts: Any) -> npt.NDArray[np.float64]:
    """Return idf of each word, (V,), from the counts f; log J of a word that no document has."""
    documents, words = counts.shape
    within = np.bincount(counts.indices, minlength=words)
    return np.asarray(np.log(documents / np.maximum(within, 1)))
