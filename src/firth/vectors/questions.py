"""Every question that one can ask of words and their vectors, under the names of gensim's `KeyedVectors`.

The arithmetic is elsewhere: `queries` reads what is asked, `neighbours` and `analogy` answer, `judging` judges; what is
asked of groups of words stands in `groups`. `WordVectors` holds the words and the matrix, and says what differs from
gensim.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.vectors import analogy, cosine, judging, neighbours
from firth.vectors.cosine import Matrix
from firth.vectors.groups import Groups
from firth.vectors.queries import (
    Key,
    Unknown,
    as_vector,
    gather,
    is_key,
    keys_of,
    mean_vectors,
    read_queries,
)

if TYPE_CHECKING:
    from firth.vectors.index.index import Index

Answer = list[tuple[str, float]]
Path = str | os.PathLike[str]


class Questions(Groups):
    """What can be asked of words beyond their own vectors and those of groups: neighbours, comparisons, judgements."""

    # Neighbours.

    def most_similar(
        self,
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
        """Return the words whose vectors point most nearly where the query does.

        The query is the weighted sum of the terms' unit vectors, the negative ones subtracted; its own words are no
        answer.

        Args:
            positive: a word, row or vector to be like, or a list of them, each also as (term, weight). A list of lists
                is a
                batch: `most_similar([["paris"], ["king", "woman"]])`; for single words see `similar_by_word`.
            negative: the same, to be unlike; in a batch one list a query.
            topn: how many words; None returns the cosine with every word searched.
            clip_start: the first row to search.
            clip_end: the row after the last to search; None or 0 means V.
            restrict_vocab: search the first so many rows; overrides the two above.
            indexer: an approximate index with `most_similar(vector, topn)`, asked instead of the exact search.
            unknown: what to do with unknown words: "raise", "skip", "zero" or "average".

        Returns:
            [(word, cosine), ...], best first, or (V,) float32 where `topn` is None. For a batch, a list of such lists,
            or (B, V). A query of skipped words only has an empty list, or NaN.

        Raises:
            OptionError: an argument is out of its range, or the query is empty.
            UnknownWordError: a word has no vector and the policy is "raise".
        """
        queries, batch = read_queries(positive, negative)
        start, end = self._window(clip_start, clip_end, restrict_vocab)
        if _none_wanted(topn):
            return [[] for _ in queries] if batch else []
        asked = mean_vectors(self, queries, unknown)
        if indexer is not None and topn is not None:
            answers = [indexer.most_similar(vector, topn) for vector in asked.vectors.astype(np.float32)]
            return answers if batch else answers[0]
        if topn is None:
            scores = neighbours.cosines(self.vectors, self.norms, asked.vectors, start=start, end=end)
            scores[~asked.answerable] = np.nan
            return scores if batch else scores[0]
        k = topn + max(map(len, asked.rows), default=0)
        rows, scores = neighbours.nearest(self.vectors, self.norms, asked.vectors, k, start=start, end=end)
        answers = self._answers(rows, scores, asked.rows, asked.answerable, topn)
        return answers if batch else answers[0]

    def _window(self, start: int, end: int | None, restrict: int | None) -> tuple[int, int]:
        if restrict:
            start, end = 0, restrict
        if start < 0 or (end or 0) < 0:
            raise OptionError(f"rows {start} to {end} to search: expected numbers of at least 0")
        return start, min(end or len(self), len(self))

    def _answers(
        self, rows: npt.NDArray[np.int64], scores: Matrix, own: Sequence[set[int]], answerable: Any, topn: int
    ) -> list[Answer]:
        words = self.words
        return [
            [(words[row], score) for row, score in zip(*found, strict=True) if row not in mine][:topn] if any_ else []
            for *found, mine, any_ in zip(rows.tolist(), scores.tolist(), own, answerable, strict=True)
        ]

    def most_similar_cosmul(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
        *,
        unknown: Unknown = "raise",
    ) -> Any:
        """Return the words that are like all positive terms and unlike all negative ones, by a product of cosines.

        Args:
            positive: as in `most_similar`, without weights; at least one.
            negative: as in `most_similar`, without weights.
            topn: how many words; None returns the score of every word searched.
            restrict_vocab: search the first so many rows.
            unknown: what to do with unknown words: "raise", "skip", "zero" or "average".

        Returns:
            As `most_similar`.

        Raises:
            OptionError: an argument is out of its range, or nothing is positive.
            UnknownWordError: a word has no vector and the policy is "raise".

        Source: `firth.vectors.analogy`.
        """
        queries, batch = read_queries(positive, negative)
        _, end = self._window(0, None, restrict_vocab)
        if _none_wanted(topn):
            return [[] for _ in queries] if batch else []
        if topn is None:
            scores = analogy.product_scores(self, queries, end, unknown)
            return scores if batch else scores[0]
        own = [{self.get_index(term, -1) for term in query.terms if is_key(term)} for query in queries]
        rows, scores = analogy.product_nearest(self, queries, topn + max(map(len, own)), end, unknown)
        answers = self._answers(rows, scores, own, ~np.isnan(scores).any(axis=1), topn)
        return answers if batch else answers[0]

    def analogy(
        self,
        a: Any,
        b: Any,
        c: Any,
        n: int = 10,
        method: Literal["add", "mul"] = "add",
        *,
        restrict_vocab: int | None = None,
        unknown: Unknown = "raise",
    ) -> Any:
        """Return the words d such that A is to B as C is to d.

        Args:
            a: a word, or a list of them for a batch.
            b: a word, or a list of as many.
            c: a word, or a list of as many.
            n: how many words.
            method: "add" is 3CosAdd, "mul" is 3CosMul.
            restrict_vocab: search the first so many rows.
            unknown: what to do with unknown words: "raise", "skip", "zero" or "average".

        Returns:
            [(word, score), ...], best first; for a batch, a list of such lists. A, B and C are no answers.

        Raises:
            OptionError: an argument is out of its range, or the lists differ in length.
            UnknownWordError: a word has no vector and the policy is "raise".

        Source: `firth.vectors.analogy`.
        """
        if method not in ("add", "mul"):
            raise OptionError(f"method={method!r}: expected 'add' or 'mul'")
        ask = self.most_similar if method == "add" else self.most_similar_cosmul
        batch = not all(map(is_key, (a, b, c)))
        asked = _paired(a, b, c)
        answers = ask(
            [[b_, c_] for _, b_, c_ in asked],
            [[a_] for a_, _, _ in asked],
            topn=n,
            restrict_vocab=restrict_vocab,
            unknown=unknown,
        )
        return answers if batch else answers[0]

    def similar_by_word(
        self, word: Any, topn: int | None = 10, restrict_vocab: int | None = None, *, unknown: Unknown = "raise"
    ) -> Any:
        """Return the words most like a word, or like each of a list of words; see `most_similar`."""
        return self.similar_by_key(word, topn, restrict_vocab, unknown=unknown)

    def similar_by_key(
        self, key: Any, topn: int | None = 10, restrict_vocab: int | None = None, *, unknown: Unknown = "raise"
    ) -> Any:
        """Return the words most like a word or row, or like each of a list of them; see `most_similar`."""
        positive = [key] if is_key(key) else [[one] for one in keys_of(key)]
        if not positive:
            return []
        return self.most_similar(positive, topn=topn, restrict_vocab=restrict_vocab, unknown=unknown)

    def similar_by_vector(self, vector: Matrix, topn: int | None = 10, restrict_vocab: int | None = None) -> Any:
        """Return the words most like a vector (D,), or like each row of a matrix (B, D); see `most_similar`."""
        vector = np.asarray(vector)
        positive = [vector] if vector.ndim == 1 else [[row] for row in vector]
        if not positive:
            return []
        return self.most_similar(positive, topn=topn, restrict_vocab=restrict_vocab)

    def most_similar_to_given(self, key1: Any, keys_list: Sequence[Key]) -> Any:
        """Return the one of `keys_list` most like `key1`; for a list of keys, the one most like each.

        Raises:
            OptionError: there is nothing to choose from.
            UnknownWordError: a word has no vector.
        """
        keys_list = keys_of(keys_list, "keys_list")
        if not keys_list:
            raise OptionError("keys_list is empty: expected words to choose from")
        asked = cosine.unit(gather(self, [key1] if is_key(key1) else keys_of(key1), "raise").astype(np.float64))
        given = cosine.unit(gather(self, keys_list, "raise").astype(np.float64))
        chosen = [keys_list[int(place)] for place in (asked @ given.T).argmax(axis=1)]
        return chosen[0] if is_key(key1) else chosen

    def index(self, kind: Literal["exact", "lsh", "hnsw"] = "exact", **options: Any) -> "Index":
        """Return an index of the words, for many questions about nearest neighbours.

        Args:
            kind: "exact" compares everything; "lsh" looks into buckets between random hyperplanes; "hnsw" walks along
                the edges of a graph (needs usearch).
            options: the choices of that kind: `csls`; `tables`, `bits`, `probes`, `centre`, `seed`; `connectivity`,
                `expansion_add`, `expansion_search`. `firth.vectors.index.options` says what they mean.

        Raises:
            OptionError: there is no such kind or option, or a value is out of range.
            FormatError: a vector holds NaN or infinity.
            MissingExtraError: "hnsw" needs usearch.
        """
        from firth.vectors.index.index import build_index

        return build_index(self, kind, **options)

    # Pairs.

    def similarity(self, w1: Any, w2: Any, *, unknown: Unknown = "raise") -> Any:
        """Return the cosine of two words.

        Args:
            w1: a word or row, or a list of them.
            w2: the same; of two lists the words are paired, of one list each is compared with the one word.
            unknown: what to do with unknown words; a skipped one gives NaN.

        Returns:
            A float, or (B,) float64 for a batch.

        Raises:
            OptionError: the lists differ in length.
            UnknownWordError: a word has no vector and the policy is "raise".
        """
        pairs = _paired(w1, w2)
        left, right = (
            cosine.unit(gather(self, side, unknown).astype(np.float64))
            for side in ([one for one, _ in pairs], [other for _, other in pairs])
        )
        cosines = np.einsum("bd,bd->b", left, right)
        return float(cosines[0]) if is_key(w1) and is_key(w2) else cosines

    def distance(self, w1: Any, w2: Any, *, unknown: Unknown = "raise") -> Any:
        """Return 1 - `similarity`, with the same arguments."""
        return 1 - self.similarity(w1, w2, unknown=unknown)

    @staticmethod
    def cosine_similarities(vector_1: Matrix, vectors_all: Matrix) -> Matrix:
        """Return the cosine of a vector (D,), or of each row of (B, D), with each row of another matrix (M, D)."""
        return cosine.unit(np.asarray(vector_1)) @ cosine.unit(np.asarray(vectors_all)).T

    def distances(self, word_or_vector: Any, other_words: Sequence[Key] = ()) -> Matrix:
        """Return 1 - cosine of a word or vector with other words.

        Args:
            word_or_vector: a word, a row number or a vector (D,); a list of words or a matrix (B, D) is a batch.
            other_words: the words compared with; none means all.

        Returns:
            (M,) or (B, M), where M is the number of other words, or V.

        Raises:
            UnknownWordError: a word has no vector.
        """
        one = is_key(word_or_vector) or (np.ndim(word_or_vector) == 1 and isinstance(word_or_vector, np.ndarray))
        several = [word_or_vector] if one else keys_of(word_or_vector)
        asked = np.stack([self.get_vector(item) if is_key(item) else as_vector(self, item) for item in several])
        others = keys_of(other_words, "other_words")
        if others:
            cosines = self.cosine_similarities(asked, gather(self, others, "raise"))
        else:
            cosines = neighbours.cosines(self.vectors, self.norms, asked)
        return (1 - cosines)[0] if one else 1 - cosines

    def closer_than(self, key1: Any, key2: Any) -> Any:
        """Return the words that are closer to the first key than the second key is, row by row.

        Two lists of keys are paired, and answer with a list of lists.

        Raises:
            UnknownWordError: a word has no vector.
        """
        if not (is_key(key1) and is_key(key2)):
            return [self.closer_than(one, other) for one, other in _paired(key1, key2)]
        distances = self.distances(key1)
        row = self.get_index(key2, -1)
        closer = np.flatnonzero(distances < (distances[row] if row >= 0 else self.distance(key1, key2)))
        return [self.words[row] for row in closer if row != self.get_index(key1, -1)]

    def rank(self, key1: Any, key2: Any) -> Any:
        """Return the place of the second key among the neighbours of the first, from 1; two lists are paired.

        Raises:
            UnknownWordError: a word has no vector.
        """
        if not (is_key(key1) and is_key(key2)):
            return [self.rank(one, other) for one, other in _paired(key1, key2)]
        return len(self.closer_than(key1, key2)) + 1

    def relative_cosine_similarity(self, wa: Any, wb: Any, topn: int = 10) -> Any:
        """Return the cosine of two words over the sum of those of the first word's `topn` neighbours.

        Above 1 / topn the two are more alike than the neighbours are on average. Two lists are paired.

        Source: Leeuwenberg, Vela, Dehdari and van Genabith 2016, "A minimally supervised approach for synonym
        extraction with word embeddings", equation 1.

        Raises:
            OptionError: `topn` is below 1.
            UnknownWordError: a word has no vector.
        """
        if not (is_key(wa) and is_key(wb)):
            return [self.relative_cosine_similarity(one, other, topn) for one, other in _paired(wa, wb)]
        neighbours_of = self.similar_by_word(wa, topn)
        if not neighbours_of:
            raise OptionError(f"topn={topn}: expected at least 1 neighbour to compare with")
        return self.similarity(wa, wb) / sum(score for _, score in neighbours_of)

    # Judging.

    def evaluate_word_pairs(
        self,
        pairs: Path,
        delimiter: str = "\t",
        encoding: str = "utf8",
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> tuple[Any, Any, float]:
        """Return how well cosines follow people's judgements: gensim's figures; `firth.evaluate` says more.

        Args:
            pairs: a file with two words and a score a line.
            delimiter: what stands between them.
            encoding: the encoding of the file.
            restrict_vocab: use the first so many words only.
            case_insensitive: whether to compare upper-case forms; the first word of each form counts.
            dummy4unknown: whether a pair with an unknown word counts as similarity 0 instead of being left out.

        Returns:
            (Pearson's result, Spearman's result, share of pairs with unknown words in per cent); the results are
            SciPy's, with the statistic first and the p-value second.

        Raises:
            FormatError: no line can be used.
        """
        return judging.word_pairs(self, pairs, delimiter, encoding, restrict_vocab, case_insensitive, dummy4unknown)

    def evaluate_word_analogies(
        self,
        analogies: Path,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        similarity_function: str = "most_similar",
    ) -> tuple[float, list[dict[str, Any]]]:
        """Return how many analogies come out right: gensim's figures; `firth.evaluate` says more.

        Args:
            analogies: a file with ": section" lines and four words a line.
            restrict_vocab: use the first so many words only.
            case_insensitive: whether to compare upper-case forms; the first word of each form counts.
            dummy4unknown: whether a question with an unknown word counts as wrong instead of being left out.
            similarity_function: "most_similar" or "most_similar_cosmul".

        Returns:
            (accuracy from 0 to 1, [{"section", "correct": [(a, b, c, d), ...], "incorrect": [...]}, ..., the total]).

        Raises:
            FormatError: a question stands before the first section, or there is none.
            OptionError: there is no such similarity function.
        """
        return judging.word_analogies(
            self, analogies, restrict_vocab, case_insensitive, dummy4unknown, similarity_function
        )


def _none_wanted(topn: int | None) -> bool:
    if topn is None:
        return False
    if isinstance(topn, bool) or not isinstance(topn, int | np.integer):
        raise OptionError(f"topn={topn!r}: expected a whole number, or None for all scores")
    return topn < 1


def _paired(*sides: Any) -> list[tuple[Any, ...]]:
    """Return keys side by side; a single key stands beside every one of the others' lists."""
    sides = tuple(side if is_key(side) else keys_of(side) for side in sides)
    sizes = {len(side) for side in sides if not is_key(side)}
    if len(sizes) > 1:
        raise OptionError(f"lists of {' and '.join(map(str, sorted(sizes)))} words: expected as many in each")
    size = sizes.pop() if sizes else 1
    return list(zip(*([side] * size if is_key(side) else side for side in sides), strict=True))
