"""Unsupervised alignment by self-learning: no dictionary is needed if the two spaces have a similar structure.

What: the sorted similarities of a word to all others are much the same in both languages. Words with the most similar
sorted similarities make the first dictionary, which is mostly wrong. Then a map is learned from the dictionary and a
dictionary induced by the map, in turns. Candidates are dropped at random to escape a bad start: many at first, fewer
each time progress stops.

Objective: with p the probability that a candidate is kept, in turns

    D_ij = 1 where j = argmax_kept csls(x_i A, z_j C), or i = argmax_kept csls(x_i A, z_j C)
    U S V^T = X^T D Z,    A = U,    C = V

    first:  csls over the rows of sort((X X^T)^(1/2)) and sort((Z Z^T)^(1/2)), each row sorted and normalised
    last:   p = 1, and the weighted map of `firth.alignment.steps` instead of U and V

Progress is the mean of each word's greatest cosine, over both sides.

A run can converge to a wrong map, which maps many words to few or pairs unrelated words. Successful runs agree with
each other and failed ones do not: the share of mutual best translations common to two runs was 0.83 to 0.93 for
successful runs and 0.01 to 0.48 otherwise (`benchmarks/results/alignment/strength.md`). Runs are therefore repeated
until two agree. In few dimensions two runs can agree by chance: of pairs of unrelated spaces, one of eight did in 10
dimensions, and none of ten in 25.

Source: Artetxe, Labaka and Agirre 2018 (ACL), "A robust self-learning method for fully unsupervised cross-lingual
mappings of word embeddings": sections 3.1 (normalisation), 3.2 (the first dictionary), 3.3 (stochastic induction,
frequency-based cut-off, CSLS, both ways) and 3.4 (symmetric re-weighting); p from 0.1, doubled, is theirs.

Departures: p doubles when `patience` iterations gain less than `tolerance`; the paper waits 50 iterations for 10^-6,
which costs several times as much and finds the same map. The default cut-off is lower than the paper's 20,000, which
was for a GPU. Dropped candidates are ignored; the paper sets their similarity to 0. The paper makes a single run and
does not test it; here the best of several runs is kept, and it counts as converged only if another agrees with it.

Cost: an iteration takes three products of 2 n m D flops for n and m frequent words; about a hundred iterations per run,
two or more runs. The first dictionary takes products of 2 n m min(n, m).
"""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.alignment.alignment import Alignment, align_spaces
from firth.alignment.induction import DictionaryInducer, map_unit, open_inducer
from firth.alignment.steps import Floats, Matrix, Placement, cross_svd, normalise, weighted
from firth.alignment.strength import Strength, strength
from firth.arguments import explained
from firth.errors import OptionError, warn_caller
from firth.options import option, options_class
from firth.postprocess.transforms import checked_matrix
from firth.progress import Progress, Report, Status, reporting
from firth.vectors.word_vectors import WordVectors

FEWEST = 10  # minimum number of words per side
AGREE = 0.6  # share of common pairs from which two runs agree
COLLAPSED = 0.25  # share of different translations below which a run has mapped many words to few
FALLEN = 0.9  # share of its best mean cosine below which a run has collapsed


@options_class
class SelfLearning:
    """Options of alignment without a dictionary; `align` computes it."""

    cutoff: int = option(4_000, "most frequent words of each side used to induce pairs", minimum=FEWEST)
    start_cutoff: int = option(4_000, "most frequent words of each side used to find the first pairs", minimum=FEWEST)
    keep: float = option(0.1, "initial probability of keeping a candidate", minimum=0, maximum=1, exclusive=True)
    growth: float = option(2.0, "factor of that probability when progress stops", minimum=1, exclusive=True)
    patience: int = option(10, "iterations without progress before the probability grows", minimum=1)
    tolerance: float = option(1e-4, "minimum gain of the mean cosine that counts as progress", minimum=0)
    rounds: int = option(1_000, "maximum number of iterations per run", minimum=1)
    runs: int = option(3, "maximum number of independent runs; stops when two runs agree", minimum=1)
    weight: float = option(0.5, "exponent of the final re-weighting of directions; 0 for none", minimum=0)

    @explained
    def align(
        self,
        source: WordVectors,
        target: WordVectors,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Alignment:
        """Align two vector spaces.

        Args:
            source: source vectors, the most frequent words first.
            target: target vectors, the most frequent words first.
            seed: seed of the dropped candidates.
            threads: number of threads; None is one per processor. Results hardly depend on it.
            progress: where to report progress.

        Raises:
            OptionError: a side has fewer than ten words, or vectors are built from n-grams.
            FormatError: a vector is not finite.
        """
        x, mean_x = normalise(_checked_rows(source, "source"), "unit-centre-unit")
        z, mean_z = normalise(_checked_rows(target, "target"), "unit-centre-unit")
        with reporting(progress) as report, open_inducer(seed, threads) as inducer:
            size = min(self.start_cutoff, self.cutoff, len(x), len(z))
            first = _first(x[:size], z[:size], inducer, report)
            runs: list[_SelfLearningRun] = []
            while len(runs) < self.runs and max(_agreements(runs), default=0.0) < AGREE:
                runs.append(self._run(x[: self.cutoff], z[: self.cutoff], first, inducer, report))
        agreements = _agreements(runs)
        number = max(range(len(runs)), key=lambda i: (agreements[i] >= AGREE, runs[i].strength.margin))
        best, agreement = runs[number], agreements[number] if len(runs) > 1 else None
        placements = (
            Placement("unit-centre-unit", mean_x, best.maps[0]),
            Placement("unit-centre-unit", mean_z, best.maps[1]),
        )
        reason = best.failure(agreement)
        facts: dict[str, Any] = {"method": "self-learning", **asdict(self), "seed": seed}
        results = {
            "rounds_taken": best.rounds,
            "runs_taken": len(runs),
            "likeness": best.mean_cosine,
            "agreement": agreement,
            "targets": best.targets,
            "converged": reason is None,
            "reason": reason,
        }
        if reason is not None:
            warn_caller(f"self-learning did not converge: {reason}")
        return align_spaces((source, target), placements, (), {**facts, **results, "pairs_induced": len(best.pairs)})

    def _run(
        self, x: Matrix, z: Matrix, pairs: npt.NDArray[np.int64], inducer: DictionaryInducer, report: Report
    ) -> "_SelfLearningRun":
        keep, best, last, converged = min(self.keep, 1.0), -1.0, 0, False
        for number in range(1, self.rounds + 1):
            u, _, v = cross_svd(x[pairs[:, 0]], z[pairs[:, 1]])
            induced = inducer.induce(map_unit(x, u), map_unit(z, v), keep)
            pairs = induced.all_pairs()
            if induced.mean_cosine >= best + self.tolerance:
                best, last = induced.mean_cosine, number
            figures = {"likeness": induced.mean_cosine, "kept": keep}
            report(Status(stage="self-learning", done=number, unit="rounds", figures=figures))
            if number - last > self.patience:
                if converged := keep >= 1.0:
                    break
                keep, last = min(keep * self.growth, 1.0), number
        maps = weighted(x[pairs[:, 0]], z[pairs[:, 1]], self.weight)
        return _SelfLearningRun(x, z, maps, pairs, number, induced.mean_cosine, best, induced.targets, converged)


@dataclass(frozen=True)
class _SelfLearningRun:
    """State at the end of a run."""

    x: Matrix
    z: Matrix
    maps: tuple[Floats, Floats]
    pairs: npt.NDArray[np.int64]
    rounds: int
    mean_cosine: float
    best: float
    targets: float
    converged: bool

    @cached_property
    def strength(self) -> Strength:
        """How clearly translations stand out; the criterion for comparing runs."""
        return strength(map_unit(self.x, self.maps[0]), map_unit(self.z, self.maps[1]))

    def failure(self, agreement: float | None) -> str | None:
        """Return why the run failed, or None.

        Args:
            agreement: agreement with the most similar other run; None without another run.
        """
        if not self.converged:
            return f"still improving after {self.rounds:,} rounds; raise rounds"
        if self.targets < COLLAPSED:
            return f"it collapsed: only {100 * self.targets:.0f} % of the words are the translation of another"
        if self.mean_cosine < FALLEN * self.best:
            return f"it collapsed: the mean cosine fell from {self.best:.3f} to {self.mean_cosine:.3f}"
        if agreement is not None and agreement < AGREE:
            return (
                f"no two runs found the same translations ({100 * agreement:.0f} % of them in common, expected "
                f"{100 * AGREE:.0f} %); train the vectors for longer or on more text, or give a dictionary"
            )
        return None


def _agreements(runs: list[_SelfLearningRun]) -> list[float]:
    """Return for each run the share of pairs in common with the most similar other run."""
    return [
        max((run.strength.agreement(other.strength) for other in runs if other is not run), default=0.0) for run in runs
    ]


def _checked_rows(vectors: WordVectors, side: str) -> Matrix:
    matrix = checked_matrix(vectors)
    if len(matrix) < FEWEST:
        raise OptionError(f"{len(matrix)} {side} words: expected at least {FEWEST}, and thousands for a good alignment")
    return matrix


def _first(x: Matrix, z: Matrix, inducer: DictionaryInducer, report: Report) -> npt.NDArray[np.int64]:
    """Return the first dictionary, (P, 2): words with the most similar sorted similarities."""
    report(Status(stage="comparing distributions of similarities"))
    return inducer.induce(_signatures(x), _signatures(z)).all_pairs()


def _signatures(rows: Matrix) -> npt.NDArray[np.float32]:
    """Return the sorted similarities of each word to all words, (n, n), normalised, centred and normalised again.

    (X X^T)^(1/2) = U S U^T for X = U S V^T: the matrix square root makes the similarities nearly normal.
    """
    u, s, _ = np.linalg.svd(rows, full_matrices=False)
    similarities = ((u * s) @ u.T).astype(np.float32)
    similarities.sort(axis=1)
    return normalise(similarities, "unit-centre-unit")[0]
