"""The merge rule of replicas: every replica's change of a row is added to the row.

What: S replicas of a matrix begin equal, and each is trained on its own. A merge adds what all of them have changed to
the common rows, times a weight per row, and hands the result to every replica.

Objective, for a row b before the training and r_s its replica in shard s:

    b' = b + w sum_s (r_s - b),    r_s' = b'

with w = 1 where the changes are small enough to add up, as updates without locks do, down to w = 1/S, the mean, where
each replica has already moved as far as all of them should (`firth.embeddings.replicas` has the weights). The sum is
taken in the order of the shards, so its bits do not depend on who computes it.

Source: McMahan et al. 2017, "Communication-efficient learning of deep networks from decentralized data", algorithm 1,
for the mean; Niu et al. 2011, "Hogwild!", for the sum, whose changes are delayed instead of merged.

Cost: (S + 1) rows per row, of which the first cache lines alone tell that most rows have changed; 2 (S + 1) rows per
changed row.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.rows import FLOATS


@compiled
def merge_rows(
    common: npt.NDArray[np.float32],  # (R, P), updated in place
    replicas: npt.NDArray[np.float32],  # (S, R, P), updated in place
    rows: npt.NDArray[np.int32],  # those to merge
    weights: npt.NDArray[np.float32],  # (R,) w
) -> None:
    """Merge some rows of all replicas."""
    shards, width = len(replicas), common.shape[1]
    total = np.empty(width, dtype=np.float32)
    for i in range(len(rows)):
        row = rows[i]
        changed = False
        for s in range(shards):
            for j in range(FLOATS):
                changed |= replicas[s, row, j] != common[row, j]
        if not changed:  # the rest is read where the first cache lines are equal
            for s in range(shards):
                for j in range(FLOATS, width):
                    changed |= replicas[s, row, j] != common[row, j]
            if not changed:
                continue
        before = common[row]
        total[:] = 0
        for s in range(shards):
            own = replicas[s, row]
            for j in range(width):
                total[j] += own[j] - before[j]
        weight = weights[row]
        for j in range(width):
            before[j] += weight * total[j]
        for s in range(shards):
            own = replicas[s, row]
            for j in range(width):
                own[j] = before[j]
