"""Search by words: texts ranked by TF-IDF of hashed words and word pairs, without any training.

What
    Each word and each pair of neighbouring words of a text is hashed; texts and queries are sparse rows of weights.
    Words of most texts weigh nothing.
Objective
    score(q, d) = sum over the terms t of both of w_qt w_dt,   w_dt = log(1 + count(t, d)) idf(t)
    idf(t) = max(0, log((N - N_t + 0.5) / (N_t + 0.5))) for N texts, N_t of them with t
Source
    Chen, Fisch, Weston and Bordes 2017, section 3.1; Weinberger et al. 2009 (hashing).
Departures
    No list of stop words: idf makes them weigh nothing. Where no word of a query is rarer than in half of the texts,
    1 / N_t replaces its idf, so that few texts can be searched, too.
Cost
    Memory for each distinct term of each text, 8 bytes; a query reads the rows of its terms.
"""

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from firth.arguments import explained_class
from firth.errors import CorpusError, OptionError
from firth.options import check_whole
from firth.progress import Progress, Status, reporting_slow_work
from firth.sentences.search import SearchableTexts, TextMatch
from firth.text.inputs import Text, checked_texts
from firth.text.tokenise import words_of

Hashes = npt.NDArray[np.uint32]


@explained_class
class TfidfIndex(SearchableTexts):
    """Texts that can be searched by their words.

    Args:
        texts: N texts, such as paragraphs. Those without a word are never found.
        bits: of the hashes of terms; with fewer, more terms are taken for one another.
        progress: how to show progress; see `firth.progress`.

    Attributes:
        texts: the texts, in order of rows.

    Raises:
        CorpusError: no text has a word.
        ArgumentTypeError: `texts` is not a list of texts.
        OptionError: `bits` is out of its range.
    """

    def __init__(self, texts: Sequence[Text], *, bits: int = 24, progress: Progress = None) -> None:
        check_whole("bits", bits, 1)
        if bits > 32:
            raise OptionError(f"bits={bits}: expected 32 at most")
        self.texts = checked_texts(texts)
        self._mask = np.uint32((1 << bits) - 1)
        terms, rows, counts = [], [], []
        with reporting_slow_work(progress) as report:
            for row, text in enumerate(self.texts):
                text_terms, number = np.unique(self._hashes(text), return_counts=True)
                terms.append(text_terms)
                counts.append(number)
                rows.append(np.full(len(text_terms), row, np.int32))
                if row % 1000 == 999:
                    report(Status(stage="indexing", done=row + 1, total=len(self.texts), unit="texts"))
        flat = np.concatenate([np.empty(0, np.uint32), *terms])
        if not len(flat):
            raise CorpusError("no text with a word; expected some to search")
        self._terms, columns = np.unique(flat, return_inverse=True)
        weights = np.log1p(np.concatenate(counts)).astype(np.float32)
        shape = (len(self._terms), len(self.texts))
        self._weights = csr_array(coo_array((weights, (columns.reshape(-1), np.concatenate(rows))), shape=shape))
        frequencies = np.diff(self._weights.indptr)  # texts with each term
        self._idf = np.maximum(np.log((shape[1] - frequencies + 0.5) / (frequencies + 0.5)), 0).astype(np.float32)
        self._rarity = (1 / frequencies).astype(np.float32)

    def __repr__(self) -> str:
        return f"<TfidfIndex: {len(self):,} texts, {len(self._terms):,} words and word pairs>"

    def _found(self, queries: Sequence[Text], topn: int) -> list[list[TextMatch]]:
        """Return the texts that share the rarest words with each query; see `SearchableTexts`."""
        return [self._matches(query, topn) for query in queries]

    def _matches(self, query: Text, topn: int) -> list[TextMatch]:
        terms, counts = np.unique(self._hashes(query), return_counts=True)
        rows = np.searchsorted(self._terms, terms)
        rows[rows == len(self._terms)] = 0
        matching = self._terms[rows] == terms
        rows, counts = rows[matching], counts[matching]
        idf = self._idf[rows] if self._idf[rows].any() else self._rarity[rows]
        scores = (np.log1p(counts) * idf**2) @ self._weights[rows]
        rank = -min(topn, len(scores))
        last = np.partition(scores, rank)[rank]  # the topn-th score
        best = np.flatnonzero((scores >= last) & (scores > 0))  # with ties; the first rows are kept
        ranked = best[np.lexsort((best, -scores[best]))][:topn].tolist()
        return [TextMatch(row, float(scores[row]), self.texts[row]) for row in ranked]

    def _hashes(self, text: Text) -> Hashes:
        words = words_of(text) if isinstance(text, str) else list(text)
        terms: Iterable[str] = (*words, *(f"{first} {second}" for first, second in pairwise(words)))
        return (
            np.fromiter((zlib.crc32(term.encode("utf-8", "surrogatepass")) for term in terms), np.uint32) & self._mask
        )
