"""Look words up: their rows, their vectors and means of these, under gensim's names; smaller copies of vectors.

The functions are methods of `firth.WordVectors`.
"""

from typing import Any, TypeVar

import numpy as np

from firth.errors import OptionError
from firth.vectors.codes import encoded
from firth.vectors.cosine import Matrix, unit
from firth.vectors.lexicon import Lexicon
from firth.vectors.queries import Unknown, as_vector, gather, is_batch, is_key, keys_of, mean_of
from firth.vectors.space import Key, VectorSpace

Vectors = TypeVar("Vectors", bound=VectorSpace)


def has_index_for(space: VectorSpace, key: Key) -> bool:
    """Return whether a key has a row."""
    return key in space


def get_index(space: VectorSpace, key: Any, default: int | None = None) -> Any:
    """Return the row of a word; an existing row number is returned as it is.

    Args:
        key: a word or a row, or a list of them.
        default: what to return for an unknown key; None raises.

    Raises:
        UnknownWordError: the key has no row and there is no default.
    """
    if not is_key(key):
        return [space.get_index(word, default) for word in keys_of(key)]
    row = space.lexicon.row_of(key) if isinstance(key, str) else _row_number(key, len(space))
    row = default if row is None else row
    if row is None:
        raise space.lexicon.unknown(key)
    return row


def get_vector(space: VectorSpace, key: Any, norm: bool = False, *, unknown: Unknown = "raise") -> Matrix:
    """Return the vector of a key, or the vectors of a list of keys.

    Args:
        key: a word or a row, or a list of them.
        norm: whether to scale the vectors to length 1.
        unknown: what to do with unknown words; "skip" leaves them out of a list, and a single one gives NaN.

    Returns:
        (D,), read-only, or (B, D).

    Raises:
        UnknownWordError: a word has no vector and the policy is "raise".
    """
    if is_key(key) and (row := space.get_index(key, -1)) >= 0:
        vector = unit(space.vectors[row]) if norm else space.vectors[row]
    else:
        keys = [key] if is_key(key) else keys_of(key)
        if unknown == "skip" and not is_key(key):
            keys = [word for word in keys if word in space]
        vectors = gather(space, keys, unknown)
        vectors = unit(vectors) if norm else vectors
        if not is_key(key):
            return vectors
        vector = vectors[0]
    vector.setflags(write=False)  # writing into one row would leave the lengths stale
    return vector


def get_normed_vectors(space: VectorSpace) -> Matrix:
    """Return a copy of all vectors scaled to length 1: (V, D)."""
    return unit(space.vectors)


def get_mean_vector(
    space: VectorSpace,
    keys: Any,
    weights: Any = None,
    pre_normalize: bool = True,
    post_normalize: bool = False,
    ignore_missing: bool = True,
) -> Matrix:
    """Return the weighted mean of vectors.

    Args:
        keys: words, rows and vectors; a list of such lists is a batch.
        weights: one number per key; for a batch, one list per query. None weights all keys equally.
        pre_normalize: whether to scale the vectors of keys to length 1 first; vectors passed directly are not scaled.
        post_normalize: whether to scale the mean to length 1.
        ignore_missing: whether to ignore unknown words instead of raising an error.

    Returns:
        (D,) or (B, D); zeros where nothing is left.

    Raises:
        OptionError: there are no keys, or a different number of weights.
        UnknownWordError: a word has no vector and `ignore_missing` is false.
    """
    if is_batch(keys):
        weight_lists = [None] * len(keys) if weights is None else weights
        return np.stack(
            [
                get_mean_vector(space, batch_keys, some_weights, pre_normalize, post_normalize, ignore_missing)
                for batch_keys, some_weights in zip(keys, weight_lists, strict=True)
            ]
        )
    keys = keys_of(keys, "keys")
    if len(keys) == 0:
        raise OptionError("the mean of no vectors: expected at least one key")
    weights = np.ones(len(keys)) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(weights) != len(keys):
        raise OptionError(f"{len(weights)} weights for {len(keys)} keys: expected one a key")
    positions = [i for i, key in enumerate(keys) if not (ignore_missing and is_key(key) and key not in space)]
    matrix = np.zeros((len(positions), space.dim))
    for row, term in enumerate(keys[i] for i in positions):
        matrix[row] = get_vector(space, term, norm=pre_normalize) if is_key(term) else as_vector(space, term)
    mean = mean_of(matrix, weights[positions])
    return (unit(mean) if post_normalize else mean).astype(space.norms.dtype)


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


def _row_number(key: Any, size: int) -> int | None:
    return int(key) if 0 <= key < size else None
