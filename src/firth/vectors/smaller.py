"""Smaller vectors made from others: the first words, or quantised vectors."""

from typing import Any, TypeVar

from firth.errors import OptionError
from firth.vectors.codes import encoded
from firth.vectors.lexicon import Lexicon
from firth.vectors.space import VectorSpace

Vectors = TypeVar("Vectors", bound=VectorSpace)


def first(space: Vectors, count: int) -> Vectors:
    """Return the vectors of the first words; they are not copied.

    Raises:
        OptionError: `count` is below 1.
    """
    if count < 1:
        raise OptionError(f"the first {count} words: expected at least 1")
    vectors_class: Any = type(space)
    vectors: Vectors = vectors_class(
        space.words[:count],
        space.vectors[:count],
        output_vectors=None if space.output_vectors is None else space.output_vectors[:count],
        metadata=space.metadata,
        attributes={name: values[:count] for name, values in space.attributes.items()},
    )
    return vectors


def quantise(space: Vectors, kind: str, *, width: int = 2, lengths: bool = True, seed: int = 0) -> Vectors:
    """Return quantised vectors, which take a quarter of the file or less.

    In memory the vectors are decoded once, in single precision and read-only. Output vectors are dropped: training
    cannot continue from codes.

    Args:
        kind: "int8", one byte per number with almost no loss, or "product" (product quantisation), one byte per
            `width` numbers.
        width: numbers per byte of product quantisation.
        lengths: whether product quantisation stores the length of each vector in one more byte.
        seed: the random seed of product quantisation.

    Raises:
        OptionError: there is no such kind, `width` is not between 1 and D, or there are no words.
        FormatError: a vector is not finite.
    """
    _ = space.norms  # which are checked to be finite
    codes = encoded(space.vectors, kind, width=width, lengths=lengths, seed=seed)
    attributes = {name: values.copy() for name, values in space.attributes.items()}
    vectors_class: Any = type(space)
    vectors: Vectors = vectors_class(Lexicon(list(space.words)), codes, metadata=space.metadata, attributes=attributes)
    return vectors
