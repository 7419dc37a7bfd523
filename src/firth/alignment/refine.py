"""Refinement: the map induces new pairs, which give a better map, and so on.

What: frequent words that are each other's best translation become pairs, and the map is learned again from them and
from the given pairs.

Objective: that of the map, over pairs (x, z) with z = argmax csls(x, .) and x = argmax csls(., z).

Source: Conneau, Lample, Ranzato, Denoyer and Jegou 2018, "Word translation without parallel data", section 2.2 ("the
refinement procedure": mutual nearest neighbours, most frequent words) and 2.3 (CSLS).

Departures: the given pairs are kept beside the induced ones; the paper has no given pairs.

Cost: three products of 2 n m D flops per iteration.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.alignment.induction import open_inducer
from firth.alignment.steps import Floats, Matrix
from firth.progress import Report, Status
from firth.vectors.cosine import unit

Fit = Callable[[Matrix, Matrix], tuple[Floats, Floats]]
Rows = npt.NDArray[np.int64]


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
