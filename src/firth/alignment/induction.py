"""Dictionary induction: each word's best translation by CSLS in the shared space, in both directions.

What: the rows of both sides are compared block by block. A pass computes r, each row's mean similarity to its nearest
neighbours on the other side, and, once r of the other side is known, its best translation.

Objective: best(x) = argmax_z 2 cos(x, z) - r(z), with r(z) the mean cosine of z with its K nearest x; likewise best(z).
best(x) leaves out r(x), which is the same for all z.

Source: Conneau et al. 2018, "Word translation without parallel data", section 2.3; Artetxe, Labaka and Agirre 2018, "A
robust self-learning method for fully unsupervised cross-lingual mappings", section 3.3.

Departures: as in `firth.kernels.induction`.

Cost: three products of 2 n m D flops and four passes over their results, which stay in the cache. Threads share the
blocks, and each thread multiplies alone, so none waits for the slowest part of a product.

Refinement: the map induces new pairs, which give a better map, and so on.

What: frequent words that are each other's best translation become pairs, and the map is learned again from them and
from the given pairs.

Objective: that of the map, over pairs (x, z) with z = argmax csls(x, .) and x = argmax csls(., z).

Source: Conneau, Lample, Ranzato, Denoyer and Jegou 2018, "Word translation without parallel data", section 2.2 ("the
refinement procedure": mutual nearest neighbours, most frequent words) and 2.3 (CSLS).

Departures: the given pairs are kept beside the induced ones; the paper has no given pairs.

Cost: three products of 2 n m D flops per iteration.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.alignment.steps import Floats, Matrix
from firth.kernels.induction import choose, neighbourhoods
from firth.kernels.threads import one_blas_thread, usable_threads
from firth.progress import Report, Status
from firth.randomness import kernel_states
from firth.vectors.cosine import unit
from firth.vectors.csls import NEIGHBOURS

Rows = npt.NDArray[np.int64]

SCORES = 2**19  # similarities per block: 2 MB
FEWEST = 16  # minimum rows per block


@dataclass(frozen=True)
class InducedDictionary:
    """An induced dictionary.

    Attributes:
        forward: (n,) the target row of each source row; -1 for none.
        backward: (m,) the source row of each target row; -1 for none.
        mean_cosine: mean of each row's greatest cosine, averaged over both sides.
    """

    forward: Rows
    backward: Rows
    mean_cosine: float

    @property
    def targets(self) -> float:
        """Number of different translations as a share of the possible number; the smaller of both directions."""
        smaller = min(len(self.forward), len(self.backward))
        return min(len(np.unique(way[way >= 0])) for way in (self.forward, self.backward)) / smaller

    def all_pairs(self) -> Rows:
        """Return the pairs of both directions, (P, 2); a mutual pair appears twice."""
        forward = np.stack([np.arange(len(self.forward)), self.forward], axis=1)
        backward = np.stack([self.backward, np.arange(len(self.backward))], axis=1)
        pairs = np.concatenate([forward, backward])
        return pairs[(pairs >= 0).all(axis=1)]

    def mutual_pairs(self) -> Rows:
        """Return the pairs found in both directions, (P, 2)."""
        rows = np.flatnonzero(self.forward >= 0)
        rows = rows[self.backward[self.forward[rows]] == rows]
        return np.stack([rows, self.forward[rows]], axis=1)


class DictionaryInducer:
    """Induces dictionaries repeatedly; created by `open_inducer`."""

    def __init__(self, pool: ThreadPoolExecutor, seed: int) -> None:
        self._pool, self._seed, self._round = pool, seed, 0

    def induce(self, x: Matrix, z: Matrix, keep: float = 1.0, neighbours: int = NEIGHBOURS) -> InducedDictionary:
        """Return the best translations of all rows.

        Args:
            x: (n, D) float32 source rows in the shared space, of length 1.
            z: (m, D) target rows.
            keep: probability that a candidate is considered.
            neighbours: K of CSLS.
        """
        self._round += 1
        n, m = len(x), len(z)
        best_x, around_x, forward = np.empty(n, np.float32), np.empty(n, np.float32), np.empty(n, np.int64)
        best_z, around_z, backward = np.empty(m, np.float32), np.empty(m, np.float32), np.empty(m, np.int64)

        def measure_x(part: slice, scores: Matrix, _: int) -> None:
            neighbourhoods(scores, min(neighbours, m), best_x[part], around_x[part])

        def measure_z(part: slice, scores: Matrix, block: int) -> None:
            neighbourhoods(scores, min(neighbours, n), best_z[part], around_z[part])
            choose(scores, around_x, keep, self._random_state("backward", block), backward[part])

        def choose_x(part: slice, scores: Matrix, block: int) -> None:
            choose(scores, around_z, keep, self._random_state("forward", block), forward[part])

        self._by_block(x, z, measure_x)
        self._by_block(z, x, measure_z)
        self._by_block(x, z, choose_x)
        return InducedDictionary(forward, backward, (float(best_x.mean()) + float(best_z.mean())) / 2)

    def _random_state(self, way: str, block: int) -> npt.NDArray[np.uint64]:
        """Return a random stream for one block, so that results do not depend on threads."""
        return kernel_states(self._seed, f"{way} {self._round} {block}", 1)

    def _by_block(self, rows: Matrix, candidates: Matrix, work: Callable[[slice, Matrix, int], None]) -> None:
        size = max(SCORES // max(len(candidates), 1), FEWEST)
        columns = candidates.T

        def run(start: int) -> None:
            part = slice(start, min(start + size, len(rows)))
            work(part, rows[part] @ columns, start)

        for _ in self._pool.map(run, range(0, len(rows), size)):
            pass  # an error of a block is raised here


@contextmanager
def open_inducer(seed: int = 0, threads: int | None = None) -> Iterator[DictionaryInducer]:
    """Start the threads of dictionary induction.

    Args:
        threads: number of threads; None is one per processor.

    Yields:
        The inducer.
    """
    with ThreadPoolExecutor(usable_threads(threads)) as pool, one_blas_thread():
        yield DictionaryInducer(pool, seed)


Fit = Callable[[Matrix, Matrix], tuple[Floats, Floats]]


@dataclass(frozen=True)
class RefinedMaps:
    """Maps after refinement.

    Attributes:
        maps: maps of the source and the target.
        pairs: number of pairs from which they were learned, per iteration.
        mean_cosines: mean of each word's greatest cosine, before each iteration.
    """

    maps: tuple[Floats, Floats]
    pairs: list[int]
    mean_cosines: list[float]


def refine_maps(
    x: Matrix, z: Matrix, rows: Rows, fit: Fit, *, rounds: int, cutoff: int, report: Report, threads: int | None = None
) -> RefinedMaps:
    """Learn maps from pairs, and again from the pairs that they induce.

    Args:
        x: (V, D) normalised source rows, the most frequent first.
        z: (W, E) normalised target rows.
        rows: (P, 2) the given pairs.
        fit: learns the maps from paired rows.
        cutoff: most frequent words of each side among which pairs are induced.
        report: called after each iteration.
        threads: threads of the search; None is one per processor.
    """
    maps = fit(x[rows[:, 0]], z[rows[:, 1]])
    counts, mean_cosines = [len(rows)], []
    with open_inducer(threads=threads) as inducer:
        for number in range(rounds):
            induced = inducer.induce(map_unit(x[:cutoff], maps[0]), map_unit(z[:cutoff], maps[1]))
            pairs = np.unique(np.concatenate([rows, induced.mutual_pairs()]), axis=0)  # (P', 2)
            maps = fit(x[pairs[:, 0]], z[pairs[:, 1]])
            counts.append(len(pairs))
            mean_cosines.append(induced.mean_cosine)
            figures = {"likeness": induced.mean_cosine, "pairs": float(len(pairs))}
            report(Status(stage="refining", done=number + 1, total=rounds, unit="rounds", figures=figures))
    return RefinedMaps(maps, counts, mean_cosines)


def map_unit(rows: Matrix, matrix: Floats) -> npt.NDArray[np.float32]:
    """Map rows into the shared space and normalise them to length 1, (n, K)."""
    return np.ascontiguousarray(unit(rows @ matrix.astype(np.float32)), dtype=np.float32)
