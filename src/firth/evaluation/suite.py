"""A suite: gold-standard sets of one kind, with the code that scores vectors on them.

Each file of this folder that defines an evaluation has its metrics over plain arrays and one `Suite`, made by
`as_suite`, which says how a gold file is read and how vectors are scored on it. `firth.evaluation.suites` lists the
suites. Intervals, coverage, tables, significance tests and the command line are shared by all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from firth.errors import ArgumentTypeError
from firth.evaluation.selection import ProtocolName
from firth.resampling import Sample
from firth.sentences.encoded_texts import TextEncoder
from firth.text.inputs import Text
from firth.vectors.cosine import Matrix, unit
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

GoldT = TypeVar("GoldT")
PathT = TypeVar("PathT")
SpaceT = TypeVar("SpaceT")
Unknown = Literal["skip", "count", "infer"]
POLICIES: tuple[Unknown, ...] = ("skip", "count", "infer")


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """Options that all suites of a call share.

    Attributes:
        unknown: policy for words without a vector. "skip": an item with such a word is left out; "count": it counts,
            with the answer of a model that knows nothing (similarity 0, a wrong answer); "infer": vectors with subwords
            infer one from the word's n-grams, and words that are still unknown are skipped.
        restrict_vocab: number of words, from the first, among which analogies are answered.
        resamples: resamples per bootstrap.
        seed: random seed.
        protocol: how classifiers of sentences are trained; see `firth.evaluation.selection`.
    """

    unknown: Unknown = "skip"
    restrict_vocab: int = 300_000
    resamples: int = 2000
    seed: int = 0
    protocol: ProtocolName = "firth"

    def counted(self, covered: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which items are scored, (n,).

        Args:
            covered: (n,) whether all words of each item are known.
        """
        return np.ones(len(covered), dtype=bool) if self.unknown == "count" else covered


@dataclass(frozen=True, kw_only=True)
class Score:
    """One metric of a set, with the items it is computed from.

    Attributes:
        metric: name of the metric, such as "spearman" or "purity".
        covered: number of items whose words are all known; for sentence classification, any word.
        total: number of items in the set, or in the part.
        part: part of the set, such as "/capital-world"; "" for the whole set.
        baseline: score of a model without knowledge; None where zero is that score, or with `baseline_sample`.
        baseline_name: name of the baseline, such as "random" or "TF-IDF".
        baseline_sample: the statistic of a simple model on the items that it covers; it gets an interval and a paired
            test.
        share: whether the statistic is a share of correct answers, which gets Wilson's interval.
        better: 1 if higher values are better, -1 if lower ones are, 0 if neither: then no best one is marked.
    """

    metric: str
    sample: Sample
    covered: int
    total: int
    part: str = ""
    baseline: float | None = None
    baseline_name: str = ""
    baseline_sample: Sample | None = None
    share: bool = False
    better: int = 1


class Space:
    """Word vectors as suites see them: words are looked up in every form that `firth.text.forms` names.

    Attributes:
        vectors: the vectors.
        unknown: words that were looked up and not found.
    """

    def __init__(self, vectors: WordVectors | SubwordVectors, options: EvaluationOptions) -> None:
        self.vectors = vectors
        self.unknown = dict[str, None]()
        self._inference = vectors.inference if options.unknown == "infer" else None

    @property
    def dim(self) -> int:
        """D."""
        return self.vectors.dim

    def rows(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the row of each word, -1 for unknown words."""
        lexicon = self.vectors.lexicon
        exact_rows = (lexicon.row_of(word) for word in words)
        rows = [
            lexicon.rows.get(word.lower(), -1) if row is None else row
            for word, row in zip(words, exact_rows, strict=True)
        ]
        self.unknown |= dict.fromkeys(word for word, row in zip(words, rows, strict=True) if row < 0)
        return np.array(rows, dtype=np.int64)

    def lookup(self, words: Sequence[str], *, normalize: bool = True) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """Return the vectors of words, and which words have one.

        Args:
            words: n words.
            normalize: whether to scale vectors to length 1.

        Returns:
            (n, D) vectors, zeros for unknown words, and (n,) whether each word is known.
        """
        rows = self.rows(words)
        covered = rows >= 0
        matrix: Matrix = np.zeros((len(rows), self.dim), dtype=np.float32)
        matrix[covered] = self.vectors.vectors[rows[covered]]
        if self._inference is not None and not covered.all():
            unknown = np.flatnonzero(~covered).tolist()
            inferred, possible = self._inference([words[i] for i in unknown])
            matrix[unknown] = np.where(possible[:, None], inferred, 0)
            covered[unknown] = possible
        return (unit(matrix) if normalize else matrix), covered


class TextSpace:
    """An encoder as suites see it: a text is encoded once, however many sets hold it.

    Tokens are joined by spaces: the encoder splits and folds a text as it did in its training. Words of a set that are
    passed on as tokens would be unknown to an encoder of subwords, or of words in lower case.
    """

    def __init__(self, encoder: TextEncoder) -> None:
        self.encoder = encoder
        self._rows: dict[str, int] = {}
        self._vectors: Matrix = np.zeros((0, encoder.dim), dtype=np.float32)

    def encode(self, texts: Sequence[Text]) -> Matrix:
        """Return one vector per text, (n, D).

        Raises:
            ArgumentTypeError: the encoder gives something else.
        """
        keys = [text if isinstance(text, str) else " ".join(text) for text in texts]
        new = [key for key in dict.fromkeys(keys) if key not in self._rows]
        if new:
            vectors = np.asarray(self.encoder.encode(new, progress=False), dtype=np.float32)
            if vectors.shape != (len(new), self.encoder.dim) or not np.isfinite(vectors).all():
                raise ArgumentTypeError(
                    f"{type(self.encoder).__name__}.encode of {len(new):,} texts: found an array of shape "
                    f"{vectors.shape}, expected ({len(new)}, {self.encoder.dim}) finite numbers"
                )
            self._rows |= {key: len(self._rows) + i for i, key in enumerate(new)}
            self._vectors = np.concatenate([self._vectors, vectors])
        return np.asarray(self._vectors[[self._rows[key] for key in keys]])


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Gold-standard sets of one kind, and how vectors are scored on them.

    Attributes:
        name: the name in `firth.evaluate` and on the command line; the `kind` of its sets in `firth.data`.
        help: one-line description.
        sets: named sets that are used where no file is given.
        read: reads a gold file for `evaluate`; raises FormatError.
        evaluate: scores vectors; returns the same metrics and parts in the same order for all vectors.
        of_texts: whether any model with `encode` can be scored, not only word vectors.
        of_files: whether `read` takes a list: all files of a named set, or one path.
    """

    name: str
    help: str
    sets: tuple[str, ...]
    read: Callable[[Any], Any]
    evaluate: Callable[[Any, Any, EvaluationOptions], Sequence[Score]]
    of_texts: bool = False
    of_files: bool = False


def as_suite(
    name: str, sets: tuple[str, ...], read: Callable[[PathT], GoldT], *, of_texts: bool = False, of_files: bool = False
) -> Callable[[Callable[[SpaceT, GoldT, EvaluationOptions], Sequence[Score]]], Suite]:
    """Decorate the function that scores vectors: it becomes a suite, whose help is the docstring.

    Args:
        name: see `Suite`.
        sets: see `Suite`.
        read: see `Suite`.
        of_texts: see `Suite`.
        of_files: see `Suite`.
    """

    def decorated(evaluate: Callable[[SpaceT, GoldT, EvaluationOptions], Sequence[Score]]) -> Suite:
        text = (evaluate.__doc__ or "").removesuffix(".")
        return Suite(
            name=name,
            help=text[:1].lower() + text[1:],
            sets=sets,
            read=read,
            evaluate=evaluate,
            of_texts=of_texts,
            of_files=of_files,
        )

    return decorated
