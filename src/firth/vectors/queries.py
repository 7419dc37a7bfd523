"""Queries: keys become rows, terms become query vectors, and one query is told from a batch.

The rule for batches, everywhere: where gensim's argument is one key, a list of keys is a batch; where gensim's
argument is itself a list, a list of lists is a batch. A batch answers with a list or an array, one entry a query, in
their order.

Words that have no vector are dealt with by a policy: "raise" (an `UnknownWordError` with the nearest spellings),
"skip" (the word is left out of its query; a query with nothing left has no answer: an empty list, or NaN), "zero" (a
zero vector), or "average" (the mean of all vectors).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError
from firth.options import wrong_kind
from firth.text.inputs import check_items
from firth.vectors.cosine import Matrix, Rows, unit, widened
from firth.vectors.space import Key, VectorSpace

Unknown = Literal["raise", "skip", "zero", "average"]
Term = Key | Matrix  # a key or a vector of its own
POLICIES = ("raise", "skip", "zero", "average")


@dataclass(frozen=True)
class Query:
    """Keys and vectors with the weight of each."""

    terms: Sequence[Term]
    weights: Sequence[float]


@dataclass(frozen=True)
class QueryVectors:
    """What a batch of queries became.

    Attributes:
        vectors: (B, D), of length 1 or 0.
        rows: the rows named in each query, which are no answer to it.
        answerable: (B,) whether anything was left of the query.
    """

    vectors: Matrix
    rows: list[set[int]]
    answerable: npt.NDArray[np.bool_]


def is_key(value: object) -> bool:
    """Return whether a value is one key: a word or a row number."""
    return isinstance(value, str | int | np.integer)


def keys_of(value: Any, name: str = "") -> list[Any]:
    """Return the keys of a list of them; what they are is not looked at.

    Args:
        name: of the argument, for messages; "" where a single key would do as well.
    """
    if name or isinstance(value, Mapping):
        return list(check_items(value, name or "words", "word"))
    if isinstance(value, bytes | bytearray) or not (isinstance(value, Iterable) or hasattr(value, "columns")):
        raise wrong_kind("", value, "a word (str)")
    return list(check_items(value, "words", "word"))


def is_batch(value: object) -> bool:
    """Return whether an argument that is a list for one query is a list of such lists."""
    return isinstance(value, list | tuple) and len(value) > 0 and isinstance(value[0], list)


def check_policy(unknown: str) -> None:
    """Check the policy for unknown words.

    Raises:
        OptionError: there is no such policy.
    """
    if unknown not in POLICIES:
        raise OptionError(f"unknown={unknown!r}: expected one of {', '.join(POLICIES)}")


def has_vector(space: VectorSpace, key: Any) -> bool:
    """Return whether a key has a row, or a word without one a vector that can be inferred."""
    if not is_key(key):
        raise wrong_kind("", key, "a word (str)")
    if space.get_index(key, -1) >= 0:
        return True
    return isinstance(key, str) and space.inference is not None and bool(space.inference([key])[1][0])


def rows_of(space: VectorSpace, keys: Sequence[Any], *, exact: bool = False) -> Rows:
    """Return the row of each key, and -1 for one that has none.

    Args:
        exact: whether the keys are words that the rule of the vectors has made, so that no other form is looked up.
    """
    if exact:
        rows = space.lexicon.rows
        return np.array([rows.get(key, -1) for key in keys], dtype=np.int64)
    keys = keys_of(keys)
    if all(isinstance(key, str) for key in keys):
        return np.array(space.lexicon.rows_of(keys), dtype=np.int64)
    return np.array([space.get_index(key, -1) for key in keys], dtype=np.int64)


def gather(space: VectorSpace, keys: Sequence[Any], unknown: str, *, exact: bool = False) -> Matrix:
    """Return the vectors of keys, with what the policy puts in the place of unknown ones (NaN for "skip").

    Args:
        exact: as in `rows_of`.

    Returns:
        (len(keys), D), a copy.

    Raises:
        UnknownWordError: a key has no vector and the policy is "raise".
    """
    check_policy(unknown)
    rows = rows_of(space, keys, exact=exact)
    has_vector = rows >= 0
    vectors = np.empty((len(rows), space.dim), dtype=space.vectors.dtype)
    vectors[has_vector] = space.vectors[rows[has_vector]]
    if not has_vector.all() and space.inference is not None:
        positions = [i for i in np.flatnonzero(~has_vector).tolist() if isinstance(keys[i], str)]
        inferred, has_vectors = space.inference([keys[i] for i in positions])
        vectors[positions], has_vector[positions] = inferred, has_vectors
    if not has_vector.all():
        if unknown == "raise":
            raise space.lexicon.unknown(keys[int(np.argmin(has_vector))])
        vectors[~has_vector] = space.average() if unknown == "average" else (np.nan if unknown == "skip" else 0.0)
    return vectors


def read_queries(positive: Any, negative: Any) -> tuple[list[Query], bool]:
    """Return the queries in gensim's `positive` and `negative` arguments, and whether they are a batch.

    Raises:
        OptionError: the two are batches of different sizes, or a term is not a word, a row or a vector.
    """
    if not (is_batch(positive) or is_batch(negative)):
        return [_read_query(positive, negative)], False
    size = len(positive if is_batch(positive) else negative)
    positives = positive if is_batch(positive) else [positive] * size
    negatives = negative if is_batch(negative) else [negative] * size
    if len(positives) != len(negatives):
        raise OptionError(
            f"{len(positives)} lists of positive words and {len(negatives)} of negative ones: expected as many"
        )
    return [_read_query(plus, minus) for plus, minus in zip(positives, negatives, strict=True)], True


def _read_query(positive: Any, negative: Any) -> Query:
    terms: list[Term] = []
    weights: list[float] = []
    for value, sign in ((positive, 1.0), (negative, -1.0)):
        for item in _items(value):
            term, weight = item if isinstance(item, tuple) and len(item) == 2 else (item, sign)
            if not (is_key(term) or isinstance(term, np.ndarray)):
                raise wrong_kind("", item, "a word (str), a row number, a vector, or one of these and a weight")
            terms.append(term)
            weights.append(float(weight))
    if not terms:
        raise OptionError("a query without words: expected at least one positive or negative word or vector")
    return Query(terms, weights)


def _items(value: Any) -> list[Any]:
    """Return gensim's one-or-list argument as a list; a matrix is a list of vectors."""
    if value is None:
        return []
    if is_key(value) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return [value]
    return keys_of(value)


def mean_vectors(space: VectorSpace, queries: Sequence[Query], unknown: str) -> QueryVectors:
    """Return the weighted sum of each query's terms at length 1; keys count by direction, vectors as they are."""
    owners = np.repeat(np.arange(len(queries)), [len(query.terms) for query in queries])
    terms = [term for query in queries for term in query.terms]
    weights = np.array([weight for query in queries for weight in query.weights])
    keyed = np.array([is_key(term) for term in terms], dtype=bool)
    matrix = np.zeros((len(terms), space.dim))
    keys = [term for term in terms if is_key(term)]
    rows = rows_of(space, keys)
    key_vectors = np.asarray(gather(space, keys, unknown), dtype=np.float64)
    skipped = np.isnan(key_vectors).any(axis=1) & (rows < 0)
    key_vectors[skipped] = 0.0
    matrix[keyed] = unit(key_vectors)
    for row in np.flatnonzero(~keyed):
        matrix[row] = as_vector(space, terms[row])
    mask = np.ones(len(terms), dtype=bool)
    mask[np.flatnonzero(keyed)[skipped]] = False
    sums = np.zeros((len(queries), space.dim))
    np.add.at(sums, owners, weights[:, None] * matrix)
    exclusions: list[set[int]] = [set() for _ in queries]
    for owner, row in zip(owners[keyed].tolist(), rows.tolist(), strict=True):
        exclusions[owner].add(row)
    answerable = np.bincount(owners, weights=mask, minlength=len(queries)) > 0
    return QueryVectors(unit(sums), exclusions, answerable)


def as_vector(space: VectorSpace, vector: Any) -> Matrix:
    """Return a caller's own vector, checked.

    Raises:
        ShapeError: it is not one vector of D numbers.
    """
    if np.ndim(vector) == 0:
        raise wrong_kind("", vector, "a word (str), a row number or a vector")
    vector = np.asarray(vector)
    if vector.shape != (space.dim,):
        raise ShapeError(f"a query vector of shape {vector.shape}: expected ({space.dim},), the width of these vectors")
    return widened(vector)


def mean_of(matrix: Matrix, weights: npt.NDArray[np.floating[Any]]) -> Matrix:
    """Return the weighted sum of rows over the sum of the weights' sizes; zeros where that sum is 0."""
    total = float(np.abs(weights).sum())
    return np.asarray(weights @ matrix / total if total > 0 else np.zeros(matrix.shape[1]))


def paired(*sides: Any) -> list[tuple[Any, ...]]:
    """Return keys side by side; a single key is repeated for every key of the others' lists.

    Raises:
        OptionError: the lists differ in length.
    """
    sides = tuple(side if is_key(side) else keys_of(side) for side in sides)
    sizes = {len(side) for side in sides if not is_key(side)}
    if len(sizes) > 1:
        raise OptionError(f"lists of {' and '.join(map(str, sorted(sizes)))} words: expected as many in each")
    size = sizes.pop() if sizes else 1
    return list(zip(*([side] * size if is_key(side) else side for side in sides), strict=True))
