"""Refinement: a map finds new pairs, which make a better map, and so on.

What: words that are each other's best translation among the frequent words of both sides are taken for pairs, and the
map is learned anew from them and from the pairs that were given.

Objective: that of the map, over pairs (x, z) with z = argmax csls(x, .) and x = argmax csls(., z).

Source: Conneau, Lample, Ranzato, Denoyer and Jegou 2018, "Word translation without parallel data", section 2.2 ("the
refinement procedure": mutual nearest neighbours, most frequent words) and 2.3 (CSLS).

Departures: given pairs stay pivots beside the induced ones, where the paper, which has none, has none to keep.

Cost: three products of 2 n m D flops a round.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.alignment.induction import inducing
from firth.alignment.steps import Floats, Matrix
from firth.progress import Report, Status
from firth.vectors.cosine import unit

Fit = Callable[[Matrix, Matrix], tuple[Floats, Floats]]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Refined:
    """Maps after refinement.

    Attributes:
        maps: of the source and the target.
        pairs: how many pairs they were learned from, round by round.
        likeness: the mean greatest cosine before each round.
    """

    maps: tuple[Floats, Floats]
    pairs: list[int]
    likeness: list[float]


def refined(
    x: Matrix, z: Matrix, rows: Rows, fit: Fit, *, rounds: int, cutoff: int, report: Report, threads: int | None = None
) -> Refined:
    """Return maps learned from pairs, and again from what they find.

    Args:
        x: (V, D) normalised rows of the source, the most frequent first.
        z: (W, E) of the target.
        rows: (P, 2) the pairs given.
        fit: makes maps of paired rows.
        rounds: how often pairs are found.
        cutoff: most frequent words of each side among which pairs are found.
        report: called in each round.
        threads: of the search; None is one a processor.
    """
    maps = fit(x[rows[:, 0]], z[rows[:, 1]])
    counts, likeness = [len(rows)], []
    with inducing(threads=threads) as inducer:
        for number in range(rounds):
            found = inducer.induce(placed(x[:cutoff], maps[0]), placed(z[:cutoff], maps[1]))
            pairs = np.unique(np.concatenate([rows, found.mutual()]), axis=0)
            maps = fit(x[pairs[:, 0]], z[pairs[:, 1]])
            counts.append(len(pairs))
            likeness.append(found.likeness)
            shown = {"likeness": found.likeness, "pairs": float(len(pairs))}
            report(Status(stage="refining", done=number + 1, total=rounds, unit="rounds", figures=shown))
    return Refined(maps, counts, likeness)


def placed(rows: Matrix, matrix: Floats) -> npt.NDArray[np.float32]:
    """Return rows in the shared space, (n, K) of length 1."""
    return np.ascontiguousarray(unit(rows @ matrix.astype(np.float32)), dtype=np.float32)
