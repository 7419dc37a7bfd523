"""What a suite of gold sets is, and what it sees of vectors.

An instrument of this folder is a file with its measures over plain arrays, the reader of its gold file where that has a
format of its own, and one `Suite`: how a gold file is read, and how vectors are judged on it. `firth.evaluation.suites`
lists them; everything else (intervals, coverage, tables, tests between models, the command line) is made once for all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from firth.resampling import Sample
from firth.vectors.neighbours import Matrix, unit
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Unknown = Literal["skip", "count", "infer"]
POLICIES: tuple[Unknown, ...] = ("skip", "count", "infer")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all suites of a call share.

    Attributes:
        unknown: the policy for words without a vector. "skip": an item that needs one is left out of the figure;
            "count": it stays, with the answer of a model that knows nothing (similarity 0, a wrong answer); "infer":
            vectors with subwords make one up of the word's n-grams, and what is unknown even then is skipped.
        restrict_vocab: answers are looked for among so many of the first words.
        resamples: of every bootstrap.
        seed: of every random draw.
    """

    unknown: Unknown = "skip"
    restrict_vocab: int = 300_000
    resamples: int = 2000
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure of a set.

    Attributes:
        metric: its name, such as "spearman" or "purity".
        sample: what it is made of.
        covered: items of which every word is known; of a sentence to be classified, any word.
        total: items of the set, or of its part.
        part: a part of the set, such as "/capital-world", or "" for the whole.
        baseline: what a model without any knowledge reaches, or a plain one that must be beaten; None where the
            metric's zero says it.
        baseline_name: what that is, such as "random" or "TF-IDF".
        share: whether the statistic is the share of right answers, which has Wilson's interval.
    """

    metric: str
    sample: Sample
    covered: int
    total: int
    part: str = ""
    baseline: float | None = None
    baseline_name: str = ""
    share: bool = False


class Space:
    """Vectors as a suite sees them: words are looked up as the gold file writes them, then lower-cased."""

    def __init__(self, vectors: WordVectors | SubwordVectors, setting: Setting) -> None:
        self.vectors = vectors
        self._inference = vectors.inference if setting.unknown == "infer" else None
        self._rows: dict[str, int] = {}
        for row, word in enumerate(vectors.words):
            self._rows.setdefault(word, row)

    @property
    def dim(self) -> int:
        """D."""
        return self.vectors.dim

    def find(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the row of each word, and -1 for one that has none.

        Args:
            words: n words.
        """
        rows = self._rows
        return np.array([rows.get(word, rows.get(word.lower(), -1)) for word in words], dtype=np.int64)

    def take(self, words: Sequence[str], *, lengths: bool = False) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """Return the vectors of words, and which of them have one.

        Args:
            words: n words.
            lengths: whether vectors keep their lengths; otherwise they are brought to length 1.

        Returns:
            (n, D) vectors, zeros for words without one, and (n,) whether each has one.
        """
        found = self.find(words)
        has = found >= 0
        matrix: Matrix = np.zeros((len(found), self.dim), dtype=np.float32)
        matrix[has] = self.vectors.vectors[found[has]]
        if self._inference is not None and not has.all():
            places = np.flatnonzero(~has).tolist()
            made, could = self._inference([words[place] for place in places])
            matrix[places] = np.where(could[:, None], made, 0)
            has[places] = could
        return (matrix if lengths else unit(matrix)), has


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Gold sets of one kind, and how vectors are judged on them.

    Attributes:
        name: as `firth.evaluate` and the command line take it; the `kind` of its sets in `firth.data`.
        help: what is asked, in a line.
        sets: the named sets that are judged where no file is given.
        read: a gold file to whatever `judge` takes; raises FormatError.
        judge: vectors and gold to figures; the same metrics and parts in the same order for all vectors.
    """

    name: str
    help: str
    sets: tuple[str, ...]
    read: Callable[[Path], Any]
    judge: Callable[[Space, Any, Setting], Sequence[Figure]]
