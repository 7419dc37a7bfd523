"""Latent semantic analysis: words by the documents that they stand in.

What: a word's row says how often it stands in each document; its vector are the row's first components, and a
document's vector lies in the same space.

Objective: M ~ U S V^T with the largest singular values, for words i and documents j with f_ij = how often i stands in
j, n_i = in how many documents, g_i = sum_j f_ij, p_ij = f_ij / g_i, of J documents:

    log-entropy  M_ij = log(1 + f_ij) (1 + sum_j p_ij log p_ij / log J)
    tf-idf       M_ij = f_ij log(J / n_i)
    counts       M_ij = f_ij

The vectors are U S^p; a document with weighted counts d is U^T d S^(p - 1), which for one of the corpus is its row of V
S^p.

Source: Deerwester, Dumais, Furnas, Landauer and Harshman 1990, "Indexing by latent semantic analysis", section 4 (the
model, and folding in documents); Dumais 1991, "Improving the retrieval of information from external sources", table 2
(weights).

Departures: p is an option, 1 by default.

Cost: 12 bytes a token while documents are counted; that of `firth.counts.factorise`.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus, document_options
from firth.corpus.encoded import Corpus
from firth.embeddings.spectral import drop_option, exponent_option, spectral_vectors
from firth.errors import OptionError, ShapeError
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.vectors.word_vectors import WordVectors


@options_class
class LatentSemanticAnalysis:
    """LSA, latent semantic analysis of documents: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Deerwester et al. 1990; Dumais 1991; the module's docstring gives the formulas.
    """

    presets: ClassVar = {
        "lsa": Preset("LSA: latent semantic analysis of a word-by-document matrix (Deerwester et al. 1990)."),
    }
    common_options: ClassVar = ("dim", "weighting")

    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    weighting: str = option(
        "log-entropy", "what a word counts in a document", choices=("log-entropy", "tf-idf", "counts")
    )
    exponent: float = exponent_option(1.0)
    drop: int = drop_option()

    def __post_init__(self) -> None:
        options.check(self)

    def train(
        self, corpus: Corpus | Any, *, seed: int = 0, threads: int | None = None, progress: Progress = None, **text: Any
    ) -> WordVectors:
        """Return vectors of words by the documents of a corpus.

        Args:
            corpus: the encoded documents, each a sentence of it, or whatever `Corpus.build` takes: each text, row, cell
                or file is then a document, and of a single file of text each line. Build a corpus of your own with
                `sentences="text"`.
            seed: of the random columns that the decomposition begins with.
            threads: how many; by default one a processor.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            One vector a word; the weight that a word has in all documents as attribute "global_weight".

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one, or `dim` is above the number of words or of documents.
        """
        corpus = as_corpus(corpus, text, defaults=document_options(corpus), progress=progress)
        counts = _counts(corpus)
        overall = self.overall(counts)
        made = spectral_vectors(
            self,
            corpus.vocabulary,
            lambda: self.weighted(counts, overall).T.tocsr(),
            seed=seed,
            threads=threads,
            progress=progress,
            facts={"options": {"model": "lsa", **dataclasses.asdict(self)}, "documents": len(corpus)},
        )
        return WordVectors(
            made.lexicon,
            made.vectors,
            counts=made.counts,
            metadata=made.metadata,
            attributes={"global_weight": overall},
        )

    def documents(
        self, corpus: Corpus | Any, vectors: WordVectors, *, names: Sequence[str] | None = None
    ) -> WordVectors:
        """Return vectors of documents, of the corpus that was trained on or of another, in the space of the words.

        Args:
            corpus: the encoded documents, each a sentence of it, or whatever `Corpus.build` takes, as in `train`.
            vectors: of words, from `train` with these options; words that they lack count for nothing.
            names: one a document; by default "0", "1" and so on.

        Raises:
            OptionError: the vectors are of another model, or there are not as many names as documents.
            ShapeError: the vectors are of another width than the options ask for.
        """
        facts = vectors.metadata.get("training", {})
        if facts.get("options", {}).get("model") != "lsa":
            raise OptionError("these vectors are not of latent semantic analysis; expected what its train returned")
        if vectors.dim != self.dim:
            raise ShapeError(f"vectors of width {vectors.dim}, the options ask for dim={self.dim}")
        corpus = as_corpus(corpus, {}, defaults={**document_options(corpus), "min_count": 1})
        called = list(map(str, range(len(corpus)))) if names is None else list(names)
        if len(called) != len(corpus):
            raise OptionError(f"{len(called):,} names for {len(corpus):,} documents: expected one a document")
        known = [i for i, word in enumerate(corpus.vocabulary.words) if word in vectors]
        rows = [vectors.key_to_index[corpus.vocabulary.words[i]] for i in known]
        overall = np.zeros(len(corpus.vocabulary))
        overall[known] = vectors.attributes["global_weight"][rows]
        basis = np.zeros((len(corpus.vocabulary), self.dim))
        # U S^p from the vectors; a document wants U S^(p - 1).
        basis[known] = vectors.vectors[rows] / np.asarray(facts["singular_values"])
        placed = self.weighted(_counts(corpus), overall) @ basis
        return WordVectors(called, placed.astype(np.float32), metadata={"training": dict(facts)})

    def overall(self, counts: Any) -> npt.NDArray[np.float64]:
        """Return the weight of each word in all documents, (V,).

        Args:
            counts: f, a SciPy `csr_array` (J, V).
        """
        documents, words = counts.shape
        if self.weighting == "counts":
            return np.ones(words)
        if self.weighting == "tf-idf":
            within = np.bincount(counts.indices, minlength=words)
            return np.asarray(np.log(documents / np.maximum(within, 1)))
        total = np.bincount(counts.indices, counts.data, minlength=words)
        share = counts.data / total[counts.indices]
        entropy = np.bincount(counts.indices, share * np.log(share), minlength=words)
        return 1 + entropy / math.log(documents) if documents > 1 else np.ones(words)

    def weighted(self, counts: Any, overall: npt.NDArray[np.float64]) -> Any:
        """Return M^T, a SciPy `csr_array` (J, V).

        Args:
            counts: f, (J, V).
            overall: (V,) the weight of each word in all documents.
        """
        made = counts.copy()
        local = np.log1p(made.data) if self.weighting == "log-entropy" else made.data
        made.data = local * overall[made.indices]
        return made


def _counts(corpus: Corpus) -> Any:
    """Return how often each word stands in each document: f, (J, V)."""
    from scipy import sparse

    shape = (len(corpus), len(corpus.vocabulary))
    made = sparse.csr_array((np.ones(corpus.num_tokens), corpus.ids.copy(), corpus.offsets.copy()), shape=shape)
    made.sum_duplicates()
    return made
