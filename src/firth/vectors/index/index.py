"""Nearest-neighbour indexes: words or vectors in, neighbours out, for every kind of index."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.errors import FormatError, OptionError, ShapeError, brief
from firth.vectors.cosine import Matrix, Rows, unit
from firth.vectors.index.files import write_index
from firth.vectors.index.options import EFFORT, OPTIONS, EffortArguments, IndexArguments, IndexOptions
from firth.vectors.index.results import NO_ROW, Points, Searcher, SearchResults, without
from firth.vectors.queries import Unknown, gather, is_key, rows_of
from firth.vectors.space import VectorSpace

Answer = list[tuple[str, float]]


@dataclass(frozen=True)
class Neighbours:
    """The neighbours of a batch of queries.

    Attributes:
        rows: (B, k) int64 rows, best first, the lower row first among equals; -1 where there are fewer.
        scores: (B, k) cosines, or CSLS where the index ranks by it; NaN where there are fewer.
        scanned: (B,) the number of vectors compared with each query.
        vocabulary: the word of each row.
    """

    rows: Rows
    scores: Matrix
    scanned: Rows
    vocabulary: Sequence[str]

    @property
    def words(self) -> list[list[str]]:
        """The words of each query, best first."""
        return [[self.vocabulary[row] for row in rows if row != NO_ROW] for rows in self.rows.tolist()]

    @property
    def answers(self) -> list[Answer]:
        """[(word, score), ...] for each query, as `most_similar` answers."""
        scores = self.scores.tolist()
        return [list(zip(words, scores[i], strict=False)) for i, words in enumerate(self.words)]


class Index:
    """An immutable nearest-neighbour index of words and their vectors.

    `vectors.index(kind, ...)` builds one, `firth.load_index` loads one. Later changes of the vectors have no effect.

    Args:
        space: the words and their vectors.
        kind: "exact", "lsh" or "hnsw".
        searcher: the search structure.

    Attributes:
        space: the words and their vectors.
        kind: the kind.
        searcher: the search structure.
    """

    def __init__(self, space: VectorSpace, kind: str, searcher: Searcher) -> None:
        self.space, self.kind, self.searcher = space, kind, searcher
        self._words = tuple(space.words)  # words may be added to the vectors later, and have no part in this

    def __len__(self) -> int:
        return len(self._words)

    @property
    def options(self) -> IndexOptions:
        """The options of its kind."""
        return self.searcher.options

    def __repr__(self) -> str:
        return f"<Index: {len(self):,} words, {self.kind}, {self.options}>"

    @explained
    def query(self, queries: Any, k: int = 10, *, unknown: Unknown = "raise") -> Neighbours:
        """Return the nearest words.

        Args:
            queries: a word or row number, a list of B of them, or an array: a vector (D,) or a matrix (B, D). A word is
                not its own neighbour.
            k: the number of neighbours; fewer are returned where there are fewer words.
            unknown: what to do with words without a vector: "raise", "zero", "average", or "skip", which returns no
                neighbours for the query.

        Returns:
            The neighbours of B queries; B is 1 for a single word or vector.

        Raises:
            OptionError: `k` is below 1, or there is no such policy.
            UnknownWordError: a word has no vector and the policy is "raise".
            ShapeError: vectors have another width.
            FormatError: a query vector holds NaN or infinity.
        """
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise OptionError(f"k={k!r}: expected a whole number of at least 1")
        if isinstance(queries, np.ndarray) and queries.dtype.kind in "fiub":
            queries = _checked(queries, self.space.dim)
            own = np.full(len(queries), NO_ROW)
        else:
            keys = [queries] if is_key(queries) else list(queries)
            queries, own = gather(self.space, keys, unknown), rows_of(self.space, keys)
        skipped = np.atleast_1d(np.isnan(queries).all(axis=1))
        result = self._search(np.where(skipped[:, None], 0, queries), own, int(k))
        result.rows[skipped], result.scores[skipped], result.scanned[skipped] = NO_ROW, np.nan, 0
        return Neighbours(result.rows, result.scores, result.scanned, self._words)

    def _search(self, queries: Matrix, own: Rows, k: int) -> SearchResults:
        has_own_rows = bool((own != NO_ROW).any())
        within = min(k + has_own_rows, len(self))
        if not len(queries) or not within:
            empty = np.empty((len(queries), 0))
            return SearchResults(
                empty.astype(np.int64), empty.astype(np.float32), np.zeros(len(queries), dtype=np.int64)
            )
        result = self.searcher.search(unit(queries), within)
        return without(result, own, k) if has_own_rows else result

    @explained
    def most_similar(self, vector: Matrix, topn: int = 10) -> Answer:
        """Return the words nearest to a vector (D,): what `vectors.most_similar(..., indexer=index)` asks for.

        Raises:
            OptionError: `topn` is below 1.
            ShapeError: the vector has another width.
            FormatError: the vector holds NaN or infinity.
        """
        return self.query(np.asarray(vector), topn).answers[0]

    def tuned(self, **effort: Unpack[EffortArguments]) -> "Index":
        """Return the same index with another effort per query: `probes` of "lsh", `expansion_search` of "hnsw".

        Raises:
            OptionError: there is no such option, it needs a new index, or its value is out of range.
        """
        for name in effort.keys() - EFFORT:
            raise OptionError(f"{name}={dict(effort)[name]!r}: the index was built otherwise; build another one")
        options = read_options(self.kind, {**dataclasses.asdict(self.options), **effort})
        points = Points(self.space.vectors, self.space.norms)
        return Index(self.space, self.kind, searcher_of(self.kind).restore(points, options, self.searcher.tensors()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index to a file, for `firth.load_index`; the vectors are not included."""
        settings = {"kind": self.kind, "options": dataclasses.asdict(self.options)}
        write_index(path, self.space, settings, self.searcher.tensors())


def build_index(space: VectorSpace, kind: str = "exact", **options: Unpack[IndexArguments]) -> Index:
    """Return an index of words and their vectors; see `vectors.index`.

    Args:
        kind: "exact", "lsh" or "hnsw".
    """
    settings = read_options(kind, options)
    searcher: Searcher = searcher_of(kind).build(Points(space.vectors, space.norms), settings)
    return Index(space, kind, searcher)


def read_options(kind: str, options: Mapping[str, Any]) -> IndexOptions:
    """Return the options of a kind.

    Raises:
        OptionError: there is no such kind or option, or a value is out of range.
    """
    if kind not in OPTIONS:
        raise OptionError(f"kind={kind!r}: expected one of {', '.join(OPTIONS)}")
    names = list(OPTIONS[kind].__dataclass_fields__)
    for name in options:
        if name not in names:
            raise OptionError(f"{name}={brief(options[name])}: an index of kind {kind} has {', '.join(names)}")
    return OPTIONS[kind](**options)


def searcher_of(kind: str) -> Any:
    """Return the class that searches; its module loads now, and with it what the kind needs."""
    if kind == "lsh":
        from firth.vectors.index.lsh import HyperplaneSearch

        return HyperplaneSearch
    if kind == "hnsw":
        from firth.vectors.index.hnsw import SmallWorldSearch

        return SmallWorldSearch
    from firth.vectors.index.exact import ExactSearch

    return ExactSearch


def _checked(array: Matrix, dim: int) -> Matrix:
    queries = np.atleast_2d(array)
    if queries.ndim != 2 or queries.shape[1] != dim:
        raise ShapeError(f"query vectors of shape {array.shape}: expected ({dim},) or (B, {dim})")
    if not np.isfinite(queries).all():
        row = int(np.argmin(np.isfinite(queries).all(axis=1)))
        raise FormatError(f"query vector {row} holds NaN or infinity: expected finite numbers")
    return queries
