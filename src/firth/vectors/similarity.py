"""Compare words, and groups of words, under gensim's names: cosines, distances, ranks, the odd one out.

The functions are methods of `firth.WordVectors`.
"""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from firth.errors import OptionError, brief
from firth.vectors import distance as word_movers
from firth.vectors import neighbours
from firth.vectors.cosine import Matrix, unit
from firth.vectors.distance import Document
from firth.vectors.lookup import get_mean_vector, get_vector
from firth.vectors.queries import Unknown, as_vector, gather, has_vector, is_batch, is_key, keys_of, paired
from firth.vectors.similar_words import similar_by_word
from firth.vectors.space import Key, VectorSpace


@overload
def similarity(space: VectorSpace, w1: str, w2: str, *, unknown: Unknown = "raise") -> float: ...
@overload
def similarity(space: VectorSpace, w1: Any, w2: Any, *, unknown: Unknown = "raise") -> Any: ...
def similarity(space: VectorSpace, w1: Any, w2: Any, *, unknown: Unknown = "raise") -> Any:
    """Return the cosine of two words.

    Args:
        w1: a word or row, or a list of them.
        w2: the same; two lists are compared pairwise, one list with the single word.
        unknown: what to do with unknown words; a skipped one gives NaN.

    Returns:
        A float, or (B,) float64 for a batch.

    Raises:
        OptionError: the lists differ in length.
        UnknownWordError: a word has no vector and the policy is "raise".
    """
    pairs = paired(w1, w2)
    left, right = (
        unit(gather(space, side, unknown).astype(np.float64))
        for side in ([first for first, _ in pairs], [other for _, other in pairs])
    )
    cosines = np.einsum("bd,bd->b", left, right)
    return float(cosines[0]) if is_key(w1) and is_key(w2) else cosines


def distance(space: VectorSpace, w1: Any, w2: Any, *, unknown: Unknown = "raise") -> Any:
    """Return 1 - `similarity`, with the same arguments."""
    return 1 - similarity(space, w1, w2, unknown=unknown)


def cosine_similarities(vector_1: Matrix, vectors_all: Matrix) -> Matrix:
    """Return the cosine of a vector (D,), or of each row of (B, D), with each row of another matrix (M, D)."""
    return unit(np.asarray(vector_1)) @ unit(np.asarray(vectors_all)).T


def distances(space: VectorSpace, word_or_vector: Any, other_words: Sequence[Key] = ()) -> Matrix:
    """Return 1 - cosine between a word or vector and other words.

    Args:
        word_or_vector: a word, a row number or a vector (D,); a list of words or a matrix (B, D) is a batch.
        other_words: the other words; empty means all.

    Returns:
        (M,) or (B, M), where M is the number of other words, or V.

    Raises:
        UnknownWordError: a word has no vector.
    """
    single = is_key(word_or_vector) or (np.ndim(word_or_vector) == 1 and isinstance(word_or_vector, np.ndarray))
    items = [word_or_vector] if single else keys_of(word_or_vector)
    query_vectors = np.stack([get_vector(space, item) if is_key(item) else as_vector(space, item) for item in items])
    candidates = keys_of(other_words, "other_words")
    if candidates:
        cosines = cosine_similarities(query_vectors, gather(space, candidates, "raise"))
    else:
        cosines = neighbours.cosines(space.vectors, space.norms, query_vectors)
    return (1 - cosines)[0] if single else 1 - cosines


def closer_than(space: VectorSpace, key1: Any, key2: Any) -> Any:
    """Return the words closer to the first key than the second key is, in row order.

    Two lists of keys are paired and give a list of lists.

    Raises:
        UnknownWordError: a word has no vector.
    """
    if not (is_key(key1) and is_key(key2)):
        return [closer_than(space, first, second) for first, second in paired(key1, key2)]
    all_distances = distances(space, key1)
    row = space.get_index(key2, -1)
    limit = all_distances[row] if row >= 0 else distance(space, key1, key2)
    closer = np.flatnonzero(all_distances < limit)
    return [space.words[row] for row in closer if row != space.get_index(key1, -1)]


def rank(space: VectorSpace, key1: Any, key2: Any) -> Any:
    """Return the rank of the second key among the neighbours of the first, from 1; two lists are paired.

    Raises:
        UnknownWordError: a word has no vector.
    """
    if not (is_key(key1) and is_key(key2)):
        return [rank(space, first, second) for first, second in paired(key1, key2)]
    return len(closer_than(space, key1, key2)) + 1


def relative_cosine_similarity(space: VectorSpace, wa: Any, wb: Any, topn: int = 10) -> Any:
    """Return the cosine of two words, divided by the sum over the first word's `topn` neighbours.

    A value above 1 / topn means that the words are more similar than the neighbours are on average. Two lists are
    paired.

    Source: Leeuwenberg, Vela, Dehdari and van Genabith 2016, "A minimally supervised approach for synonym
    extraction with word embeddings", equation 1.

    Raises:
        OptionError: `topn` is below 1.
        UnknownWordError: a word has no vector.
    """
    if not (is_key(wa) and is_key(wb)):
        return [relative_cosine_similarity(space, first, second, topn) for first, second in paired(wa, wb)]
    neighbours_of = similar_by_word(space, wa, topn)
    if not neighbours_of:
        raise OptionError(f"topn={topn}: expected at least 1 neighbour to compare with")
    return similarity(space, wa, wb) / sum(score for _, score in neighbours_of)


def n_similarity(space: VectorSpace, ws1: Any, ws2: Any) -> Any:
    """Return the cosine between the means of two lists of words; unknown words are ignored.

    Two lists of lists are a batch and give (B,) float64.

    Raises:
        OptionError: a list is empty.
    """
    ws1, ws2 = keys_of(ws1, "ws1"), keys_of(ws2, "ws2")
    if not (ws1 and ws2):
        raise OptionError("n_similarity of an empty list: expected at least one word on each side")
    first, second = (
        unit(np.atleast_2d(get_mean_vector(space, side, pre_normalize=False)).astype(np.float64)) for side in (ws1, ws2)
    )
    cosines = np.einsum("bd,bd->b", first, second)
    return cosines if is_batch(ws1) or is_batch(ws2) else float(cosines[0])


def rank_by_centrality(space: VectorSpace, words: Any, use_norm: bool = True) -> Any:
    """Rank words by their cosine with the mean of all of them, most central first; unknown words are ignored.

    Args:
        words: words; a list of lists is a batch.
        use_norm: whether to scale vectors to length 1 first.

    Returns:
        [(cosine, word), ...], or a list of such lists.

    Raises:
        OptionError: no word has a vector.
    """
    words = keys_of(words, "words")
    if is_batch(words):
        return [rank_by_centrality(space, group, use_norm) for group in words]
    present = [word for word in words if has_vector(space, word)]
    if not present:
        raise OptionError(f"none of {brief(list(words))} has a vector: expected at least one known word")
    matrix = get_vector(space, present, norm=use_norm).astype(np.float64)
    scores = matrix @ unit(matrix.mean(axis=0))
    return sorted(zip(scores.tolist(), present, strict=True), reverse=True)


def doesnt_match(space: VectorSpace, words: Any) -> Any:
    """Return the word least similar to the others, for each list of a batch; unknown words are ignored.

    Raises:
        OptionError: no word has a vector.
    """
    ranked = rank_by_centrality(space, words)
    return [group[-1][1] for group in ranked] if is_batch(words) else ranked[-1][1]


def wmdistance(space: VectorSpace, document1: Any, document2: Any, norm: bool = True) -> Any:
    """Return the word mover's distance between two documents; unknown words are ignored.

    Args:
        document1: a list of words; a list of lists is a batch.
        norm: whether to scale vectors to length 1 first.

    Returns:
        A float, infinite where a document has no known word; for a batch a list of them.

    Raises:
        ArgumentTypeError: a document is a string instead of a list of words.

    Source: `firth.vectors.distance`.
    """
    if is_batch(document1) or is_batch(document2):
        return [wmdistance(space, first, second, norm) for first, second in zip(document1, document2, strict=True)]
    document1, document2 = keys_of(document1, "document1"), keys_of(document2, "document2")
    present = [[word for word in document if has_vector(space, word)] for document in (document1, document2)]
    if not all(present):
        return float("inf")
    return word_movers.between(_shared(space, present[0], norm), _shared(space, present[1], norm))


def _shared(space: VectorSpace, words: list[str], norm: bool) -> Document:
    distinct, weights = word_movers.shares(words)
    return get_vector(space, distinct, norm=norm).astype(np.float64), weights
