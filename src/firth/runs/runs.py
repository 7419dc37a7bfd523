"""Runs: trainings of one model on documents drawn anew, and what they say together.

`firth.runs.estimates` says what an interval means, `firth.runs.samples` how documents are drawn.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from firth import registry
from firth.arguments import explained, made_by
from firth.errors import FormatError, OptionError, UnknownWordError
from firth.hints import Hinted
from firth.options import check_whole, wrong_kind
from firth.resampling import LEVEL
from firth.runs import files
from firth.runs.consensus import consensus
from firth.runs.estimates import Estimate, check_level, interval, summarised
from firth.runs.files import Head
from firth.runs.run import Run
from firth.runs.stability import NEAREST, Band, bands_of, evenly, mean_overlap, overlaps, share_stable
from firth.storage.model_folder import ModelFolder, check_target
from firth.training_facts import rule_of, with_training_facts
from firth.vectors.cosine import inverse
from firth.vectors.lexicon import Lexicon
from firth.vectors.neighbours import nearest
from firth.vectors.word_vectors import WordVectors

Result = TypeVar("Result")
Floats = npt.NDArray[np.float32]

ENOUGH = 0.5  # share of the runs that must have a word for it to be a neighbour


class Neighbour(NamedTuple):
    """A word near to another, with its interval.

    Attributes:
        similarity: the mean cosine over the runs.
        low: the lower end of its interval.
        high: the upper end.
        share: share of the runs in which it is among the ten nearest.
    """

    word: str
    similarity: float
    low: float
    high: float
    share: float


@made_by("firth.bootstrap(model, corpus), or firth.load({}) for a folder")
class Runs(Hinted):
    """Trainings of one model, each on documents drawn with replacement, or each with another seed.

    `runs[0]` is the first as `firth.WordVectors`, without the words that none of its documents has; iterating yields
    all. Any function of word vectors gets an interval by `estimate`.

    Args:
        head: the words, and how the runs were trained.
        runs: the runs that are finished.
        metadata: further facts to save, as JSON values.

    Attributes:
        lexicon: the words of all runs.
        counts: (V,) how often each word stands in the corpus.
        metadata: facts; "training" says how the runs were trained.
    """

    def __init__(self, head: Head, runs: Sequence[Run], metadata: Mapping[str, Any] | None = None) -> None:
        if not runs:
            raise OptionError("no run: expected at least one that is finished")
        self._head, self._runs = head, list(runs)
        self.metadata: dict[str, Any] = with_training_facts({**(metadata or {}), "training": dict(head.facts)})
        self.lexicon = Lexicon(head.words)
        self.lexicon.read_by(rule_of(self.metadata))
        self.counts = head.counts
        self._present: npt.NDArray[np.bool_] = np.stack([run.counts > 0 for run in self._runs])

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, run: int) -> WordVectors:
        if not isinstance(run, int | np.integer):
            raise wrong_kind("run", run, f"a number from 0 to {len(self) - 1}; most_similar asks for a word")
        return self._vectors(self._runs[run])

    def __iter__(self) -> Iterator[WordVectors]:
        return map(self._vectors, self._runs)

    def __contains__(self, word: object) -> bool:
        row = self.lexicon.row_of(word) if isinstance(word, str) else None
        return row is not None and bool(self._present[:, row].any())

    def __repr__(self) -> str:
        asked = "" if len(self) == self._head.asked else f" of {self._head.asked}"
        return f"<Runs: {len(self)}{asked} x {len(self.words):,} words x {self.dim}>"

    @property
    def words(self) -> list[str]:
        """The words of all runs, most frequent first."""
        return self.lexicon.words

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self._runs[0].matrix.shape[1]

    @property
    def numbers(self) -> list[int]:
        """The number of each run, from 1; one is missing where a run is damaged or not finished."""
        return [run.number for run in self._runs]

    # Asking.

    @explained
    def map(self, function: Callable[[WordVectors], Result]) -> list[Result]:
        """Apply a function to each run.

        Args:
            function: of `firth.WordVectors`.

        Returns:
            What it returns for each run that has all of the words that it asks for.

        Raises:
            UnknownWordError: no run has them.
            ArgumentTypeError: `function` is none.
        """
        if not callable(function):
            raise wrong_kind(
                "function", function, "a function of word vectors, such as lambda v: v.similarity('a', 'b')"
            )
        results, unknown = [], None
        for run in self._runs:
            try:
                results.append(function(self._vectors(run)))
            except UnknownWordError as error:
                unknown = error
        if unknown is not None and not results:
            raise unknown
        return results

    @explained
    def estimate(self, function: Callable[[WordVectors], Any], *, level: float = LEVEL) -> Any:
        """Apply a function to each run, and return what the runs say together.

        Args:
            function: of `firth.WordVectors`; it returns a number, an array of numbers, or a mapping of these: the
                effect size of a WEAT, the score of an evaluation set, the place of words on an axis.
            level: of the interval.

        Returns:
            An `Estimate` with the mean over the runs and a percentile interval; a dictionary of them for a mapping.

        Raises:
            UnknownWordError: no run has all of the words that the function asks for.
            OptionError: it returns something else, or `level` is not between 0 and 1.

        Source: `firth.runs.estimates`.
        """
        check_level(level)
        return summarised(self.map(function), level)

    @explained
    def similarity(self, a: str, b: str, *, level: float = LEVEL) -> Estimate:
        """Return the cosine of two words with its interval.

        Raises:
            UnknownWordError: no run has both words.
        """
        check_level(level)
        first, second = self._row(a), self._row(b)
        cosines = [
            float(np.dot(*(unit_row(run, row) for row in (first, second))))
            for run, present in zip(self._runs, self._present, strict=True)
            if present[first] and present[second]
        ]
        if not cosines:
            raise UnknownWordError(f"{a} and {b}")
        estimate: Estimate = summarised(cosines, level)
        return estimate

    @explained
    def most_similar(self, word: str, topn: int = 10, *, level: float = LEVEL) -> list[Neighbour]:
        """Return the words nearest to a word, by the mean of their cosines.

        Words that less than half of the runs have are left out.

        Args:
            topn: the number of words.
            level: of the intervals.

        Returns:
            Words with mean cosine, interval, and the share of the runs in which they are among the ten nearest.

        Raises:
            UnknownWordError: no run has the word.
            OptionError: `topn` is below 1, or `level` is not between 0 and 1.
        """
        check_whole("topn", topn)
        check_level(level)
        row = self._row(word)
        has = np.flatnonzero(self._present[:, row])
        cosines = self._cosines(has, row)  # (R', V), -2 for the word itself and for absent words
        absent = ~self._present[has]
        absent[:, row] = True
        candidates = absent.mean(axis=0) <= 1 - ENOUGH
        if absent.sum() == len(has):  # but for the word itself
            means = cosines.mean(axis=0)
        else:
            means = np.where(absent, 0, cosines).sum(axis=0) / np.maximum((~absent).sum(axis=0), 1)
        means[~candidates] = -2
        count = min(topn, int(candidates.sum()))
        best = np.argpartition(-means, max(count - 1, 0))[:count]
        best = best[np.lexsort((best, -means[best]))]
        floors = np.partition(cosines, -min(NEAREST, cosines.shape[1]), axis=1)[:, -min(NEAREST, cosines.shape[1])]
        shares = ((cosines[:, best] >= floors[:, None]) & ~absent[:, best]).mean(axis=0)
        low, high = interval(np.where(absent[:, best], np.nan, cosines[:, best]).astype(np.float64), level)
        figures = zip(means[best].tolist(), low.tolist(), high.tolist(), shares.tolist(), strict=True)
        return [Neighbour(self.words[i], *numbers) for i, numbers in zip(best.tolist(), figures, strict=True)]

    @cached_property
    def consensus(self) -> WordVectors:
        """The runs rotated onto their mean and averaged: word vectors, usable wherever such are.

        Source: `firth.runs.consensus`.
        """
        matrix = consensus(len(self), lambda run: self._runs[run].matrix.rows(), self._present)
        there = self._present.any(axis=0)
        training = {**self.metadata["training"], "consensus": len(self)}
        return WordVectors(
            [self.words[row] for row in np.flatnonzero(there).tolist()],
            matrix[there],
            counts=self.counts[there],
            metadata={**self.metadata, "training": training},
        )

    def stability(self) -> list[Band]:
        """Return how many of the ten nearest words two runs share, by the frequency of the word.

        Of each band a hundred words are looked at.

        Source: `firth.runs.stability`.
        """
        bands = [(least, most, rows, evenly(rows)) for least, most, rows in bands_of(self.counts)]
        shares = self._overlaps(np.concatenate([chosen for *_, chosen in bands]))
        ends = np.cumsum([len(chosen) for *_, chosen in bands])
        parts = np.split(shares, ends[:-1], axis=1)
        return [
            Band(least, most, len(rows), float(mean_overlap(part)), share_stable(part))
            for (least, most, rows, _), part in zip(bands, parts, strict=True)
        ]

    def overlaps(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return how many of its ten nearest words two runs share for each of some words, (n,).

        Returns:
            Shares from 0 to 1, means over all pairs of runs that have the word; NaN where there are none. Neighbours of
            words with less than 0.5 are called unstable.

        Raises:
            UnknownWordError: no run has a word.

        Source: `firth.runs.stability`.
        """
        return mean_overlap(self._overlaps(np.array([self._row(word) for word in words], dtype=np.int64)), axis=0)

    def _overlaps(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return overlaps(np.stack([self._nearest(i, rows) for i in range(len(self))]))

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save all runs in a folder; `firth.load` opens it.

        Args:
            path: the folder; one of firth's that is there is replaced.

        Raises:
            OptionError: it holds something else.
        """
        target = check_target(path)
        files.write_head(target, self._head, self.metadata)
        for run in self._runs:
            files.write_run(target, run, self._head)
        files.remove_runs(target, kept=self.numbers)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Runs":
        """Load runs from a folder.

        Raises:
            OptionError: the path holds something else.
        """
        runs: Runs = registry.resolve(registry.LOAD_AS)(path, Runs, "runs")
        return runs

    def _row(self, word: str) -> int:
        if not isinstance(word, str):
            raise wrong_kind("word", word, "one word")
        row = self.lexicon.row_of(word)
        if row is None or not self._present[:, row].any():
            raise self.lexicon.unknown(word)
        return row

    def _vectors(self, run: Run) -> WordVectors:
        """Return a run as word vectors, without the words that it lacks."""
        present, words = run.counts > 0, self.words
        training = {**self.metadata["training"], **run.facts}
        metadata = {**self.metadata, "training": training, "run": run.number}
        if present.all():
            return WordVectors(Lexicon(list(words)), run.matrix.rows(), counts=run.counts, metadata=metadata)
        rows = np.flatnonzero(present)
        kept = Lexicon([words[row] for row in rows.tolist()])
        return WordVectors(kept, run.matrix.rows(rows), counts=run.counts[rows], metadata=metadata)

    @cached_property
    def _inverses(self) -> list[Floats]:
        return [inverse_lengths(run.matrix.codes) for run in self._runs]

    def _cosines(self, runs: npt.NDArray[np.int64], row: int) -> Floats:
        from firth.kernels.compiled import read_only  # these bring a compiler along
        from firth.runs.cosines import code_cosines

        cosines = np.empty((len(runs), len(self.words)), dtype=np.float32)
        for line, i in enumerate(runs.tolist()):
            code_cosines(read_only(self._runs[i].matrix.codes), self._inverses[i], row, cosines[line])
            if not self._all_present:
                cosines[line, ~self._present[i]] = -2
        cosines[:, row] = -2
        return cosines

    @cached_property
    def _all_present(self) -> bool:
        return bool(self._present.all())

    def _nearest(self, i: int, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the ten nearest rows of some in a run, (W, 10); -1 - i where it lacks the word or has too few."""
        near = np.full((len(rows), min(NEAREST, max(1, len(self.words) - 1))), -1 - np.int64(i))
        present, has = np.flatnonzero(self._present[i]), self._present[i][rows]
        matrix, own = self._runs[i].matrix.rows(present), np.searchsorted(present, rows[has])
        norms = np.linalg.norm(matrix, axis=1).astype(np.float32)
        neighbours, _ = nearest(matrix, norms, matrix[own], NEAREST + 1)
        order = np.argsort(neighbours == own[:, None], axis=1, kind="stable")[:, : min(near.shape[1], len(present) - 1)]
        near[has, : order.shape[1]] = present[np.take_along_axis(neighbours, order, axis=1)]
        return near


def inverse_lengths(codes: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Return one over the length of each row of codes, 0 for a row of zeros: (V,) float32."""
    squares = np.einsum("vd,vd->v", codes, codes, dtype=np.int32)
    return np.asarray(inverse(np.sqrt(squares, dtype=np.float32)), dtype=np.float32)


def unit_row(run: Run, row: int) -> npt.NDArray[np.float64]:
    """Return the row of a run at length 1; zeros stay."""
    numbers = run.matrix.codes[row].astype(np.float64)
    return np.asarray(numbers / max(float(np.linalg.norm(numbers)), 1.0))


def restore(content: ModelFolder) -> Runs:
    """Return the runs of a folder.

    Raises:
        FormatError: it is damaged, or holds no run that can be used.

    Warns:
        UserWarning: a run is damaged or missing.
    """
    head = files.head_in(content)
    runs = files.read_runs(Path(content.path), head)
    if not runs:
        raise FormatError(f"{content.path}: no run is finished; train again with the same command, which goes on")
    return Runs(head, runs, content.metadata)
