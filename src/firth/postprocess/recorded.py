"""What every step shares: vectors that are checked come in, new ones go out, and their metadata says what was done.

Vectors that a step takes stay as they are. Those that it returns have the same words, counts, attributes and metadata,
and one entry more in the list `metadata["postprocessing"]`: the step's name, its options, and what it found. Output
vectors are not taken over, for training cannot go on from changed vectors; nor is what infers vectors of unseen words.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.vectors.attributes import Attributes
from firth.vectors.io.table import check_fits
from firth.vectors.lexicon import Lexicon
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Matrix = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

STEPS = "postprocessing"  # the entry of metadata
BLOCK = 2**18  # numbers that are held in double precision at once: 2 MB


def matrix_of(vectors: WordVectors | SubwordVectors) -> Matrix:
    """Return the matrix of vectors that can be worked on, (V, D).

    Raises:
        OptionError: they are made of n-grams, or there are none.
        FormatError: a vector is not finite; the message names the word.
    """
    if isinstance(vectors, SubwordVectors):
        raise OptionError(
            "these vectors are made of n-grams, which would be left behind: pass vectors.known, the words alone"
        )
    if not len(vectors) or not vectors.dim:
        raise OptionError(f"{len(vectors)} words x {vectors.dim} numbers: expected at least one vector")
    check_fits(vectors.words, vectors.vectors, vectors.vectors.dtype)
    return vectors.vectors


def blocks(matrix: Matrix) -> Iterator[slice]:
    """Yield the parts of a matrix, row by row, that are worked on at once."""
    size = max(BLOCK // max(matrix.shape[1], 1), 1)
    for start in range(0, len(matrix), size):
        yield slice(start, min(start + size, len(matrix)))


def mapped(matrix: Matrix, width: int, change: Callable[[Floats, slice], Floats]) -> Matrix:
    """Return what a function makes of a matrix, a block at a time.

    Args:
        matrix: (V, D) in any precision.
        width: D', numbers of a new row.
        change: of a block of rows (R, D) float64 and of where it stands it makes rows (R, D').

    Returns:
        (V, D') in the matrix's precision.
    """
    made = np.empty((len(matrix), width), dtype=matrix.dtype)
    for part in blocks(matrix):
        made[part] = change(matrix[part].astype(np.float64), part)
    return made


def remade(vectors: WordVectors, matrix: Matrix, step: str, facts: Mapping[str, Any]) -> WordVectors:
    """Return vectors of the same words with another matrix.

    Args:
        vectors: whose words, counts, attributes and metadata they are.
        matrix: (V, D').
        step: what was done.
        facts: with which options, and what was found; what JSON can hold.
    """
    attributes = {name: values.copy() for name, values in vectors.attributes.items()}
    return named(Lexicon(list(vectors.words)), matrix, attributes, vectors.metadata, {"step": step, **facts})


def named(
    words: Lexicon,
    matrix: Matrix,
    attributes: Mapping[str, Matrix] | Attributes,
    metadata: Mapping[str, Any],
    entry: Mapping[str, Any],
) -> WordVectors:
    """Return vectors whose metadata has one entry more of what was done.

    Args:
        words: V of them.
        matrix: (V, D).
        attributes: of the words.
        metadata: of the vectors that they were made of.
        entry: what was done.
    """
    more = {**metadata, STEPS: [*metadata.get(STEPS, []), dict(entry)]}
    return WordVectors(words, matrix, metadata=more, attributes=dict(attributes))
