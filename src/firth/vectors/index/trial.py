"""Indexes side by side: how much of the truth they find, after how much looking, in what time.

What: some words are taken out of the vectors and become the queries, so that no query is a point of the index. Exact
search over the rest is the truth; recall@k is the share of its k neighbours that an index finds.

Cost: building every index once, and every query twice: in one batch, and up to ONE_BY_ONE of them one by one.
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

ONE_BY_ONE = 200  # queries that are also asked one by one

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
    """What came out for one index.

    Attributes:
        kind: the kind.
        options: its choices.
        words: V, how many were searched.
        dim: D.
        queries: how many were asked.
        recall: share of the exact `k` nearest that were found, from 0 to 1.
        k: neighbours asked for.
        scanned: share of the words that were compared with a query, on average.
        microseconds: a query, asked one by one.
        batch_microseconds: a query, all asked at once.
        build_seconds: to build; for another effort of the same index, of that.
        megabytes: beside the vectors.
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
    """Return the usual choices, without those that need usearch where it is not installed."""
    return [choice for choice in USUAL if choice[0] != "hnsw" or find_spec("usearch") is not None]


def held_out(vectors: "WordVectors", queries: int, seed: int = 0) -> tuple["WordVectors", Matrix]:
    """Return the vectors without some words drawn at random, and the vectors of these.

    Args:
        vectors: of words.
        queries: how many to take out.
        seed: decides which.

    Raises:
        OptionError: fewer than two words would be left, or none is to be taken out.
    """
    if not 1 <= queries <= len(vectors) - 2:
        raise OptionError(f"{queries} queries of {len(vectors)} words: expected from 1 to {max(len(vectors) - 2, 1)}")
    out = np.zeros(len(vectors), dtype=bool)
    out[generator(seed, "held-out queries").permutation(len(vectors))[:queries]] = True
    left = [vectors.words[row] for row in np.flatnonzero(~out)]
    return type(vectors)(left, vectors.vectors[~out]), np.asarray(vectors.vectors[out])


def recall(found: npt.NDArray[np.int64], truth: npt.NDArray[np.int64]) -> float:
    """Return the share of the true neighbours (B, k) that are among those found (B, any)."""
    hits = sum(len(set(some) & set(true)) for some, true in zip(found.tolist(), truth.tolist(), strict=True))
    return hits / max(truth.size, 1)


def try_indexes(
    vectors: "WordVectors", choices: Sequence[Choice] = USUAL, *, k: int = 10, queries: int = 1000, seed: int = 0
) -> Iterator[Trial]:
    """Try kinds of index on vectors, with words held out as queries; yield what came out, one index at a time.

    Args:
        vectors: of words.
        choices: (kind, options) of each index; those that differ in the effort of a query alone are built once.
        k: neighbours asked for.
        queries: how many words to hold out.
        seed: decides which.

    Raises:
        OptionError: `k` is below 1, there are too few words, or a choice is out of its range.
        MissingExtraError: "hnsw" is among the choices and usearch is not installed.
    """
    rest, asked = held_out(vectors, queries, seed)
    truth = build_index(rest).query(asked, k).rows
    built: dict[str, tuple[Index, float]] = {}
    for kind, options in choices:
        key = f"{kind} {sorted((name, value) for name, value in options.items() if name not in EFFORT)}"
        if key not in built:
            built[key] = _timed(partial(build_index, rest, kind, **options))
        index, seconds = built[key]
        index = index.tuned(**{name: value for name, value in options.items() if name in EFFORT})
        yield _tried(index, asked, truth, k, seconds)


def _tried(index: Index, asked: Matrix, truth: npt.NDArray[np.int64], k: int, seconds: float) -> Trial:
    few = asked[:ONE_BY_ONE]
    index.query(few[:1], k)  # whatever is computed once and kept
    found, batch = _timed(lambda: index.query(asked, k))
    _, single = _timed(lambda: [index.query(vector, k) for vector in few])
    return Trial(
        kind=index.kind,
        options=asdict(index.options),
        words=len(index),
        dim=asked.shape[1],
        queries=len(asked),
        recall=recall(found.rows, truth),
        k=k,
        scanned=float(found.scanned.mean() / len(index)),
        microseconds=1e6 * single / len(few),
        batch_microseconds=1e6 * batch / len(asked),
        build_seconds=seconds,
        megabytes=sum(array.nbytes for array in index.searcher.tensors().values()) / 1e6,
    )


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start
