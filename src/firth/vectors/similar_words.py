"""Find similar words, under gensim's names: neighbours of words, vectors and sums of them, and analogies.

The functions are methods of `firth.WordVectors`. `firth.vectors.queries` reads the arguments, `neighbours` and
`analogy` search.
"""

from collections.abc import Sequence
from typing import Any, Literal, Unpack, overload

import numpy as np
import numpy.typing as npt

from firth.errors import ArgumentTypeError, OptionError, brief
from firth.vectors import analogy as products
from firth.vectors import neighbours
from firth.vectors.cosine import Matrix, unit
from firth.vectors.index.index import Index, build_index
from firth.vectors.index.options import IndexArguments
from firth.vectors.queries import Unknown, gather, is_key, keys_of, mean_vectors, paired, read_queries
from firth.vectors.space import Key, VectorSpace

Answer = list[tuple[str, float]]


@overload
def most_similar(
    space: VectorSpace,
    positive: str | Sequence[str],
    negative: str | Sequence[str] | None = None,
    topn: int = 10,
    *,
    restrict_vocab: int | None = None,
    unknown: Unknown = "raise",
) -> Answer: ...
@overload
def most_similar(
    space: VectorSpace, positive: Any = None, negative: Any = None, topn: int | None = 10, clip_start: int = 0,
    clip_end: int | None = None, restrict_vocab: int | None = None, indexer: Any = None, *, unknown: Unknown = "raise",
) -> Any: ...  # fmt: skip
def most_similar(
    space: VectorSpace,
    positive: Any = None,
    negative: Any = None,
    topn: int | None = 10,
    clip_start: int = 0,
    clip_end: int | None = None,
    restrict_vocab: int | None = None,
    indexer: Any = None,
    *,
    unknown: Unknown = "raise",
) -> Any:
    """Return the words most similar to a query by cosine.

    The query is the weighted sum of the terms' unit vectors, with negative terms subtracted. Words of the query are not
    returned.

    Args:
        positive: a word, row or vector, or a list of them, each optionally as (term, weight). A list of lists
            is a batch: `most_similar([["paris"], ["king", "woman"]])`; for single words see `similar_by_word`.
        negative: the same, subtracted; in a batch, one list per query.
        topn: the number of words; None returns the cosine with every word searched.
        clip_start: the first row to search.
        clip_end: the end of the rows to search, exclusive; None or 0 means V.
        restrict_vocab: search this many rows from the start; overrides the two above.
        indexer: an approximate index with `most_similar(vector, topn)`, used instead of exact search.
        unknown: what to do with unknown words: "raise", "skip", "zero" or "average".

    Returns:
        [(word, cosine), ...], best first, or (V,) float32 where `topn` is None. For a batch, a list of such lists,
        or (B, V). A query of only skipped words gives an empty list, or NaN.

    Raises:
        OptionError: an argument is out of its range, or the query is empty.
        UnknownWordError: a word has no vector and the policy is "raise".
    """
    queries, batch = read_queries(positive, negative)
    start, end = _window(space, clip_start, clip_end, restrict_vocab)
    if _none_wanted(topn):
        return [[] for _ in queries] if batch else []
    query_vectors = mean_vectors(space, queries, unknown)
    if indexer is not None and topn is not None:
        answers = [indexer.most_similar(vector, topn) for vector in query_vectors.vectors.astype(np.float32)]
        return answers if batch else answers[0]
    if topn is None:
        scores = neighbours.cosines(space.vectors, space.norms, query_vectors.vectors, start=start, end=end)
        scores[~query_vectors.answerable] = np.nan
        return scores if batch else scores[0]
    k = topn + max(map(len, query_vectors.rows), default=0)
    rows, scores = neighbours.nearest(space.vectors, space.norms, query_vectors.vectors, k, start=start, end=end)
    answers = _answers(space, rows, scores, query_vectors.rows, query_vectors.answerable, topn)
    return answers if batch else answers[0]


def _window(space: VectorSpace, start: int, end: int | None, restrict: int | None) -> tuple[int, int]:
    if restrict:
        start, end = 0, restrict
    if start < 0 or (end or 0) < 0:
        raise OptionError(f"rows {start} to {end} to search: expected numbers of at least 0")
    return start, min(end or len(space), len(space))


def _answers(
    space: VectorSpace, rows: npt.NDArray[np.int64], scores: Matrix, own: Sequence[set[int]], answerable: Any, topn: int
) -> list[Answer]:
    words = space.words
    return [
        [(words[row], score) for row, score in zip(*row_and_score, strict=True) if row not in own_rows][:topn]
        if is_answerable
        else []
        for *row_and_score, own_rows, is_answerable in zip(rows.tolist(), scores.tolist(), own, answerable, strict=True)
    ]


def most_similar_cosmul(
    space: VectorSpace,
    positive: Any = None,
    negative: Any = None,
    topn: int | None = 10,
    restrict_vocab: int | None = None,
    *,
    unknown: Unknown = "raise",
) -> Any:
    """Return the words most similar to a query by 3CosMul, a product of cosines.

    Args:
        positive: as in `most_similar`, without weights; at least one.
        negative: as in `most_similar`, without weights.
        topn: the number of words; None returns the score of every word searched.
        restrict_vocab: search this many rows from the start.
        unknown: what to do with unknown words: "raise", "skip", "zero" or "average".

    Returns:
        As `most_similar`.

    Raises:
        OptionError: an argument is out of its range, or nothing is positive.
        UnknownWordError: a word has no vector and the policy is "raise".

    Source: `firth.vectors.analogy`.
    """
    queries, batch = read_queries(positive, negative)
    _, end = _window(space, 0, None, restrict_vocab)
    if _none_wanted(topn):
        return [[] for _ in queries] if batch else []
    if topn is None:
        scores = products.product_scores(space, queries, end, unknown)
        return scores if batch else scores[0]
    own = [{space.get_index(term, -1) for term in query.terms if is_key(term)} for query in queries]
    rows, scores = products.product_nearest(space, queries, topn + max(map(len, own)), end, unknown)
    answers = _answers(space, rows, scores, own, ~np.isnan(scores).any(axis=1), topn)
    return answers if batch else answers[0]


@overload
def analogy(
    space: VectorSpace, a: str, b: str, c: str, n: int = 10, method: Literal["add", "mul"] = "add", *,
    restrict_vocab: int | None = None, unknown: Unknown = "raise",
) -> Answer: ...  # fmt: skip
@overload
def analogy(
    space: VectorSpace, a: Any, b: Any, c: Any, n: int = 10, method: Literal["add", "mul"] = "add", *,
    restrict_vocab: int | None = None, unknown: Unknown = "raise",
) -> Any: ...  # fmt: skip
def analogy(
    space: VectorSpace,
    a: Any,
    b: Any,
    c: Any,
    n: int = 10,
    method: Literal["add", "mul"] = "add",
    *,
    restrict_vocab: int | None = None,
    unknown: Unknown = "raise",
) -> Any:
    """Return the words that are to C as B is to A.

    Args:
        a: a word, or a list of them for a batch.
        b: a word, or a list of as many.
        c: a word, or a list of as many.
        n: the number of words.
        method: "add" is 3CosAdd, "mul" is 3CosMul.
        restrict_vocab: search this many rows from the start.
        unknown: what to do with unknown words: "raise", "skip", "zero" or "average".

    Returns:
        [(word, score), ...], best first; for a batch, a list of such lists. A, B and C are not returned.

    Raises:
        OptionError: an argument is out of its range, or the lists differ in length.
        UnknownWordError: a word has no vector and the policy is "raise".

    Source: `firth.vectors.analogy`.
    """
    if method not in ("add", "mul"):
        raise OptionError(f"method={method!r}: expected 'add' or 'mul'")
    search = most_similar if method == "add" else most_similar_cosmul
    batch = not all(map(is_key, (a, b, c)))
    questions = paired(a, b, c)
    answers = search(
        space,
        [[b_, c_] for _, b_, c_ in questions],
        [[a_] for a_, _, _ in questions],
        topn=n,
        restrict_vocab=restrict_vocab,
        unknown=unknown,
    )
    return answers if batch else answers[0]


@overload
def similar_by_word(
    space: VectorSpace, word: str, topn: int = 10, restrict_vocab: int | None = None, *, unknown: Unknown = "raise"
) -> Answer: ...
@overload
def similar_by_word(
    space: VectorSpace, word: Any, topn: int | None = 10, restrict_vocab: int | None = None, *,
    unknown: Unknown = "raise",
) -> Any: ...  # fmt: skip
def similar_by_word(
    space: VectorSpace, word: Any, topn: int | None = 10, restrict_vocab: int | None = None, *,
    unknown: Unknown = "raise",
) -> Any:  # fmt: skip
    """Return the words most like a word, or like each of a list of words; see `most_similar`."""
    return similar_by_key(space, word, topn, restrict_vocab, unknown=unknown)


def similar_by_key(
    space: VectorSpace, key: Any, topn: int | None = 10, restrict_vocab: int | None = None, *,
    unknown: Unknown = "raise",
) -> Any:  # fmt: skip
    """Return the words most like a word or row, or like each of a list of them; see `most_similar`."""
    positive = [key] if is_key(key) else [[word] for word in keys_of(key)]
    if not positive:
        return []
    return most_similar(space, positive, topn=topn, restrict_vocab=restrict_vocab, unknown=unknown)


def similar_by_vector(
    space: VectorSpace, vector: Matrix, topn: int | None = 10, restrict_vocab: int | None = None
) -> Any:
    """Return the words most like a vector (D,), or like each row of a matrix (B, D); see `most_similar`.

    Raises:
        ArgumentTypeError: words are given in place of vectors.
    """
    vector = np.asarray(vector)
    if vector.dtype.kind in "USO":
        raise ArgumentTypeError(
            f"similar_by_vector({brief(vector.tolist())}): expected a vector (D,) or a matrix (B, D); use "
            "similar_by_word for words"
        )
    positive = [vector] if vector.ndim == 1 else [[row] for row in vector]
    if not positive:
        return []
    return most_similar(space, positive, topn=topn, restrict_vocab=restrict_vocab)


def most_similar_to_given(space: VectorSpace, key1: Any, keys_list: Sequence[Key]) -> Any:
    """Return the key in `keys_list` most similar to `key1`, or to each of a list of keys.

    Raises:
        OptionError: `keys_list` is empty.
        UnknownWordError: a word has no vector.
    """
    keys_list = keys_of(keys_list, "keys_list")
    if not keys_list:
        raise OptionError("keys_list is empty: expected words to choose from")
    query_vectors = unit(gather(space, [key1] if is_key(key1) else keys_of(key1), "raise").astype(np.float64))
    candidates = unit(gather(space, keys_list, "raise").astype(np.float64))
    best = [keys_list[int(i)] for i in (query_vectors @ candidates.T).argmax(axis=1)]
    return best[0] if is_key(key1) else best


def index(
    space: VectorSpace, kind: Literal["exact", "lsh", "hnsw"] = "exact", **options: Unpack[IndexArguments]
) -> Index:
    """Build a nearest-neighbour index of the words, for many queries.

    Args:
        kind: "exact" compares with every vector; "lsh" searches buckets of random hyperplanes; "hnsw" searches a
            graph (needs usearch).
        **options: the options of that kind: `csls`; `tables`, `bits`, `probes`, `centre`, `seed`; `connectivity`,
            `expansion_add`, `expansion_search`. `firth.vectors.index.options` says what they mean.

    Raises:
        OptionError: there is no such kind or option, or a value is out of range.
        FormatError: a vector holds NaN or infinity.
        MissingExtraError: "hnsw" needs usearch.
    """
    return build_index(space, kind, **options)


def _none_wanted(topn: int | None) -> bool:
    if topn is None:
        return False
    if isinstance(topn, bool) or not isinstance(topn, int | np.integer):
        raise OptionError(f"topn={topn!r}: expected a whole number, or None for all scores")
    return topn < 1
