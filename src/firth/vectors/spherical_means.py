"""Spherical k-means with several initialisations at once, and the number of clusters.

What: unit vectors are clustered by direction.

Objective: centres c_1 ... c_k of length 1 that maximise sum_i max_j x_i . c_j; the best of several initialisations.

Source: Dhillon and Modha 2001, Concept decompositions for large sparse text data using clustering, section 3.

Departures: all initialisations run together, in one matrix product per iteration, until the last has converged. An
empty cluster takes the row with the lowest cosine with its centre.

Number of clusters: k grows from 1 as long as all cosines of two centres are below `alike` and every cluster has at
least the share `least` of the rows. A test against the hypothesis of one cluster does not work: contexts are not
normally distributed, and with a thousand of them every word fails it. The distance of the clusters identifies ambiguous
words.

Cost: 2 n E k flops per iteration and initialisation, for n rows of E numbers.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.vectors.cosine import Matrix, unit

ROUNDS = 25


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows in k clusters.

    Attributes:
        centres: (k, E) of length 1, that of the largest cluster first.
        labels: (n,) the cluster of each row.
        quality: the mean cosine of a row with its centre.
    """

    centres: Matrix
    labels: npt.NDArray[np.int64]
    quality: float

    def closest(self) -> float:
        """Return the greatest cosine of two centres, -1 for one."""
        between = np.matmul(self.centres, self.centres.T)
        return float(between[~np.eye(len(between), dtype=bool)].max(initial=-1))

    def smallest(self) -> float:
        """Return the share of rows in the smallest cluster."""
        sizes = np.bincount(self.labels, minlength=len(self.centres))
        return float(sizes.min() / max(len(self.labels), 1))


def parted(rows: Matrix, k: int, starts: int, random: np.random.Generator) -> Parts:
    """Return the best parting of several starts.

    Args:
        rows: (n, E) of length 1, at least k.
    """
    n = len(rows)
    starting_rows = np.concatenate([random.choice(n, k, replace=False) for _ in range(starts)])
    centres = rows[starting_rows]  # (starts k, E)
    before = np.full((n, starts), -1)
    for _ in range(ROUNDS):
        cosines = np.matmul(rows, centres.T).reshape(n, starts, k)
        labels = cosines.argmax(axis=2)
        if (labels == before).all():
            break
        before = labels
        members = (labels[:, :, None] == np.arange(k)).reshape(n, starts * k)
        sums = np.matmul(members.T.astype(rows.dtype), rows)
        for empty in np.flatnonzero(~members.any(axis=0)):
            sums[empty] = rows[cosines[:, empty // k].max(axis=1).argmin()]
        centres = unit(sums)
    quality = cosines.max(axis=2).mean(axis=0)
    best = int(quality.argmax())
    return _by_size(centres.reshape(starts, k, -1)[best], labels[:, best], float(quality[best]))


def _by_size(centres: Matrix, labels: npt.NDArray[np.int64], quality: float) -> Parts:
    order = np.argsort(-np.bincount(labels, minlength=len(centres)), kind="stable")
    return Parts(centres[order], np.argsort(order)[labels], quality)


def as_many_as_differ(
    rows: Matrix, most: int, *, alike: float, least: float, starts: int, random: np.random.Generator
) -> Parts:
    """Return the parting into as many parts as are still unlike.

    Args:
        rows: (n, E) of length 1, at least `most`.
        least: the least share of the rows that a part must have.
        starts: as in `parted`.
        random: as in `parted`.
    """
    best = parted(rows, 1, 1, random)
    for k in range(2, most + 1):
        more = parted(rows, k, starts, random)
        if more.closest() >= alike or more.smallest() < least:
            break
        best = more
    return best
