"""Words and their vectors, with the queries and file formats of gensim's `KeyedVectors`.

Names, arguments and results are those of gensim 4.4, so that code and fingers need not change. What differs, on
purpose:

- Everything that takes one query takes a batch too (`firth.vectors.queries` has the rule) and says by `unknown=` what
  to do with words that have no vector.
- Words are strings. A whole number is a row. Counts are the corpus's own: a file without counts has none, where gensim
  makes up descending ones.
- Zero vectors are like nothing (cosine 0) instead of NaN; a word mover's distance of 0 is 0 instead of infinity;
  `restrict_vocab` restricts `most_similar_cosmul` too.
- Errors are of firth's family: still a KeyError for a word without a vector; a ValueError for a wrong argument or
  file, also where gensim has ZeroDivisionError or EOFError.
- Loading never runs code from the file, so `save` and `load` have no pickles: a folder that is mapped, not read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from firth import registry
from firth.arguments import explained, made_by
from firth.errors import ShapeError
from firth.hints import Hinted
from firth.training_facts import rule_of, with_training_facts
from firth.vectors import exchange, gensim_evaluation, lookup, similar_words
from firth.vectors import similarity as pairs
from firth.vectors.attributes import Attributes
from firth.vectors.codes import Codes
from firth.vectors.cosine import Matrix, inverse, row_norms
from firth.vectors.html import explore, table
from firth.vectors.io import word2vec_format
from firth.vectors.io.formats import save_words
from firth.vectors.io.table import LoadArguments
from firth.vectors.lexicon import Lexicon
from firth.vectors.queries import gather, has_vector, is_key, rows_of
from firth.vectors.space import Inference, Key, Path


@made_by("firth.WordVectors(words, vectors) for a list and a matrix, or firth.load({}) for a file")
class WordVectors(Hinted):
    """Words and a matrix with one row per word.

    Args:
        words: V distinct words.
        vectors: (V, D) float32, float16 or float64, in memory or mapped from a file; not copied. Other types are
            converted to float32. Or quantised vectors, whose codes are saved unless the vectors change.
        counts: (V,) the count of each word in the corpus.
        output_vectors: (V, D) the context side of the model, for further training; wider in models of word order.
        metadata: facts to save with the vectors, as JSON values.
        attributes: (V,) further attributes of the words, by name.
        inference: a function that computes vectors for words without a row: from a list of W words, (W, D) vectors and
            (W,) whether each word has one.

    Attributes:
        codes: the codes that the vectors were computed from, where they are quantised, or None.
        inference: as above, or None.
        lexicon: the words and their rows.

    Raises:
        ShapeError: the shapes of the arrays do not match each other or the words.
        FormatError: a word occurs twice or is not a string.
    """

    def __init__(
        self,
        words: Sequence[str] | Lexicon,
        vectors: npt.ArrayLike | Codes,
        *,
        counts: npt.ArrayLike | None = None,
        output_vectors: npt.ArrayLike | None = None,
        metadata: Mapping[str, Any] | None = None,
        attributes: Mapping[str, npt.NDArray[Any]] | None = None,
        inference: Inference | None = None,
    ) -> None:
        self.inference = inference
        self.lexicon = words if isinstance(words, Lexicon) else Lexicon.checked(words)
        self.metadata: dict[str, Any] = with_training_facts(metadata)
        tokens = rule_of(self.metadata)
        if inference is None or tokens is not None:  # n-grams of a foreign model give another case vectors of its own
            self.lexicon.read_by(tokens)
        self._attributes = Attributes(len(self.lexicon))
        self._norms: Matrix | None = None
        self._average: Matrix | None = None
        self.codes = vectors if isinstance(vectors, Codes) else None
        self._vectors = self._fitting(vectors.rows() if isinstance(vectors, Codes) else vectors, "vectors")
        if self.codes is not None:
            self._vectors.setflags(write=False)  # what is saved is the codes
        self._output_vectors = None if output_vectors is None else self._fitting(output_vectors, "output vectors")
        if counts is not None:
            self._attributes.put("count", np.array(counts, dtype=np.int64))
        for name, values in (attributes or {}).items():
            self._attributes.put(name, values)

    def _fitting(self, vectors: npt.ArrayLike, name: str) -> Matrix:
        matrix = np.asarray(vectors)
        if matrix.dtype.kind != "f" or matrix.dtype.itemsize > 8:
            matrix = matrix.astype(np.float32)
        if matrix.ndim != 2 or len(matrix) != len(self.lexicon):
            raise ShapeError(f"{name} of shape {matrix.shape} for {len(self.lexicon)} words: expected one row a word")
        return matrix

    def __len__(self) -> int:
        return len(self.lexicon)

    def __iter__(self) -> Iterator[str]:
        return iter(self.lexicon.words)

    def __contains__(self, key: object) -> bool:
        return is_key(key) and has_vector(self, key)

    def __getitem__(self, key: Any) -> Matrix:
        return lookup.get_vector(self, key)

    def __setitem__(self, keys: Any, vectors: npt.ArrayLike) -> None:
        self.add_vectors(keys, vectors, replace=True)

    def __repr__(self) -> str:
        extra = ", output vectors" if self._output_vectors is not None else ""
        return f"<WordVectors: {len(self):,} words x {self.dim} {self._vectors.dtype}{extra}>"

    def _repr_html_(self) -> str:
        return table(self)

    @property
    def words(self) -> list[str]:
        """The words in row order."""
        return self.lexicon.words

    @property
    def index_to_key(self) -> list[str]:
        """The words in row order: gensim's name."""
        return self.lexicon.words

    @property
    def key_to_index(self) -> dict[str, int]:
        """The row of each word."""
        return self.lexicon.rows

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return int(self.vectors.shape[1])

    @property
    def vector_size(self) -> int:
        """D, the width of the vectors: gensim's name."""
        return self.dim

    @property
    def counts(self) -> npt.NDArray[np.int64] | None:
        """(V,) the count of each word in the corpus, or None where it is unknown."""
        return self._attributes.get("count")

    @property
    def attributes(self) -> Mapping[str, npt.NDArray[Any]]:
        """(V,) values of every attribute of the words, by name; counts are called "count"."""
        return self._attributes

    @property
    def vectors(self) -> Matrix:
        """(V, D) the vectors; read-only where they are mapped from a file.

        After writing into them, call `fill_norms(force=True)`.
        """
        return self._vectors

    @vectors.setter
    def vectors(self, vectors: npt.ArrayLike) -> None:
        self._vectors = self._fitting(vectors, "vectors")
        self._norms = self._average = self.codes = None

    @property
    def output_vectors(self) -> Matrix | None:
        """(V, D), or wider in models of word order: the context side of the model, or None."""
        return self._output_vectors

    @property
    def norms(self) -> Matrix:
        """(V,) float32, the length of each vector, computed on first use."""
        if self._norms is None:
            self._norms = row_norms(self._vectors)
        return self._norms

    def average(self) -> Matrix:
        """Return the mean of all vectors, (D,) float32, computed on first use; zeros without vectors."""
        if self._average is None:
            mean = self._vectors.mean(axis=0, dtype=np.float64) if len(self) else np.zeros(self.dim)
            self._average = np.asarray(mean, dtype=np.float32)
        return self._average

    def vectors_for_all(
        self, keys: Iterable[Key], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> "WordVectors":
        """Return the vectors of the keys that have one, as new `WordVectors`.

        Args:
            keys: words or rows, without regard to repetition.
            allow_inference: whether row numbers count, and words whose vectors must be inferred.
            copy_vecattrs: whether to copy the attributes of the words too.
        """
        present = [
            key if isinstance(key, str) else self.words[key]
            for key in keys
            if (allow_inference and key in self) or (isinstance(key, str) and self.get_index(key, -1) >= 0)
        ]
        words = list(dict.fromkeys(present))
        selection = WordVectors(words, gather(self, words, "raise"))
        if copy_vecattrs:
            selection._attributes = self._attributes.take(rows_of(self, words))
        return selection

    first = lookup.first
    quantise = explained(lookup.quantise)

    # Changes.

    def add_vector(self, key: str, vector: npt.ArrayLike) -> int:
        """Add one word and return its row; a known word keeps its vector. `add_vectors` is faster for many words."""
        self.add_vectors([key], np.atleast_2d(np.asarray(vector)))
        return int(self.get_index(key))

    def add_vectors(
        self,
        keys: Any,
        weights: npt.ArrayLike,
        extras: Mapping[str, npt.NDArray[Any]] | None = None,
        replace: bool = False,
    ) -> None:
        """Add words at the end.

        Args:
            keys: M words, or one.
            weights: (M, D) their vectors, or (D,) for one word.
            extras: (M,) attributes of the words, by name.
            replace: whether known words take the new vector and attributes instead of keeping theirs.

        Raises:
            ShapeError: there are not as many vectors as words, or they have another width.
            FormatError: a new word occurs twice.
        """
        keys = [keys] if is_key(keys) else list(keys)
        matrix = np.atleast_2d(np.asarray(weights, dtype=self._vectors.dtype))
        if matrix.shape != (len(keys), self.dim):
            raise ShapeError(
                f"vectors of shape {matrix.shape} for {len(keys)} words: expected ({len(keys)}, {self.dim})"
            )
        new = rows_of(self, keys) < 0
        old = ~new if replace else np.zeros(len(keys), dtype=bool)
        self.lexicon.extend(Lexicon.checked([key for key, is_new in zip(keys, new, strict=True) if is_new]).words)
        grown = np.concatenate([self._vectors, matrix[new]])
        grown[rows_of(self, list(compress(keys, old)))] = matrix[old]
        self.vectors = grown
        if self._output_vectors is not None:
            room = np.zeros((int(new.sum()), self._output_vectors.shape[1]), self._output_vectors.dtype)
            self._output_vectors = np.concatenate([self._output_vectors, room])
        self._attributes.grow(int(new.sum()))
        for name, values in (extras or {}).items():
            for position in np.flatnonzero(new | old):
                self._attributes.write(name, self.get_index(keys[position]), values[position])

    def get_vecattr(self, key: Any, attr: str) -> Any:
        """Return an attribute of a word, or of each of a list of words.

        Raises:
            OptionError: the words have no such attribute.
            UnknownWordError: a word has no vector.
        """
        return self._attributes.column(attr)[self.get_index(key)]

    def set_vecattr(self, key: Key, attr: str, val: Any) -> None:
        """Set an attribute of a word; a new attribute is 0, False or "" for all others.

        Raises:
            OptionError: the attribute holds values of another type.
            UnknownWordError: the word has no vector.
        """
        self._attributes.write(attr, self.get_index(key), val)

    def fill_norms(self, force: bool = False) -> None:
        """Compute the lengths of the vectors; `force` recomputes them after the vectors have changed."""
        if force:
            self._norms = self._average = None
        _ = self.norms  # reading the property computes it

    def unit_normalize_all(self) -> None:
        """Scale all vectors to length 1: mapped vectors are copied, others change in place.

        The output vectors are dropped, since training cannot continue.
        """
        vectors = self._vectors if self._vectors.flags.writeable else np.array(self._vectors)
        vectors *= inverse(self.norms)[:, None].astype(vectors.dtype)
        self.vectors = vectors
        self._output_vectors = None

    def sort_by_descending_frequency(self) -> None:
        """Sort the words by count, most frequent first, then by the word itself.

        gensim sorts words of equal counts in the reverse of their present order.

        Raises:
            OptionError: the words have no counts.
        """
        if not len(self):
            return
        counts = self._attributes.column("count")
        order = np.array(sorted(range(len(self)), key=lambda row: (-counts[row], self.words[row])))
        self.lexicon = Lexicon([self.words[row] for row in order])
        self.vectors = self._vectors[order]
        self._output_vectors = None if self._output_vectors is None else self._output_vectors[order]
        self._attributes = self._attributes.take(order)

    # Files. `load` reads whatever `firth.load` reads.

    save = save_words
    save_word2vec_format = word2vec_format.save
    load_word2vec_format: "classmethod[WordVectors, ..., WordVectors]" = classmethod(word2vec_format.load)

    @classmethod
    def load(cls, path: Path, **options: Unpack[LoadArguments]) -> "WordVectors":
        """Load word vectors from a folder or from a file of another program; see `firth.load`.

        Raises:
            OptionError: the path holds something else.
        """
        vectors: WordVectors = registry.resolve(registry.LOAD_AS)(path, WordVectors, "word vectors", **options)
        return vectors

    explore = explained(explore)

    # Tables and tensors of other libraries.

    to_pandas = exchange.to_pandas
    to_arrow = exchange.to_arrow
    to_dataset = exchange.to_dataset
    to_torch = exchange.to_torch
    from_table: "classmethod[WordVectors, ..., WordVectors]" = classmethod(exchange.from_table)
    from_torch: "classmethod[WordVectors, ..., WordVectors]" = classmethod(exchange.from_torch)

    # Queries: functions of the modules named, whose first argument is the vectors.

    has_index_for = lookup.has_index_for
    get_index = lookup.get_index
    get_vector = lookup.get_vector
    get_normed_vectors = explained(lookup.get_normed_vectors)
    get_mean_vector = explained(lookup.get_mean_vector)

    most_similar = explained(similar_words.most_similar)
    most_similar_cosmul = explained(similar_words.most_similar_cosmul)
    analogy = explained(similar_words.analogy)
    similar_by_word = explained(similar_words.similar_by_word)
    similar_by_key = explained(similar_words.similar_by_key)
    similar_by_vector = explained(similar_words.similar_by_vector)
    most_similar_to_given = explained(similar_words.most_similar_to_given)
    index = explained(similar_words.index)

    similarity = explained(pairs.similarity)
    distance = explained(pairs.distance)
    cosine_similarities = staticmethod(pairs.cosine_similarities)
    distances = explained(pairs.distances)
    closer_than = explained(pairs.closer_than)
    rank = explained(pairs.rank)
    relative_cosine_similarity = explained(pairs.relative_cosine_similarity)
    n_similarity = explained(pairs.n_similarity)
    rank_by_centrality = explained(pairs.rank_by_centrality)
    doesnt_match = explained(pairs.doesnt_match)
    wmdistance = explained(pairs.wmdistance)

    evaluate_word_pairs = explained(gensim_evaluation.evaluate_word_pairs)
    evaluate_word_analogies = explained(gensim_evaluation.evaluate_word_analogies)
