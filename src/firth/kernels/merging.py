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

Where replicas are in several processes, the same rule has three steps: each process collects the rows that its replicas
have changed, one process merges the lists, and every process takes the merged rows. The bits are those of `merge_rows`.

Cost: (S + 1) rows per row, of which the first cache lines alone tell that most rows have changed; 2 (S + 1) rows per
changed row. In several processes, a changed row is copied once when it is collected, and read once when it is merged.
"""

import numpy as np
import numpy.typing as npt
from numba import carray

from firth.kernels.compiled import compiled
from firth.kernels.native_calls import float32_pointer, int32_pointer, prefetch_row
from firth.kernels.rows import FLOATS

AHEAD = 2  # rows that are fetched before they are merged: without, most of the time is spent waiting for them


@compiled
def merge_rows(
    common: npt.NDArray[np.float32],  # (R, P), updated in place
    replicas: npt.NDArray[np.float32],  # (S, R, P), updated in place
    rows: npt.NDArray[np.int32],  # the rows to merge
    weights: npt.NDArray[np.float32],  # (R,) w
) -> None:
    """Merge some rows of all replicas."""
    shards, width = len(replicas), common.shape[1]
    size = width * common.itemsize
    matrix = len(common) * size
    first, first_replica = common.ctypes.data, replicas.ctypes.data
    total = np.empty(width, dtype=np.float32)
    for i in range(len(rows)):
        later = rows[min(i + AHEAD, len(rows) - 1)] * size
        prefetch_row(first + later, size)
        for s in range(shards):
            prefetch_row(first_replica + s * matrix + later, size)
        row = np.uint64(rows[i])  # an index without a sign needs no check
        changed = np.uint32(0)  # as wide as the numbers compared, so that LLVM compares vectors
        for s in range(shards):
            for j in range(FLOATS):
                changed |= np.uint32(replicas[s, row, j] != common[row, j])
            if changed == 0:  # the rest is read where the first cache lines are equal
                for j in range(FLOATS, width):
                    changed |= np.uint32(replicas[s, row, j] != common[row, j])
            if changed != 0:
                break
        if changed == 0:
            continue
        total[:] = 0
        for s in range(shards):
            for j in range(width):
                total[j] += replicas[s, row, j] - common[row, j]
        weight = weights[row]
        for j in range(width):
            total[j] = common[row, j] + weight * total[j]
            common[row, j] = total[j]
        for s in range(shards):
            for j in range(width):
                replicas[s, row, j] = total[j]


@compiled
def collect_rows(
    common: npt.NDArray[np.float32],  # (R, P)
    replica: npt.NDArray[np.float32],  # (R, P)
    due: npt.NDArray[np.int32],  # rows to look at
    rows: npt.NDArray[np.int32],  # receives those that differ; as long as `due`, or longer
    values: npt.NDArray[np.float32],  # receives the replica's rows
) -> int:
    """Copy the rows that a replica has changed, in the order of `due`; return their number."""
    count = 0
    for i in range(len(due)):
        row = np.uint64(due[i])
        changed = np.uint32(0)
        rows[count] = due[i]
        for j in range(common.shape[1]):  # copied in any case: most have changed
            own = replica[row, j]
            changed |= np.uint32(own != common[row, j])
            values[count, j] = own
        count += changed != 0
    return count


@compiled
def merge_lists(
    common: npt.NDArray[np.float32],  # (R, P), updated in place
    weights: npt.NDArray[np.float32],  # (R,) w
    lists: npt.NDArray[
        np.int64
    ],  # (S, 3) of each shard: addresses of its sorted rows and of their values, their number
    rows: npt.NDArray[np.int32],  # receives the merged rows, sorted
    values: npt.NDArray[np.float32],  # receives their values
) -> int:
    """Merge lists of changed rows; return the number of different rows."""
    shards, width, none = len(lists), common.shape[1], len(common)
    total = np.empty(width, dtype=np.float32)
    positions = np.zeros(shards, dtype=np.int64)
    heads = np.empty(shards, dtype=np.int64)  # the next row of each list
    for s in range(shards):
        heads[s] = carray(int32_pointer(lists[s, 0]), 1)[0] if lists[s, 2] > 0 else none
    count = 0
    while True:
        row = none
        for s in range(shards):
            row = min(row, heads[s])
        if row == none:
            return count
        total[:] = 0
        for s in range(shards):
            if heads[s] != row:  # it would add zeros
                continue
            length, position = lists[s, 2], positions[s]
            own = carray(float32_pointer(lists[s, 1]), (length, width))[position]
            for j in range(width):
                total[j] += own[j] - common[row, j]
            positions[s] = position + 1
            heads[s] = carray(int32_pointer(lists[s, 0]), length)[position + 1] if position + 1 < length else none
        weight = weights[row]
        rows[count] = row
        for j in range(width):
            value = common[row, j] + weight * total[j]
            common[row, j] = value
            values[count, j] = value
        count += 1


@compiled
def take_rows(
    common: npt.NDArray[np.float32],  # (R, P), updated in place
    replicas: npt.NDArray[np.float32],  # (S, R, P), updated in place
    rows: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],  # values of these rows
) -> None:
    """Set merged rows in the common parameters and in all replicas."""
    shards, width = len(replicas), common.shape[1]
    for i in range(len(rows)):
        row = rows[i]
        for j in range(width):
            common[row, j] = values[i, j]
        for s in range(shards):
            for j in range(width):
                replicas[s, row, j] = values[i, j]
