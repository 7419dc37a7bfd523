"""Alignment without any dictionary: two languages whose words lie alike find each other.

What: how alike a word is to all others, sorted, is much the same in both languages, whatever the words are called.
Words whose sorted similarities are nearest make a first dictionary, mostly wrong. From then on a map is learned from
the dictionary and a dictionary found by the map, in turns. Candidates are left out at random, many at first, so that a
bad beginning is left behind; as progress stops, more are kept.

Objective: with p the probability that a candidate is kept, in turns

    D_ij = 1 where j = argmax_kept csls(x_i A, z_j C), or i = argmax_kept csls(x_i A, z_j C)
    U S V^T = X^T D Z,    A = U,    C = V

    first:  csls over the rows of sort((X X^T)^(1/2)) and sort((Z Z^T)^(1/2)), each row sorted and normalised
    last:   p = 1, and the weighted map of `firth.alignment.steps` in the place of U and V

Progress is the mean of each word's greatest cosine, over both sides.

A run may end in a map that fits nothing: it maps many words to few, or it pairs words that have nothing to do with each
other. Its progress has ended all the same. Runs that found the languages agree with each other, and others do not:
of the words that are each other's best, 0.83 to 0.92 were the same in two runs that found them, 0.01 to 0.48 otherwise
(`benchmarks/results/alignment/strength.md`). Runs are therefore made until two agree. With few
numbers a word two runs may agree by chance: those of one of eight pairs of unrelated spaces of 10 numbers did, and of
none of ten of 25.

Source: Artetxe, Labaka and Agirre 2018 (ACL), "A robust self-learning method for fully unsupervised cross-lingual
mappings of word embeddings": sections 3.1 (normalisation), 3.2 (the first dictionary), 3.3 (stochastic induction,
frequency-based cut-off, CSLS, both ways) and 3.4 (symmetric re-weighting); p from 0.1, doubled, is theirs.

Departures: p doubles where `patience` rounds bring no more than `tolerance`; the paper waits 50 rounds for 10^-6, which
costs several times as much and finds the same. The cut-off is lower by default than the paper's 20,000, which was for a
GPU. Candidates that the coin drops are left out, where the paper makes their similarity 0. The paper makes one run and
has no test of it; here the best of several is kept, and it has converged only if another agrees with it.

Cost: a round takes three products of 2 n m D flops for n and m frequent words; some hundred rounds a run, two runs or
more. The first dictionary takes products of 2 n m min(n, m).
"""

import warnings
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.alignment.alignment import Alignment, aligned
from firth.alignment.induction import Inducer, inducing
from firth.alignment.refine import placed
from firth.alignment.steps import Floats, Matrix, Placement, normalise, weighted
from firth.alignment.strength import Strength, strength
from firth.errors import OptionError
from firth.options import check, option, options_class
from firth.postprocess.transforms import checked_matrix
from firth.progress import Progress, Report, Status, reporting
from firth.vectors.word_vectors import WordVectors

FEWEST = 10  # words of a side
AGREE = 0.6  # share of pairs in common from which two runs have found the same
COLLAPSED = 0.25  # different translations a word, below which a run has mapped many words to few
FALLEN = 0.9  # of its best mean cosine, below which a run has fallen back


@options_class
class SelfLearning:
    """Options of alignment without a dictionary, which `align` carries out.

    Raises:
        OptionError: an option is out of its range.
    """

    cutoff: int = option(4_000, "most frequent words of each side that pairs are found among", minimum=FEWEST)
    start_cutoff: int = option(4_000, "most frequent words whose similarities are compared at first", minimum=FEWEST)
    keep: float = option(0.1, "probability at first that a candidate is kept", minimum=0, maximum=1, exclusive=True)
    growth: float = option(2.0, "what that probability is multiplied by when progress stops", minimum=1, exclusive=True)
    patience: int = option(10, "rounds without progress after which that is", minimum=1)
    tolerance: float = option(1e-4, "gain of the mean cosine that counts as progress", minimum=0)
    rounds: int = option(1_000, "rounds of a run at most", minimum=1)
    runs: int = option(3, "independent runs at most; the last is the first that agrees with another", minimum=1)
    weight: float = option(0.5, "power by which shared directions are weighted at the end; 0 for none", minimum=0)

    def __post_init__(self) -> None:
        check(self)

    def align(
        self,
        source: WordVectors,
        target: WordVectors,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Alignment:
        """Return two spaces as one.

        Args:
            source: the one side's vectors, the most frequent words first.
            target: the other side's.
            seed: of what is left out.
            threads: None is one a processor; their number changes next to nothing.
            progress: how to show it.

        Raises:
            OptionError: a side has fewer than ten words, or vectors are built from n-grams.
            FormatError: a vector is not finite.
        """
        x, mean_x = normalise(_enough(source, "source"), "unit-centre-unit")
        z, mean_z = normalise(_enough(target, "target"), "unit-centre-unit")
        with reporting(progress) as report, inducing(seed, threads) as inducer:
            size = min(self.start_cutoff, self.cutoff, len(x), len(z))
            first = _first(x[:size], z[:size], inducer, report)
            courses: list[_Course] = []
            while len(courses) < self.runs and max(_agreements(courses), default=0.0) < AGREE:
                courses.append(self._learned(x[: self.cutoff], z[: self.cutoff], first, inducer, report))
        agreements = _agreements(courses)
        number = max(range(len(courses)), key=lambda i: (agreements[i] >= AGREE, courses[i].strength.margin))
        best, agreement = courses[number], agreements[number] if len(courses) > 1 else None
        placements = (
            Placement("unit-centre-unit", mean_x, best.maps[0]),
            Placement("unit-centre-unit", mean_z, best.maps[1]),
        )
        reason = best.failure(agreement)
        facts: dict[str, Any] = {"method": "self-learning", **asdict(self), "seed": seed}
        found = {
            "rounds_taken": best.rounds,
            "runs_taken": len(courses),
            "likeness": best.likeness,
            "agreement": agreement,
            "targets": best.targets,
            "converged": reason is None,
            "reason": reason,
        }
        if reason is not None:
            warnings.warn(f"self-learning did not converge: {reason}", stacklevel=2)
        return aligned((source, target), placements, (), {**facts, **found, "pairs_induced": len(best.pairs)})

    def _learned(
        self, x: Matrix, z: Matrix, pairs: npt.NDArray[np.int64], inducer: Inducer, report: Report
    ) -> "_Course":
        keep, best, last, ended = min(self.keep, 1.0), -1.0, 0, False
        for number in range(1, self.rounds + 1):
            u, v = _turned(x, z, pairs)
            found = inducer.induce(placed(x, u), placed(z, v), keep)
            pairs = found.both()
            if found.likeness >= best + self.tolerance:
                best, last = found.likeness, number
            shown = {"likeness": found.likeness, "kept": keep}
            report(Status(stage="self-learning", done=number, unit="rounds", figures=shown))
            if number - last > self.patience:
                if ended := keep >= 1.0:
                    break
                keep, last = min(keep * self.growth, 1.0), number
        maps = weighted(x[pairs[:, 0]], z[pairs[:, 1]], self.weight)
        return _Course(x, z, maps, pairs, number, found.likeness, best, found.targets, ended)


@dataclass(frozen=True)
class _Course:
    """How a run ended."""

    x: Matrix
    z: Matrix
    maps: tuple[Floats, Floats]
    pairs: npt.NDArray[np.int64]
    rounds: int
    likeness: float
    best: float
    targets: float
    ended: bool

    @cached_property
    def strength(self) -> Strength:
        """How clearly translations stand out, by which runs are compared."""
        return strength(placed(self.x, self.maps[0]), placed(self.z, self.maps[1]))

    def failure(self, agreement: float | None) -> str | None:
        """Return why a run cannot be said to have found anything, or None.

        Args:
            agreement: with the run that is most like it; None where there was no other.
        """
        if not self.ended:
            return f"progress had not ended after {self.rounds:,} rounds; raise rounds"
        if self.targets < COLLAPSED:
            return f"it collapsed: only {100 * self.targets:.0f} % of the words are the translation of any other"
        if self.likeness < FALLEN * self.best:
            return f"it collapsed: the mean cosine fell from {self.best:.3f} to {self.likeness:.3f}"
        if agreement is not None and agreement < AGREE:
            return (
                f"no two runs found the same translations ({100 * agreement:.0f} % of them in common, expected "
                f"{100 * AGREE:.0f} %); train the vectors for longer or on more text, or give a dictionary"
            )
        return None


def _agreements(courses: list[_Course]) -> list[float]:
    """Return for each run the share of pairs that it has in common with the run most like it."""
    return [
        max((one.strength.agreement(other.strength) for other in courses if other is not one), default=0.0)
        for one in courses
    ]


def _enough(vectors: WordVectors, side: str) -> Matrix:
    matrix = checked_matrix(vectors)
    if len(matrix) < FEWEST:
        raise OptionError(f"{len(matrix)} {side} words: expected at least {FEWEST}, and thousands for a good alignment")
    return matrix


def _turned(x: Matrix, z: Matrix, pairs: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    products = x[pairs[:, 0]].T @ z[pairs[:, 1]]
    u, _, vt = np.linalg.svd(products.astype(np.float64), full_matrices=False)
    return u, vt.T


def _first(x: Matrix, z: Matrix, inducer: Inducer, report: Report) -> npt.NDArray[np.int64]:
    """The first dictionary: words whose sorted similarities are nearest, (P, 2)."""
    report(Status(stage="comparing distributions of similarities"))
    return inducer.induce(_signatures(x), _signatures(z)).both()


def _signatures(rows: Matrix) -> npt.NDArray[np.float32]:
    """Return the sorted similarities of each word with all, (n, n) of length 1, centred in between.

    (X X^T)^(1/2) = U S U^T for X = U S V^T: the similarities' own square root, which brings them near a normal law.
    """
    u, s, _ = np.linalg.svd(rows, full_matrices=False)
    alike = ((u * s) @ u.T).astype(np.float32)
    alike.sort(axis=1)
    made, _ = normalise(alike, "unit-centre-unit")
    return made
