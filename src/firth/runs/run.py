"""One run: its vectors in codes of one byte, and how often each word stands in its sample."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.vectors.codes import Int8Matrix, int8_matrix
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary


@dataclass(frozen=True)
class Run:
    """A training on one sample of the documents.

    Attributes:
        number: of the run, from 1.
        matrix: (V, D) a row for each word of the corpus; zeros for a word that is absent.
        counts: (V,) of each word in the sample; 0 for a word that is absent.
        facts: how it was trained, as JSON values.
    """

    number: int
    matrix: Int8Matrix
    counts: npt.NDArray[np.int64]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, number: int, vectors: WordVectors, vocabulary: Vocabulary) -> "Run":
        """Return what is kept of a training.

        Args:
            vectors: what was learned.
            vocabulary: all words of the corpus, with their counts in the sample.
        """
        rows = np.fromiter((vocabulary.ids.get(word, -1) for word in vectors.words), np.int64, len(vectors))
        learned = np.zeros(len(vocabulary), dtype=bool)
        learned[rows[rows >= 0]] = True
        counts = np.where(learned, vocabulary.counts, 0)
        matrix = np.zeros((len(vocabulary), vectors.dim), dtype=np.float32)
        matrix[rows[rows >= 0]] = vectors.vectors[rows >= 0]
        matrix[counts == 0] = 0
        facts = vectors.metadata.get("training", {})
        return cls(number, int8_matrix(matrix), counts, dict(facts))
