"""Dispersion: how evenly words are spread over the documents of a text.

Objective, with s_i the share of document i in all words, and v_iw the share of it in the occurrences of word w:

    DP_w = 1/2 sum_i |v_iw - s_i|

from 0, spread as the words of the text are, to nearly 1, all in a small document.

Source: Gries 2008, "Dispersions and adjusted frequencies in corpora", International Journal of Corpus Linguistics
13(4), section 3.1.
Departures: none. A word in one document of equally large J has 1 - 1/J; the normalised DP divides by it.
Cost: one pass over the cells of the counts.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def deviation_of_proportions(counts: Any, sizes: Floats) -> Floats:
    """Return DP of each word, (V,); NaN for a word that does not occur, and for all of a single document.

    Args:
        counts: occurrences of each word in each document, a SciPy `csr_array` (J, V).
        sizes: words of each document, (J,).
    """
    words = counts.shape[1]
    if counts.shape[0] < 2:
        return np.full(words, np.nan)
    totals = np.asarray(counts.sum(axis=0)).ravel()
    shares = np.repeat(sizes / sizes.sum(), np.diff(counts.indptr))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = counts.data / totals[counts.indices]
        # The documents without a word add their shares, which are those that its own leave of 1.
        above = np.bincount(counts.indices, np.abs(values - shares) - shares, minlength=words)
        return np.where(totals > 0, np.clip((1 + above) / 2, 0, 1), np.nan)


def documents_with(counts: Any) -> npt.NDArray[np.int64]:
    """Return in how many documents each word occurs, (V,)."""
    return np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1]).astype(np.int64)
