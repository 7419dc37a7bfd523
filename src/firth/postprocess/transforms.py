"""Helpers shared by all transformations: check the input, transform it in blocks, and record the step in the metadata.

A step never changes its input. The vectors it returns have the same words, counts, attributes and metadata, plus one
entry in the list `metadata["postprocessing"]` with the step's name, options and results. Output vectors are dropped,
because training cannot continue from transformed vectors; so are the n-grams from which vectors of unknown words are
inferred.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.options import check_kind
from firth.vectors.attributes import Attributes
from firth.vectors.io.table import check_fits
from firth.vectors.lexicon import Lexicon
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Matrix = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

HISTORY = "postprocessing"  # key in the metadata
BLOCK = 2**18  # numbers per block in double precision: 2 MB


def checked_matrix(vectors: WordVectors | SubwordVectors) -> Matrix:
    """Return the matrix of vectors, (V, D), after checking it."""
    check_kind("vectors", vectors, WordVectors, SubwordVectors)
    if isinstance(vectors, SubwordVectors):
        raise OptionError(
            "these vectors are built from n-grams, which would be lost: pass vectors.known, the known words only"
        )
    if not len(vectors) or not vectors.dim:
        raise OptionError(f"{len(vectors)} words x {vectors.dim} dimensions: expected at least one vector")
    check_fits(vectors.words, vectors.vectors, vectors.vectors.dtype)
    return vectors.vectors


def blocks(matrix: Matrix) -> Iterator[slice]:
    """Yield slices of consecutive rows that hold about `BLOCK` numbers."""
    size = max(BLOCK // max(matrix.shape[1], 1), 1)
    for start in range(0, len(matrix), size):
        yield slice(start, min(start + size, len(matrix)))


def map_rows(matrix: Matrix, width: int, change: Callable[[Floats, slice], Floats]) -> Matrix:
    """Return the rows of a matrix transformed block by block.

    Args:
        matrix: (V, D) in any precision.
        width: D', the dimension of a new row.
        change: maps a block of rows (R, D) float64 and its slice to new rows (R, D').

    Returns:
        (V, D') in the matrix's precision.
    """
    result = np.empty((len(matrix), width), dtype=matrix.dtype)
    for part in blocks(matrix):
        result[part] = change(matrix[part].astype(np.float64), part)
    return result


def with_matrix(vectors: WordVectors, matrix: Matrix, step: str, facts: Mapping[str, Any]) -> WordVectors:
    """Return vectors of the same words with a new matrix.

    Args:
        vectors: source of the words, counts, attributes and metadata.
        matrix: (V, D').
        facts: options and results of the step, JSON-serialisable.
    """
    attributes = {name: values.copy() for name, values in vectors.attributes.items()}
    return with_entry(Lexicon(list(vectors.words)), matrix, attributes, vectors.metadata, {"step": step, **facts})


def with_entry(
    words: Lexicon,
    matrix: Matrix,
    attributes: Mapping[str, Matrix] | Attributes,
    metadata: Mapping[str, Any],
    entry: Mapping[str, Any],
) -> WordVectors:
    """Return vectors whose metadata records one more step.

    Args:
        words: V words.
        matrix: (V, D).
    """
    extended = {**metadata, HISTORY: [*metadata.get(HISTORY, []), dict(entry)]}
    return WordVectors(words, matrix, metadata=extended, attributes=dict(attributes))
