"""The consensus of runs: each rotated onto their mean, then averaged.

What: two trainings of one model differ by a rotation besides chance, so that their vectors cannot be averaged as they
are. Each run is centred and rotated onto the mean of all, which changes with it, until it stays.

Objective: orthogonal Q_r that make sum_r |X_r Q_r - M|^2 least, M = 1/R sum_r X_r Q_r; for a given M, Q_r = U V^T with
U S V^T = X_r^T M. X_r are the centred vectors of the words that all runs have, and a word that some lack has the mean
of the others.

Source: Schönemann 1966, "A generalized solution of the orthogonal Procrustes problem", equation 2.5; Gower 1975,
"Generalized Procrustes analysis", sections 2 and 3, without scaling.

Departures: runs are not scaled: those of one model have the same size.

Cost: per round 4 R V D^2 flops, and one run as float32 at a time; two to five rounds.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ROUNDS = 10
STILL = 1e-4  # relative change of the mean at which the rounds end


def consensus(
    number: int, matrix: Callable[[int], npt.NDArray[np.float32]], present: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float32]:
    """Return the mean of rotated runs, (V, D) float32; zeros for words that no run has.

    Args:
        number: R.
        matrix: returns the vectors (V, D) of a run.
        present: (R, V) which words a run has.
    """
    shared = present.all(axis=0)
    if not shared.any():
        shared = present.any(axis=0)

    def centred(run: int) -> npt.NDArray[np.float32]:
        rows = matrix(run)
        centre = rows[shared & present[run]].mean(axis=0, dtype=np.float64)
        rows[present[run]] -= centre.astype(np.float32)
        rows[~present[run]] = 0
        return rows

    mean = centred(0)
    counts = np.maximum(present.sum(axis=0), 1).astype(np.float32)[:, None]
    for _ in range(ROUNDS if number > 1 else 0):
        total = np.zeros_like(mean)
        for run in range(number):
            rows = centred(run)
            total += rows @ _rotation(rows[shared], mean[shared])
        total /= counts
        change, size = np.linalg.norm(total[shared] - mean[shared]), np.linalg.norm(mean[shared])
        mean = total
        if change <= STILL * size:
            break
    return mean


def _rotation(x: npt.NDArray[np.float32], z: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the orthogonal map of `x` (P, D) that is nearest to `z` (P, D)."""
    u, _, vt = np.linalg.svd((x.T @ z).astype(np.float64))
    return np.asarray(u @ vt, dtype=np.float32)
