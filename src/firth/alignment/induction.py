"""Translations out of a space that two sides share: each word's best by CSLS, both ways.

What: the rows of each side are compared with those of the other, a block at a time. A pass gives how near each row is
to its surroundings, and with those of the other side known, its best partner.

Objective: best(x) = argmax_z 2 cos(x, z) - r(z), with r(z) the mean cosine of z with its K nearest x; likewise best(z).
r(x) is left out of the first, where it is the same for all z.

Source: Conneau et al. 2018, "Word translation without parallel data", section 2.3; Artetxe, Labaka and Agirre 2018, "A
robust self-learning method for fully unsupervised cross-lingual mappings", section 3.3.

Departures: as in `firth.kernels.induction`.

Cost: three products of 2 n m D flops and four passes over their results, which never leave the cache. Threads share
the blocks; each multiplies by itself, so that nobody waits for the slowest part of a product.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.kernels.induction import choose, surround
from firth.kernels.threads import one_blas_thread, usable_threads
from firth.randomness import kernel_states
from firth.vectors.csls import NEIGHBOURS

Matrix = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]

SCORES = 2**19  # similarities of a block: 2 MB
FEWEST = 16  # rows of a block


@dataclass(frozen=True)
class Induced:
    """Partners of rows.

    Attributes:
        forward: (n,) the target row of each source row; -1 for none.
        backward: (m,) the source row of each target row.
        likeness: the mean over both sides of each row's greatest cosine.
    """

    forward: Rows
    backward: Rows
    likeness: float

    @property
    def targets(self) -> float:
        """How many different partners words have, as a share of the most there could be; the lesser of both ways."""
        most = min(len(self.forward), len(self.backward))
        return min(len(np.unique(way[way >= 0])) for way in (self.forward, self.backward)) / most

    def both(self) -> Rows:
        """Return the pairs of both ways, (P, 2): a pair that both ways find stands there twice."""
        forward = np.stack([np.arange(len(self.forward)), self.forward], axis=1)
        backward = np.stack([self.backward, np.arange(len(self.backward))], axis=1)
        pairs = np.concatenate([forward, backward])
        return pairs[(pairs >= 0).all(axis=1)]

    def mutual(self) -> Rows:
        """Return the pairs that both ways find, (P, 2)."""
        rows = np.flatnonzero(self.forward >= 0)
        rows = rows[self.backward[self.forward[rows]] == rows]
        return np.stack([rows, self.forward[rows]], axis=1)


class Inducer:
    """Finds partners, again and again; made by `inducing`."""

    def __init__(self, pool: ThreadPoolExecutor, seed: int) -> None:
        self._pool, self._seed, self._round = pool, seed, 0

    def induce(self, x: Matrix, z: Matrix, keep: float = 1.0, neighbours: int = NEIGHBOURS) -> Induced:
        """Return the partners of rows.

        Args:
            x: (n, D) float32 of the source, in the shared space, of length 1.
            z: (m, D) of the target.
            keep: the probability that a candidate is looked at.
            neighbours: K of CSLS.
        """
        self._round += 1
        n, m = len(x), len(z)
        best_x, around_x, forward = np.empty(n, np.float32), np.empty(n, np.float32), np.empty(n, np.int64)
        best_z, around_z, backward = np.empty(m, np.float32), np.empty(m, np.float32), np.empty(m, np.int64)

        def measure_x(part: slice, scores: Matrix, _: int) -> None:
            surround(scores, min(neighbours, m), best_x[part], around_x[part])

        def measure_z(part: slice, scores: Matrix, place: int) -> None:
            surround(scores, min(neighbours, n), best_z[part], around_z[part])
            choose(scores, around_x, keep, self._coin("backward", place), backward[part])

        def choose_x(part: slice, scores: Matrix, place: int) -> None:
            choose(scores, around_z, keep, self._coin("forward", place), forward[part])

        self._over(x, z, measure_x)
        self._over(z, x, measure_z)
        self._over(x, z, choose_x)
        return Induced(forward, backward, (float(best_x.mean()) + float(best_z.mean())) / 2)

    def _coin(self, way: str, place: int) -> npt.NDArray[np.uint64]:
        """A stream of each block's own, so that threads change nothing."""
        return kernel_states(self._seed, f"{way} {self._round} {place}", 1)

    def _over(self, rows: Matrix, others: Matrix, work: Callable[[slice, Matrix, int], None]) -> None:
        size = max(SCORES // max(len(others), 1), FEWEST)
        columns = others.T

        def run(start: int) -> None:
            part = slice(start, min(start + size, len(rows)))
            work(part, rows[part] @ columns, start)

        for _ in self._pool.map(run, range(0, len(rows), size)):
            pass  # an error of a block is raised here


@contextmanager
def inducing(seed: int = 0, threads: int | None = None) -> Iterator[Inducer]:
    """Give what finds partners, its threads started.

    Args:
        seed: of the coins.
        threads: how many; None is one a processor.

    Yields:
        The inducer.

    Raises:
        OptionError: `threads` is below 1.
    """
    with ThreadPoolExecutor(usable_threads(threads)) as pool, one_blas_thread():
        yield Inducer(pool, seed)
