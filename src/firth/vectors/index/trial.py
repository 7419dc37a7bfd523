"""Comparison of indexes: recall, share of vectors scanned, and time.

What: random words are held out of the vectors and become the queries. Exact search over the other words is the ground
truth; recall@k is the share of its k neighbours that an index returns.

Cost: every index is indexes once, and runs all queries in one batch and up to ONE_BY_ONE of them one by one.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.randomness import generator
from firth.vectors.cosine import Matrix
from firth.vectors.index.index import Index, build_index
from firth.vectors.index.options import EFFORT

if TYPE_CHECKING:
    from firth.vectors.word_vectors import WordVectors

ONE_BY_ONE = 200  # queries that are also timed one by one

Choice = tuple[str, Mapping[str, Any]]  # kind, options
USUAL: tuple[Choice, ...] = (
    ("exact", {}),
    ("hnsw", {"expansion_search": 16}),
    ("hnsw", {"expansion_search": 64}),
    ("hnsw", {"expansion_search": 256}),
    ("lsh", {"probes": 1}),
    ("lsh", {"probes": 10}),
    ("lsh", {"probes": 50}),
    ("lsh", {"probes": 200}),
)


@dataclass(frozen=True)
class Trial:
    """Measurements of one index.

    Attributes:
        kind: kind of the index.
        options: options of the index.
        words: V, the number of indexed words.
        dim: D.
        queries: number of queries.
        recall: share of the exact `k` nearest neighbours returned, from 0 to 1.
        k: neighbours per query.
        scanned: mean share of the words compared with a query.
        microseconds: time per query, one by one.
        batch_microseconds: time per query in one batch.
        build_seconds: time to build the index; shared by trials that differ only in search effort.
        megabytes: size without the vectors.
    """

    kind: str
    options: Mapping[str, Any]
    words: int
    dim: int
    queries: int
    recall: float
    k: int
    scanned: float
    microseconds: float
    batch_microseconds: float
    build_seconds: float
    megabytes: float


def usual_choices() -> list[Choice]:
    """Return the default choices; without usearch, only those that do not need it."""
    return [choice for choice in USUAL if choice[0] != "hnsw" or find_spec("usearch") is not None]


def hold_out_words(vectors: "WordVectors", queries: int, seed: int = 0) -> tuple["WordVectors", Matrix]:
    """Hold out random words: return the other words with their vectors, and the vectors of the held-out words.

    Raises:
        OptionError: `queries`, the number of words to hold out, is below 1 or leaves fewer than two words.
    """
    if not 1 <= queries <= len(vectors) - 2:
        raise OptionError(f"{queries} queries of {len(vectors)} words: expected from 1 to {max(len(vectors) - 2, 1)}")
    mask = np.zeros(len(vectors), dtype=bool)
    mask[generator(seed, "held-out queries").permutation(len(vectors))[:queries]] = True
    words = [vectors.words[row] for row in np.flatnonzero(~mask)]
    return type(vectors)(words, vectors.vectors[~mask]), np.asarray(vectors.vectors[mask])


def recall(results: npt.NDArray[np.int64], truth: npt.NDArray[np.int64]) -> float:
    """Return the share of the true neighbours (B, k) that are among the results (B, any)."""
    hits = sum(len(set(rows) & set(true)) for rows, true in zip(results.tolist(), truth.tolist(), strict=True))
    return hits / max(truth.size, 1)


def try_indexes(
    vectors: "WordVectors", choices: Sequence[Choice] = USUAL, *, k: int = 10, queries: int = 1000, seed: int = 0
) -> Iterator[Trial]:
    """Compare indexes on word vectors, with held-out words as queries; yield the measurements of each index.

    Args:
        choices: (kind, options) of each index; those that differ only in search effort share one index.
    """
    rest, held_out_vectors = hold_out_words(vectors, queries, seed)
    truth = build_index(rest).query(held_out_vectors, k).rows
    indexes: dict[str, tuple[Index, float]] = {}
    for kind, options in choices:
        key = f"{kind} {sorted((name, value) for name, value in options.items() if name not in EFFORT)}"
        if key not in indexes:
            indexes[key] = _timed(partial(build_index, rest, kind, **options))
        index, seconds = indexes[key]
        index = index.tuned(**{name: value for name, value in options.items() if name in EFFORT})
        yield _measure(index, held_out_vectors, truth, k, seconds)


def _measure(index: Index, queries: Matrix, truth: npt.NDArray[np.int64], k: int, seconds: float) -> Trial:
    few = queries[:ONE_BY_ONE]
    index.query(few[:1], k)  # warm-up
    results, batch = _timed(lambda: index.query(queries, k))
    _, single = _timed(lambda: [index.query(vector, k) for vector in few])
    return Trial(
        kind=index.kind,
        options=asdict(index.options),
        words=len(index),
        dim=queries.shape[1],
        queries=len(queries),
        recall=recall(results.rows, truth),
        k=k,
        scanned=float(results.scanned.mean() / len(index)),
        microseconds=1e6 * single / len(few),
        batch_microseconds=1e6 * batch / len(queries),
        build_seconds=seconds,
        megabytes=sum(array.nbytes for array in index.searcher.tensors().values()) / 1e6,
    )


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start
