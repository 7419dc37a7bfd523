"""Graphs of words and documents: what a graph network reads to label documents.

What: a node per document and per word of a corpus. Documents are connected with their words, and words with others that
occur near them more often than by chance.

Objective: the weight of document j and word w is f_jw log(J / J_w), TF-IDF; of words v and w

    max(0, log [ W n_vw / (n_v n_w) ])

where n_w of the W sliding windows have the word w, and n_vw have both. A document of T words has max(1, T - window + 1)
windows. Nodes are not connected with themselves: graph networks add that.

Source: Yao, Mao and Luo 2019, "Graph Convolutional Networks for Text Classification", section 3.2, equations 3 to 6.

Departures: a document without known words has no edge.

Cost: window^2 additions per token, in memory; 8 bytes per edge.

Counts of words in documents, and inverse document frequencies.

What: a sparse matrix with a row per document and a column per word.

Objective: f_jw, how often word w occurs in document j; idf_w = log(J / J_w), if J_w of J documents have the word.

Source: Salton and Buckley 1988, "Term-weighting approaches in automatic text retrieval", section 2.

Departures: none.

Cost: one pass over the corpus, in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus, document_options
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.counts.association import window_pmi
from firth.errors import ArgumentTypeError, ShapeError, brief
from firth.options import check_whole
from firth.progress import Progress


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


WINDOWS = 1 << 16  # windows counted together
WINDOW = 20


@dataclass(frozen=True, eq=False)
class WordDocumentGraph:
    """J documents and V words, as N = J + V nodes, the documents first.

    Attributes:
        edges: (N, N) float32 weights, a symmetric SciPy `csr_array`.
        documents: J.
        words: V words, in the order of the corpus: the most frequent first.
    """

    edges: Any
    documents: int
    words: Sequence[str] = field(repr=False)

    def __len__(self) -> int:
        return self.documents + len(self.words)

    def __repr__(self) -> str:
        edges = self.edges.nnz // 2
        return f"<WordDocumentGraph: {self.documents:,} documents, {len(self.words):,} words, {edges:,} edges>"

    @property
    def names(self) -> list[str | int]:
        """The N nodes: documents as numbers from 0, words as strings."""
        return [*range(self.documents), *self.words]

    def node_labels(self, labels: Any) -> list[Any]:
        """Return a label per node for `firth.GCN.train`: those of the documents, and None for words.

        Args:
            labels: of the first documents, None where one is unknown; the other documents have none.

        Raises:
            ArgumentTypeError: they are not a list.
            ShapeError: there are more than documents.
        """
        if isinstance(labels, str) or not hasattr(labels, "__len__"):
            raise ArgumentTypeError(
                f"labels: found {brief(labels)}, expected a list with the label of each document, or None"
            )
        if len(labels) > self.documents:
            raise ShapeError(f"{len(labels):,} labels of {self.documents:,} documents; expected at most one each")
        return [*labels, *[None] * (len(self) - len(labels))]


@explained(sentences="text", keep_empty=True)
def word_document_graph(
    corpus: Corpus | Any, *, window: int = WINDOW, progress: Progress = None, **text: Unpack[TextArguments]
) -> WordDocumentGraph:
    """Return the graph of the documents and words of a corpus.

    Args:
        corpus: encoded documents, one per sentence of the corpus, or whatever `firth.Corpus.build` takes: each text,
            row, cell or file is a document; of a single text file, each line.
        window: words per sliding window.
        **text: options of `firth.Corpus.build` for a text that is not encoded yet, such as min_count=2, stop_words.

    Raises:
        CorpusError: the text cannot be read, or has no words.
        OptionError: `window` is below 2.

    Source:
        Yao, Mao and Luo 2019, section 3.2.
    """
    check_whole("window", window, 2)
    corpus = as_corpus(corpus, text, defaults=document_options(corpus), progress=progress)
    counts = document_counts(corpus)
    counts.data *= inverse_document_frequencies(counts)[counts.indices]
    return WordDocumentGraph(_joined(counts, _word_edges(corpus, window)), len(corpus), tuple(corpus.vocabulary.words))


def _joined(documents: Any, words: Any) -> Any:
    """Return (N, N) edges of (J, V) and (V, V) ones."""
    from scipy import sparse

    edges = sparse.csr_array(sparse.block_array([[None, documents], [documents.T, words]]), dtype=np.float32)
    edges.eliminate_zeros()
    edges.sort_indices()
    return edges


def _word_edges(corpus: Corpus, window: int) -> Any:
    """Return positive PMI of words in windows, (V, V) without the diagonal."""
    from scipy import sparse

    V = len(corpus.vocabulary)
    alone, windows, together = np.zeros(V), 0, sparse.csr_array((V, V), dtype=np.float64)
    for starts, lengths in _windows(corpus.offsets, window):
        inside = _bags(corpus.ids, starts, lengths, V)
        alone += np.bincount(inside.indices, minlength=V)
        together = together + inside.T @ inside
        windows += len(starts)
    if not together.nnz:
        return together
    cells = together.tocoo()
    off_diagonal = cells.row != cells.col
    together = sparse.csr_array(
        (cells.data[off_diagonal], (cells.row[off_diagonal], cells.col[off_diagonal])), shape=(V, V)
    )
    return window_pmi(together, alone, windows)


def _windows(
    offsets: npt.NDArray[np.int64], window: int
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield starts and lengths of windows of the documents, some at a time."""
    sizes = np.diff(offsets)
    firsts, sizes = offsets[:-1][sizes > 0], sizes[sizes > 0]
    counts = np.maximum(sizes - window + 1, 1)
    ends = np.cumsum(counts)
    starts = np.repeat(firsts - (ends - counts), counts) + np.arange(counts.sum())
    lengths = np.repeat(np.minimum(sizes, window), counts)
    for first in range(0, len(starts), WINDOWS):
        yield starts[first : first + WINDOWS], lengths[first : first + WINDOWS]


def _bags(ids: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], words: int) -> Any:
    """Return 1 for each word of each window, (windows, V)."""
    from scipy import sparse

    borders = np.concatenate([[0], np.cumsum(lengths)])
    positions = np.repeat(starts - borders[:-1], lengths) + np.arange(borders[-1])
    inside = sparse.csr_array((np.ones(len(positions)), ids[positions], borders), shape=(len(starts), words))
    inside.sum_duplicates()
    inside.data[:] = 1
    return inside
