"""Sense vectors: one or more vectors per word, and word sense disambiguation in context.

What: the result of every sense model. A sense is a word and a number from 0. The priors of a word's senses sum to 1.

Objective: the probability of a sense s, from the log scores of a reader (`firth.vectors.sense_readers`),

    p(s | context)  =  prior(s) e^{score(s)} / sum_t prior(t) e^{score(t)}

and the prior alone if no context word is known. The similarity of two words with n and m senses s_i, t_j is

    avg     1 / (n m)  sum_ij cos(s_i, t_j)
    avgc    sum_ij p(s_i | context) p(t_j | other context) cos(s_i, t_j)
    max     max_ij cos(s_i, t_j)
    maxc    cos(s, t) of the most probable sense of each word in its context

Source: Reisinger and Mooney 2010, Multi-prototype vector-space models of word meaning, section 2, for the similarities;
Huang et al. 2012, section 5.2, for those in context.

Departures: those papers weight a sense in context by the distance to its centre; here the weight is its probability,
which includes the prior.

Cost: queries about one word read its own rows; neighbours compare with all S.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import notebook
from firth.arguments import explained
from firth.errors import FormatError, OptionError, ShapeError, brief
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.text.inputs import token_lists
from firth.text.tokenise import tokeniser
from firth.text.word_rules import NAME
from firth.training_facts import rule_of, with_training_facts
from firth.vectors import cosine, neighbours
from firth.vectors.cosine import Matrix, Rows
from firth.vectors.io.table import check_fits
from firth.vectors.lexicon import Lexicon
from firth.vectors.queries import is_batch
from firth.vectors.sense_readers import KIND, Contexts, Floats, Reader, card, read_reader, reader_parts
from firth.vectors.word_vectors import WordVectors

WORDS = 8  # words that a notebook shows
SIMILARITIES = ("avg", "avgc", "max", "maxc")
ROUNDING = 1e-6  # tolerance of the sum of a word's priors

Context = str | Sequence[str]  # a text, or its tokens


@dataclass(frozen=True, eq=False)
class Sense:
    """One sense of a word.

    Attributes:
        word: the word.
        number: number of the sense, from 0.
        prior: share of the word's occurrences with this sense.
        label: name of the sense in the model, such as a synset, or None.
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
        offsets: (V + 1,) start of each word's senses: word i has rows offsets[i] to offsets[i + 1], at least one.
        vectors: (S, D) sense vectors, in memory or mapped from a file.
        priors: (S,) prior probability of each sense, summing to 1 per word.
        reader: scores senses in context; None for senses that cannot be disambiguated.
        counts: (V,) word counts in the corpus.
        labels: (S,) names of the senses, or None.
        global_vectors: (V, D) single vectors of the words, if the model has them.
        metadata: facts to save with the vectors, serialisable as JSON.

    Attributes:
        lexicon: the words and their rows.
        offsets: (V + 1,) int64.
        priors: (S,) float64.
        counts: (V,) int64, or None.

    Raises:
        ShapeError: the shapes of the arrays do not fit each other or the words.
        FormatError: a word occurs twice or has no sense, or its priors are not probabilities.
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
        self.metadata: dict[str, Any] = with_training_facts(metadata)
        self.lexicon.read_by(rule_of(self.metadata))
        self._norms: Matrix | None = None
        self._check_shapes()
        self._check_shares()

    def _check_shapes(self) -> None:
        words, senses = len(self.lexicon), len(self.vectors)
        of_senses = [len(values) for values in (self.priors, self.labels) if values is not None]
        of_words = [len(values) for values in (self.counts, self.global_vectors) if values is not None]
        if self.vectors.ndim != 2 or self.priors.ndim != 1 or set(of_senses) != {senses} or {*of_words} - {words}:
            raise ShapeError(
                f"{words} words, vectors {self.vectors.shape}, priors and labels of {of_senses}, counts and global "
                f"vectors of {of_words}: expected one per sense, and counts and global vectors one per word"
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
            raise FormatError(f"{word!r} has no sense: expected at least one per word")
        sums = np.add.reduceat(self.priors, self.offsets[:-1]) if len(self.lexicon) else self.priors
        wrong = ~(np.abs(sums - 1) <= ROUNDING)
        wrong[np.searchsorted(self.offsets, np.flatnonzero(self.priors < 0), side="right") - 1] = True
        if wrong.any():
            word = self.words[int(np.argmax(wrong))]
            raise FormatError(
                f"the priors of {word!r} are {self.priors[self.rows(word)]}: expected probabilities that sum to 1"
            )

    def __len__(self) -> int:
        return len(self.lexicon)

    def _row(self, word: str) -> int:
        row = self.lexicon.row_of(word)
        return -1 if row is None else row

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.lexicon.row_of(word) is not None

    def __repr__(self) -> str:
        return f"<SenseVectors: {len(self):,} words, {len(self.vectors):,} senses x {self.dim} {self.vectors.dtype}>"

    def _repr_html_(self) -> str:
        rows = [
            (word, len(senses), ", ".join(f"{sense.label or sense.number} {sense.prior:.2f}" for sense in senses))
            for word, senses in ((word, self.senses(word)) for word in self.words[:WORDS])
        ]
        return notebook.table(("word", "senses", "priors"), rows, caption=repr(self)[1:-1])

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
        """(V,) number of senses of each word."""
        return np.diff(self.offsets)

    @property
    def norms(self) -> Matrix:
        """(S,) length of each vector, computed on first use."""
        if self._norms is None:
            self._norms = cosine.row_norms(self.vectors)
        return self._norms

    def rows(self, word: str) -> slice:
        """Return the rows of a word's senses.

        Raises:
            UnknownWordError: the word has none.
        """
        index = self.lexicon.row_of(word)
        if index is None:
            raise self.lexicon.unknown(word)
        return slice(int(self.offsets[index]), int(self.offsets[index + 1]))

    def sense_at(self, row: int) -> tuple[str, int]:
        """Return the word and number of the sense in a row of the vectors."""
        index = int(np.searchsorted(self.offsets, row, side="right")) - 1
        return self.words[index], int(row - self.offsets[index])

    def senses(self, word: str) -> list[Sense]:
        """Return the senses of a word, in the order of their numbers.

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

    @explained
    def disambiguate(
        self, word: str, context: Context | Sequence[Sequence[str]], place: int | Sequence[int] | None = None
    ) -> Floats:
        """Return the probability of each sense of a word in context.

        Args:
            word: the word.
            context: the words around it, without the word itself, best in a window like that of training: a text or a
                list of tokens; a list of lists is a batch. Unknown words are skipped.
            place: index of the word among the tokens, if it is one of them. The word is left out, and models that
                weight by distance use it. One number per context for a batch.

        Returns:
            (n,) or, for a batch, (B, n); the prior if no context word is known.

        Raises:
            UnknownWordError: the word has no sense.
            OptionError: these senses cannot be disambiguated, or a place is not the index of a token.
            FormatError: the model holds numbers that are not finite.
        """
        batch = is_batch(context)
        contexts = token_lists(context if batch else [context], tokeniser(self.lexicon.tokens or NAME), "context")
        windows = Contexts.of([[self._row(token) for token in tokens] for tokens in contexts])
        if place is not None:
            windows = windows.beside(np.atleast_1d(place))
        probabilities = self.probabilities(word, windows.in_vocabulary())
        return probabilities if batch else np.asarray(probabilities[0])

    @explained
    def probabilities(self, word: str, contexts: Contexts) -> Floats:
        """Return the probability of each sense of a word in each of many contexts.

        Args:
            word: the word.
            contexts: B contexts of word ids.

        Returns:
            (B, n); the prior for a context without words.

        Raises:
            UnknownWordError: the word has no sense.
            OptionError: these senses cannot be disambiguated.
            FormatError: the model holds numbers that are not finite.
        """
        rows = self.rows(word)
        priors = self.priors[rows]
        if len(priors) == 1 or not len(contexts.ids):
            return np.tile(priors, (len(contexts), 1))
        if self.reader is None:
            raise OptionError("these senses were made without contexts: they cannot be disambiguated")
        scores = self.reader.scores(contexts, np.arange(rows.start, rows.stop), self.vectors[rows])
        if not np.isfinite(scores).all():
            raise FormatError(f"the senses of {word!r} hold NaN or infinity: train or load the vectors again")
        best = scores[:, priors > 0].max(axis=1, keepdims=True)  # a sense of prior 0 may score higher
        powers = priors * np.exp(np.minimum(scores - best, 0))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    @explained
    def sense_neighbours(self, word: str, number: int, topn: int = 10) -> list[tuple[tuple[str, int], float]]:
        """Return the senses with the highest cosine to one sense.

        Args:
            word: the word.
            number: number of its sense.
            topn: number of senses returned; other senses of the same word may be among them.

        Returns:
            [((word, number), cosine), ...], best first.

        Raises:
            UnknownWordError: the word has no sense.
            OptionError: it has no sense with this number, or `topn` is below 1.
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

    @explained
    def similarity(
        self,
        word: str,
        other: str,
        context: Context | None = None,
        other_context: Context | None = None,
        how: str = "avg",
    ) -> float:
        """Return the similarity of two words over their senses: a cosine, or a mean of cosines.

        Args:
            word: the first word.
            other: the second word.
            context: words around the first one, for "avgc" and "maxc"; None uses the prior.
            other_context: words around the second one.
            how: "avg", "avgc", "max" or "maxc"; the module's docstring has the formulas.

        Raises:
            OptionError: `how` is invalid, or it takes no contexts.
            UnknownWordError: a word has no sense.
        """
        if how not in SIMILARITIES:
            raise OptionError(f"how={brief(how)}: expected one of {', '.join(SIMILARITIES)}")
        if how in ("avg", "max") and not (context is None and other_context is None):
            raise OptionError(f"a context with how={brief(how)}: expected 'avgc' or 'maxc', or no context")
        vectors, candidates = self.vectors[self.rows(word)], self.vectors[self.rows(other)]
        cosines = np.matmul(cosine.unit(vectors), cosine.unit(candidates).T, dtype=np.float64)
        if how == "avg":
            return float(cosines.mean())
        if how == "max":
            return float(cosines.max())
        p = self.disambiguate(word, () if context is None else context)
        q = self.disambiguate(other, () if other_context is None else other_context)
        return float(cosines[p.argmax(), q.argmax()] if how == "maxc" else p @ cosines @ q)

    def single(self) -> WordVectors:
        """Return word vectors: for each word the mean of its sense vectors, weighted by their priors."""
        weighted = Contexts(np.arange(len(self.vectors)), self.offsets)
        matrix = weighted.sums(self.priors, np.asarray(self.vectors, dtype=np.float32))
        return WordVectors(self.lexicon, matrix, counts=self.counts, metadata=self.metadata)

    def apart(self, separator: str = "#") -> WordVectors:
        """Return the senses as word vectors named by word and number: "bank#0", "bank#1".

        Args:
            separator: text between word and number.

        Raises:
            FormatError: two senses would get the same name.
        """
        names = [
            f"{word}{separator}{i}"
            for word, n in zip(self.words, self.num_senses.tolist(), strict=True)
            for i in range(n)
        ]
        counts = None if self.counts is None else np.rint(np.repeat(self.counts, self.num_senses) * self.priors)
        return WordVectors(names, self.vectors, counts=counts, metadata=self.metadata)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the senses as a folder that `firth.load` maps into memory; see `firth.vectors.sense_readers`.

        Raises:
            OptionError: the path is a folder with other content, or the metadata is not JSON.
            FormatError: a number is not finite.
            OSError: the folder cannot be written.
        """
        model_folder.check_target(path)
        arrays, reader = reader_parts(self.reader)
        arrays = {"senses": self.vectors, "offsets": self.offsets, "priors": self.priors, **arrays}
        optional = {"counts": self.counts, "global_vectors": self.global_vectors}
        arrays |= {name: array for name, array in optional.items() if array is not None}
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
            kind=KIND,
            arrays=arrays,
            texts={"vocab": self.words, **({} if self.labels is None else {"labels": self.labels})},
            config={"count": len(self), "senses": len(self.vectors), "dim": self.dim, "reader": reader},
            metadata=self.metadata,
            card=card(figures, example),
        )
        model_folder.write(path, content)


def restore(content: ModelFolder) -> SenseVectors:
    """Return the senses of a saved folder.

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
            reader=read_reader(content, len(words), len(vectors)),
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
