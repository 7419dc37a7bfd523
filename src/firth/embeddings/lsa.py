"""Latent semantic analysis: a word-by-document matrix, reduced by truncated SVD.

What: a row of the matrix has the counts of a word in each document; its leading components are the vector. Vectors of
documents are in the same space.

Objective: M ~ U S V^T with the largest singular values, for words i and J documents j; f_ij is the count of i in j, n_i
the number of documents with i, g_i = sum_j f_ij, p_ij = f_ij / g_i:

    log-entropy  M_ij = log(1 + f_ij) (1 + sum_j p_ij log p_ij / log J)
    tf-idf       M_ij = f_ij log(J / n_i)
    counts       M_ij = f_ij

The vectors are U S^p. A document with weighted counts d has the vector U^T d S^(p - 1); for a document of the corpus
this is its row of V S^p.

Source: Deerwester, Dumais, Furnas, Landauer and Harshman 1990, "Indexing by latent semantic analysis", section 4 (the
model, and folding-in of documents); Dumais 1991, "Improving the retrieval of information from external sources",
table 2 (weights).

Departures: p is an option, 1 by default.

Cost: 12 bytes per token while documents are counted; that of `firth.counts.factorise`.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from firth import options
from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus, document_options
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.counts.word_document_graph import document_counts, inverse_document_frequencies
from firth.embeddings import window_options
from firth.embeddings.spectral import drop_option, exponent_option, spectral_vectors
from firth.errors import OptionError, ShapeError
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.training_facts import text_facts
from firth.vectors.queries import rows_of
from firth.vectors.word_vectors import WordVectors


@options_class
class LatentSemanticAnalysis:
    """LSA, latent semantic analysis of documents: the options, and `train`.

    Source:
        Deerwester et al. 1990; Dumais 1991; the module docstring has the formulas.
    """

    presets: ClassVar = {
        "lsa": Preset("LSA: latent semantic analysis of a word-by-document matrix (Deerwester et al. 1990).")
    }
    common_options: ClassVar = ("dim", "weighting")

    dim: int = window_options.dim()
    weighting: str = option(
        "log-entropy", "weighting of a word in a document", choices=("log-entropy", "tf-idf", "counts")
    )
    exponent: float = exponent_option(1.0)
    drop: int = drop_option()

    def __post_init__(self) -> None:
        options.check(self)

    @explained(sentences="text", keep_empty=True)
    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
        **text: Unpack[TextArguments],
    ) -> WordVectors:
        """Compute vectors of words from the documents of a corpus.

        Args:
            corpus: encoded documents, one per sentence of the corpus, or whatever `Corpus.build` takes: each text, row,
                cell or file is a document; of a single text file, each line. Build your own corpus with
                `sentences="text"`.
            seed: random seed of the decomposition.
            **text: options of `Corpus.build` for a text that is not encoded yet, such as min_count=2, column="body".

        Returns:
            A vector per word, with the global weight of each word as attribute "global_weight".

        Raises:
            CorpusError: the text cannot be read, or has no words.
            OptionError: `threads` is below 1, or `dim` is above the number of words or of documents.
        """
        corpus = as_corpus(corpus, text, defaults=document_options(corpus), progress=progress)
        counts = document_counts(corpus)
        weights = self.global_weights(counts)
        vectors = spectral_vectors(
            self,
            corpus.vocabulary,
            lambda: self.weighted(counts, weights).T.tocsr(),
            seed=seed,
            threads=threads,
            progress=progress,
            facts={
                "options": {"model": "lsa", **dataclasses.asdict(self)},
                "documents": len(corpus),
                **text_facts(corpus),
            },
        )
        return WordVectors(
            vectors.lexicon,
            vectors.vectors,
            counts=vectors.counts,
            metadata=vectors.metadata,
            attributes={"global_weight": weights},
        )

    def documents(
        self, corpus: Corpus | Any, vectors: WordVectors, *, names: Sequence[str] | None = None
    ) -> WordVectors:
        """Return vectors of documents, of the training corpus or of another, in the space of the words.

        Args:
            corpus: encoded documents, one per sentence of the corpus, or whatever `Corpus.build` takes, as in `train`.
            vectors: word vectors from `train` with these options; unknown words are ignored.
            names: one per document; by default "0", "1" and so on.

        Raises:
            OptionError: the vectors come from another model, or the numbers of names and documents differ.
            ShapeError: the width of the vectors is not `dim`.
        """
        facts = vectors.metadata.get("training", {})
        if facts.get("options", {}).get("model") != "lsa":
            raise OptionError(
                "these vectors come from another model; expected vectors from LatentSemanticAnalysis.train"
            )
        if vectors.dim != self.dim:
            raise ShapeError(f"vectors of width {vectors.dim}, the options ask for dim={self.dim}")
        corpus = as_corpus(corpus, {}, defaults={**document_options(corpus), "min_count": 1})
        names = list(map(str, range(len(corpus)))) if names is None else list(names)
        if len(names) != len(corpus):
            raise OptionError(f"{len(names):,} names for {len(corpus):,} documents: expected one per document")
        documents = self.fold_in(document_counts(corpus), corpus.vocabulary.words, vectors)
        return WordVectors(names, documents.astype(np.float32), metadata={"training": dict(facts)})

    def fold_in(self, counts: Any, words: Sequence[str], vectors: WordVectors) -> npt.NDArray[np.float64]:
        """Return vectors of documents from their counts of words, (J, dim).

        Args:
            counts: f, a SciPy `csr_array` (J, U) float64.
            words: the U words; unknown ones are ignored.
            vectors: word vectors from `train` with these options.
        """
        all_rows = rows_of(vectors, words)
        ids = np.flatnonzero(all_rows >= 0)
        rows = all_rows[ids]
        weights, basis = np.zeros(len(words)), np.zeros((len(words), self.dim))
        weights[ids] = vectors.attributes["global_weight"][rows]
        # The vectors are U S^p; a document needs U S^(p - 1).
        basis[ids] = vectors.vectors[rows] / np.asarray(vectors.metadata["training"]["singular_values"])
        return np.asarray(self.weighted(counts, weights) @ basis)

    def global_weights(self, counts: Any) -> npt.NDArray[np.float64]:
        """Return the (V,) global weight of each word, from the counts f, a SciPy `csr_array` (J, V)."""
        documents, words = counts.shape
        if self.weighting == "counts":
            return np.ones(words)
        if self.weighting == "tf-idf":
            return inverse_document_frequencies(counts)
        total = np.bincount(counts.indices, counts.data, minlength=words)
        share = counts.data / total[counts.indices]
        entropy = np.bincount(counts.indices, share * np.log(share), minlength=words)
        return 1 + entropy / math.log(documents) if documents > 1 else np.ones(words)

    def weighted(self, counts: Any, global_weights: npt.NDArray[np.float64]) -> Any:
        """Return M^T, a SciPy `csr_array` (J, V), from counts (J, V) and (V,) global weights."""
        matrix = counts.copy()
        local = np.log1p(matrix.data) if self.weighting == "log-entropy" else matrix.data
        matrix.data = local * global_weights[matrix.indices]
        return matrix
