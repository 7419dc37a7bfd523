"""The best dependency tree without crossing arcs (Eisner), with one word below the root.

What
    The tree whose arcs have the highest sum of scores; of equal ones any.
Objective
    The recurrence of `firth.neural.structs.projective_trees` with sums and maxima. Each span keeps where it was split
    best, and the heads are read from the whole sentence inwards. A span of words i to j, i < j, lies in one square
    table at [i, j] if its head is the left end i, and at [j, i] if it is the right end j.
Source
    Eisner 1996, "Three new probabilistic models for dependency parsing", section 4; Eisner 2000, "Bilexical grammars
    and their cubic-time parsing algorithms", section 4.
Departures
    Exactly one word below the root.
Cost
    n^3 / 2 sums and comparisons per sentence.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled

COMPLETE, OPEN = 0, 1  # kinds of spans; the other end of an open one is the newest dependent


@compiled
def best_projective_tree(
    arcs: npt.NDArray[np.float64],  # (n + 1, n + 1) scores of arcs from head to dependent, 0 the root
    heads: npt.NDArray[np.int64],  # (n + 1,) written: the head of each word, -1 of the root
) -> bool:
    """Find the best projective tree with one word below the root; return False if there is none."""
    N = len(arcs)
    complete, opened = np.full((N, N), -np.inf), np.full((N, N), -np.inf)  # scores of spans by head and other end
    by_end = np.full((N, N), -np.inf)  # complete spans by other end and head: all loops read along rows
    split = np.zeros((2, N, N), np.int64)
    for i in range(1, N):
        complete[i, i] = by_end[i, i] = 0.0
    for width in range(1, N - 1):
        for i in range(1, N - width):
            j = i + width
            best, best_split = -np.inf, i
            # open(i, j) = max_k complete(i, k) + complete(j, k + 1) + arc(i, j)
            for k in range(i, j):  # two complete spans, whose heads i and j will be joined
                score = complete[i, k] + complete[j, k + 1]
                if score > best:
                    best, best_split = score, k
            opened[i, j], opened[j, i] = best + arcs[i, j], best + arcs[j, i]
            split[OPEN, i, j] = split[OPEN, j, i] = best_split
            best, best_split = -np.inf, j
            # complete(i, j) = max_k open(i, k) + complete(k, j)
            for k in range(i + 1, j + 1):  # to the dependent k, and on from there
                score = opened[i, k] + by_end[j, k]
                if score > best:
                    best, best_split = score, k
            complete[i, j], by_end[j, i], split[COMPLETE, i, j] = best, best, best_split
            best, best_split = -np.inf, i
            for k in range(i, j):
                score = by_end[i, k] + opened[j, k]  # complete(j, i) = max_k complete(k, i) + open(j, k)
                if score > best:
                    best, best_split = score, k
            complete[j, i], by_end[i, j], split[COMPLETE, j, i] = best, best, best_split
    best, root = -np.inf, 0
    # The only word r below the root heads a complete span to each side.
    for r in range(1, N):
        score = complete[r, 1] + arcs[0, r] + complete[r, N - 1]
        if score > best:
            best, root = score, r
    heads[:] = -1
    if root == 0:
        return False
    heads[root] = 0
    # Spans that are still to be read: kind, head's end, other end. Each is shorter than the one it is a part of.
    spans = np.empty((4 * N, 3), np.int64)
    spans[0], spans[1] = (COMPLETE, root, 1), (COMPLETE, root, N - 1)
    count = 2
    while count:
        count -= 1
        kind, head, end = spans[count]
        if head == end:
            continue
        k = split[kind, head, end]
        if kind == OPEN:
            heads[end] = head
            left, right = min(head, end), max(head, end)
            spans[count], spans[count + 1] = (COMPLETE, left, k), (COMPLETE, right, k + 1)
        else:
            spans[count], spans[count + 1] = (OPEN, head, k), (COMPLETE, k, end)
        count += 2
    return True
