"""Words that have several vectors, one a sense, and what tells by the words around which is meant.

What every model of senses returns, however it found them. A sense is a word and a number from 0; how often it is meant,
its prior, sums to 1 over the senses of a word. A word with one sense is one that the model saw no reason to part.

Objective: of a word's senses s, with the log scores that a reader (`firth.vectors.sense_readers`) gives a context,

    p(s | context)  =  prior(s) e^{score(s)} / sum_t prior(t) e^{score(t)}

and the prior alone where no word around is known. Of two words with n and m senses s_i, t_j

    avg     1 / (n m)  sum_ij cos(s_i, t_j)
    avgc    sum_ij p(s_i | context) p(t_j | other context) cos(s_i, t_j)
    max     max_ij cos(s_i, t_j)
    maxc    cos(s, t) of the two senses that are likeliest in their contexts

Source: Reisinger and Mooney 2010, Multi-prototype vector-space models of word meaning, section 2, for the similarities;
Huang et al. 2012, section 5.2, for those in context.

Departures: those papers weigh a sense in context by the distance to its centre; here it is by its probability, which
takes the prior in.

Cost: questions about one word read its own rows; neighbours compare with all S.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, ShapeError, brief
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.text.inputs import token_lists
from firth.text.tokenise import tokeniser
from firth.vectors import cosine, neighbours, sense_files
from firth.vectors.cosine import Matrix, Rows
from firth.vectors.io.table import check_fits
from firth.vectors.lexicon import Lexicon
from firth.vectors.queries import is_batch
from firth.vectors.sense_readers import Contexts, Floats, Reader
from firth.vectors.word_vectors import WordVectors

SIMILARITIES = ("avg", "avgc", "max", "maxc")
ROUNDING = 1e-6  # what the priors of a word may be off 1

Context = str | Sequence[str]  # a text, or its tokens


@dataclass(frozen=True, eq=False)
class Sense:
    """One sense of a word.

    Attributes:
        word: whose sense it is.
        number: which of its senses, from 0.
        prior: the share of the word's occurrences that have it.
        label: what the model calls it, such as a synset, or None.
        vector: (D,).
    """

    word: str
    number: int
    prior: float
    label: str | None
    vector: Matrix


class SenseVectors:
    """Words with one or more vectors each.

    Args:
        words: V distinct words.
        offsets: (V + 1,) where the senses of each word begin: those of word i are rows offsets[i] to offsets[i + 1],
            at least one.
        vectors: (S, D) of the senses, in memory or mapped from a file.
        priors: (S,) how often each is meant, 1 in sum for every word.
        reader: what tells by a context which sense is meant; None for senses that no context tells.
        counts: (V,) how often each word stands in the corpus.
        labels: (S,) what the senses are called, or None.
        global_vectors: (V, D) vectors of the words as such, where the model has some.
        metadata: facts to keep with the vectors, which JSON can hold.

    Attributes:
        lexicon: the words and their numbers.
        offsets: as given, int64.
        vectors: as given.
        priors: as given, float64.
        reader: as given.
        counts: as given, int64.
        labels: as given.
        global_vectors: as given.
        metadata: as given.

    Raises:
        ShapeError: the shapes of the arrays do not fit each other or the words.
        FormatError: a word stands there twice or has no sense, or its priors are not shares.
    """

    def __init__(
        self,
        words: Sequence[str] | Lexicon,
        offsets: npt.ArrayLike,
        vectors: npt.ArrayLike,
        *,
        priors: npt.ArrayLike,
        reader: Reader | None = None,
        counts: npt.ArrayLike | None = None,
        labels: Sequence[str] | None = None,
        global_vectors: npt.ArrayLike | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.lexicon = words if isinstance(words, Lexicon) else Lexicon.checked(words)
        self.offsets: Rows = np.asarray(offsets, dtype=np.int64)
        self.vectors: Matrix = _numbers(vectors)
        self.priors: Floats = np.asarray(priors, dtype=np.float64)
        self.reader = reader
        self.counts = None if counts is None else np.asarray(counts, dtype=np.int64)
        self.labels = None if labels is None else list(labels)
        self.global_vectors = None if global_vectors is None else _numbers(global_vectors)
        self.metadata: dict[str, Any] = dict(metadata or {})
        self._norms: Matrix | None = None
        self._check_shapes()
        self._check_shares()

    def _check_shapes(self) -> None:
        words, senses = len(self.lexicon), len(self.vectors)
        of_senses = [len(one) for one in (self.priors, self.labels) if one is not None]
        of_words = [len(one) for one in (self.counts, self.global_vectors) if one is not None]
        if self.vectors.ndim != 2 or self.priors.ndim != 1 or set(of_senses) != {senses} or {*of_words} - {words}:
            raise ShapeError(
                f"{words} words, vectors {self.vectors.shape}, priors and labels of {of_senses}, counts and global "
                f"vectors of {of_words}: expected one a sense, and counts and global vectors one a word"
            )
        if self.offsets.shape != (words + 1,) or self.offsets[0] != 0 or self.offsets[-1] != senses:
            raise ShapeError(
                f"offsets of shape {self.offsets.shape} for {words} words of {senses} senses: expected {words + 1} "
                f"numbers from 0 to {senses}"
            )
        if self.reader is not None:
            self.reader.check(words, senses, self.dim)

    def _check_shares(self) -> None:
        if not (self.num_senses > 0).all():
            word = self.words[int(np.argmin(self.num_senses > 0))]
            raise FormatError(f"{word!r} has no sense: expected at least one a word")
        sums = np.add.reduceat(self.priors, self.offsets[:-1]) if len(self.lexicon) else self.priors
        wrong = ~(np.abs(sums - 1) <= ROUNDING)
        wrong[np.searchsorted(self.offsets, np.flatnonzero(self.priors < 0), side="right") - 1] = True
        if wrong.any():
            word = self.words[int(np.argmax(wrong))]
            raise FormatError(
                f"the priors of {word!r} are {self.priors[self.rows(word)]}: expected shares that sum to 1"
            )

    # What is there.

    def __len__(self) -> int:
        return len(self.lexicon)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.lexicon.row_of(word) is not None

    def __repr__(self) -> str:
        return f"<SenseVectors: {len(self):,} words, {len(self.vectors):,} senses x {self.dim} {self.vectors.dtype}>"

    @property
    def words(self) -> list[str]:
        """The words, in the order of `offsets`."""
        return self.lexicon.words

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return int(self.vectors.shape[1])

    @property
    def num_senses(self) -> Rows:
        """(V,) how many senses each word has."""
        return np.diff(self.offsets)

    @property
    def norms(self) -> Matrix:
        """(S,) the length of each vector, computed at first need."""
        if self._norms is None:
            self._norms = cosine.row_norms(self.vectors)
        return self._norms

    def rows(self, word: str) -> slice:
        """Return which rows of the vectors are the senses of a word.

        Raises:
            UnknownWordError: the word has none.
        """
        place = self.lexicon.row_of(word)
        if place is None:
            raise self.lexicon.unknown(word)
        return slice(int(self.offsets[place]), int(self.offsets[place + 1]))

    def sense_at(self, row: int) -> tuple[str, int]:
        """Return the word and the number of the sense that has a row of the vectors."""
        place = int(np.searchsorted(self.offsets, row, side="right")) - 1
        return self.words[place], int(row - self.offsets[place])

    def senses(self, word: str) -> list[Sense]:
        """Return the senses of a word, by number.

        Raises:
            UnknownWordError: the word has none.
        """
        rows = self.rows(word)
        return [
            Sense(word, row - rows.start, float(self.priors[row]), self._label(row), self.vectors[row])
            for row in range(rows.start, rows.stop)
        ]

    def _label(self, row: int) -> str | None:
        return None if self.labels is None else self.labels[row]

    # Which one is meant.

    def disambiguate(
        self, word: str, context: Context | Sequence[Sequence[str]], place: int | Sequence[int] | None = None
    ) -> Floats:
        """Return the probability of each sense of a word among other words.

        Args:
            word: the word.
            context: the words around it, without the word itself, as near or far as the model was trained on: a text,
                or a list of tokens; a list of lists is a batch. Unknown words are passed over.
            place: which of the tokens is the word, where it is among them: it is left out, and models that care know
                how far the others are from it. For a batch one number each.

        Returns:
            (n,) or, for a batch, (B, n); the prior where no word around is known.

        Raises:
            UnknownWordError: the word has no sense.
            OptionError: the senses are of a kind that no context tells, or a place is none of the tokens.
            FormatError: the model holds numbers that are not finite.
        """
        batch = is_batch(context)
        contexts = token_lists(context if batch else [context], tokeniser("unicode"), "context")
        known = self.lexicon.rows
        around = Contexts.of([[known.get(token, -1) for token in one] for one in contexts])
        if place is not None:
            around = around.beside(np.atleast_1d(place))
        probabilities = self.probabilities(word, around.known())
        return probabilities if batch else np.asarray(probabilities[0])

    def probabilities(self, word: str, contexts: Contexts) -> Floats:
        """Return the probability of each sense of a word in each of many contexts.

        Args:
            word: the word.
            contexts: B contexts, by the numbers of their words.

        Returns:
            (B, n); the prior for a context without words.

        Raises:
            UnknownWordError: the word has no sense.
            OptionError: the senses are of a kind that no context tells.
            FormatError: the model holds numbers that are not finite.
        """
        rows = self.rows(word)
        priors = self.priors[rows]
        if len(priors) == 1 or not len(contexts.ids):
            return np.tile(priors, (len(contexts), 1))
        if self.reader is None:
            raise OptionError("these senses were made without contexts: no context tells them apart")
        scores = self.reader.scores(contexts, np.arange(rows.start, rows.stop), self.vectors[rows])
        if not np.isfinite(scores).all():
            raise FormatError(f"the senses of {word!r} hold NaN or infinity: train or load the vectors anew")
        best = scores[:, priors > 0].max(axis=1, keepdims=True)  # one that is never meant may score higher
        powers = priors * np.exp(np.minimum(scores - best, 0))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    # Likeness.

    def sense_neighbors(self, word: str, number: int, topn: int = 10) -> list[tuple[tuple[str, int], float]]:
        """Return the senses whose vectors point most nearly where that of one sense does.

        Args:
            word: the word.
            number: which of its senses.
            topn: how many senses; others of the same word may be among them.

        Returns:
            [((word, number), cosine), ...], best first.

        Raises:
            UnknownWordError: the word has no sense.
            OptionError: it has no sense of this number, or `topn` is below 1.
        """
        rows = self.rows(word)
        if not 0 <= number < rows.stop - rows.start:
            raise OptionError(f"sense {number} of {word!r}: expected 0 to {rows.stop - rows.start - 1}")
        if topn < 1:
            raise OptionError(f"topn={topn}: expected at least 1")
        own = rows.start + number
        nearest_rows, cosines = neighbours.nearest(self.vectors, self.norms, self.vectors[own : own + 1], topn + 1)
        pairs = zip(nearest_rows[0].tolist(), cosines[0].tolist(), strict=True)
        return [(self.sense_at(row), cosine) for row, cosine in pairs if row != own][:topn]

    def similarity(
        self,
        word: str,
        other: str,
        context: Context | None = None,
        other_context: Context | None = None,
        how: str = "avg",
    ) -> float:
        """Return how alike two words are, over their senses.

        Args:
            word: the one.
            other: the other.
            context: the words around the one, for "avgc" and "maxc"; None takes the prior.
            other_context: the words around the other.
            how: "avg", "avgc", "max" or "maxc"; the module's docstring has the formulas.

        Returns:
            A cosine, or a mean of cosines.

        Raises:
            OptionError: there is no such `how`, or it has no place for contexts.
            UnknownWordError: a word has no sense.
        """
        if how not in SIMILARITIES:
            raise OptionError(f"how={brief(how)}: expected one of {', '.join(SIMILARITIES)}")
        if how in ("avg", "max") and not (context is None and other_context is None):
            raise OptionError(f"a context with how={brief(how)}: expected 'avgc' or 'maxc', or no context")
        cosines = np.matmul(cosine.unit(self._of(word)), cosine.unit(self._of(other)).T, dtype=np.float64)
        if how == "avg":
            return float(cosines.mean())
        if how == "max":
            return float(cosines.max())
        p = self.disambiguate(word, () if context is None else context)
        q = self.disambiguate(other, () if other_context is None else other_context)
        return float(cosines[p.argmax(), q.argmax()] if how == "maxc" else p @ cosines @ q)

    def _of(self, word: str) -> Matrix:
        return self.vectors[self.rows(word)]

    # As ordinary vectors.

    def single(self) -> WordVectors:
        """Return one vector a word, the mean of its senses weighted by their priors."""
        weighted = Contexts(np.arange(len(self.vectors)), self.offsets)
        matrix = weighted.sums(self.priors, np.asarray(self.vectors, dtype=np.float32))
        return WordVectors(self.lexicon, matrix, counts=self.counts, metadata=self.metadata)

    def apart(self, separator: str = "#") -> WordVectors:
        """Return one vector a sense, called by the word and the number: "bank#0", "bank#1".

        Args:
            separator: what stands between word and number.

        Raises:
            FormatError: two senses would be called the same.
        """
        names = [
            f"{word}{separator}{i}"
            for word, n in zip(self.words, self.num_senses.tolist(), strict=True)
            for i in range(n)
        ]
        counts = None if self.counts is None else np.rint(np.repeat(self.counts, self.num_senses) * self.priors)
        return WordVectors(names, self.vectors, counts=counts, metadata=self.metadata)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the senses as a folder that `firth.load` maps; see `firth.vectors.sense_files`.

        Raises:
            OptionError: the path is a folder of something else, which is never replaced, or the metadata is not JSON.
            FormatError: a number is not finite.
            OSError: the folder cannot be written.
        """
        model_folder.check_target(path)
        arrays, reader = sense_files.reader_parts(self.reader)
        arrays = {"senses": self.vectors, "offsets": self.offsets, "priors": self.priors, **arrays}
        more = {"counts": self.counts, "global_vectors": self.global_vectors}
        arrays |= {name: array for name, array in more.items() if array is not None}
        for name, array in arrays.items():
            if array.dtype.kind == "f" and array.ndim == 2:
                check_fits([f"{name}, row {row}" for row in range(len(array))], array, array.dtype)
        figures = {
            "words": len(self),
            "words with several senses": int((self.num_senses > 1).sum()),
            "senses": len(self.vectors),
            "width": self.dim,
        }
        example = self.words[int(self.num_senses.argmax())] if len(self) else "word"
        content = ModelFolder(
            kind=sense_files.KIND,
            arrays=arrays,
            texts={"vocab": self.words, **({} if self.labels is None else {"labels": self.labels})},
            config={"count": len(self), "senses": len(self.vectors), "dim": self.dim, "reader": reader},
            metadata=self.metadata,
            card=sense_files.card(figures, example),
        )
        model_folder.write(path, content)


def restore(content: ModelFolder) -> SenseVectors:
    """Return the senses of a folder.

    Raises:
        FormatError: the folder is damaged.
    """
    words, dim, arrays = content.words(), content.config.get("dim"), content.arrays
    vectors = content.array("senses", (None, dim))
    try:
        return SenseVectors(
            Lexicon(words),
            content.offsets("offsets", len(words), len(vectors)),
            vectors,
            priors=content.array("priors", (len(vectors),)),
            reader=sense_files.read_reader(content, len(words), len(vectors)),
            counts=content.counts("counts", len(words)) if "counts" in arrays else None,
            labels=content.words("labels") if "labels" in content.texts else None,
            global_vectors=content.array("global_vectors", (len(words), None)) if "global_vectors" in arrays else None,
            metadata=content.metadata,
        )
    except (ShapeError, OptionError) as error:
        raise content.damaged(str(error)) from None


def _numbers(vectors: npt.ArrayLike) -> Matrix:
    matrix = np.asarray(vectors)
    return matrix if matrix.dtype.kind == "f" else matrix.astype(np.float32)
