"""Scans of similarity blocks: the neighbourhood of each row, and its best column by CSLS.

What: `neighbourhoods` finds the maximum and the mean of the k largest numbers of each row; `choose` finds the column of
greatest CSLS among randomly kept columns.

Objective: choose(i) = argmax_j 2 s_ij - r_j over the kept columns j, each kept with probability p.

Source: Conneau et al. 2018, "Word translation without parallel data", section 2.3 (CSLS); Artetxe, Labaka and Agirre
2018, "A robust self-learning method for fully unsupervised cross-lingual mappings", section 3.3 (the coin).

Departures: a column's coin is tossed only if the column beats the best so far; all coins are independent. A dropped
column is left out; in the paper its similarity becomes 0. If all are dropped, the row's choice is -1.

Cost: a pass over the block, which is still in the cache from its product, and about log(M) / p coins per row.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.random import draw

STEP = 16  # numbers compared at once: a vector's


@compiled
def neighbourhoods(
    scores: npt.NDArray[np.float32],  # (R, M)
    k: int,  # at least 1, at most M
    best: npt.NDArray[np.float32],  # (R,), written: the greatest of each row
    mean: npt.NDArray[np.float32],  # (R,), written: the mean of the k greatest
) -> None:
    """Write the best of each row and the mean of its k best."""
    rows, columns = scores.shape
    top = np.empty(k, dtype=np.float32)  # descending
    for i in range(rows):
        row = scores[i]
        top[:] = -np.inf
        for low in range(0, columns, STEP):
            high = min(low + STEP, columns)
            greatest = row[low]
            for j in range(low + 1, high):
                greatest = max(greatest, row[j])
            if greatest > top[k - 1]:
                for j in range(low, high):
                    value = row[j]
                    rank = k - 1
                    if value > top[rank]:
                        while rank > 0 and top[rank - 1] < value:
                            top[rank] = top[rank - 1]
                            rank -= 1
                        top[rank] = value
        best[i] = top[0]
        mean[i] = top.sum() / np.float32(k)


@compiled
def choose(
    scores: npt.NDArray[np.float32],  # (R, M)
    around: npt.NDArray[np.float32],  # (M,) r of the columns
    keep: float,  # p, from 0 to 1
    state: npt.NDArray[np.uint64],  # (1,) of the coin, updated in place
    choices: npt.NDArray[np.int64],  # (R,), written
) -> None:
    """Write each row's kept column of greatest CSLS; of equal ones the lower."""
    rows, columns = scores.shape
    threshold = np.uint64(min(keep, 1.0) * 4294967296.0)  # compared with the upper 32 bits
    for i in range(rows):
        best, column = np.float32(-np.inf), -1
        row = scores[i]
        for j in range(columns):
            value = np.float32(2.0) * row[j] - around[j]
            if value > best and (draw(state) >> np.uint64(32)) < threshold:
                best, column = value, j
        choices[i] = column
