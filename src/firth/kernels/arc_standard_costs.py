"""A dynamic oracle of arc-standard: the number of gold arcs that an action puts out of reach.

The remaining task in a state is to join the words on the stack and the gold subtrees of the buffer into one tree, from
the top of the stack outwards. The words of the buffer whose whole gold subtree lies in the buffer, and their head, too,
cost nothing: only the other ones, the fragments, take part.

    T[i, j](h)        fewest arcs lost by joining the i top words of the stack and the first j fragments below word h
    T[i+1, j](h)  <-  T[i, j](h) + [head of s is not h]    with s the word of the stack that is joined
    T[i+1, j](s)  <-  T[i, j](h) + [head of h is not s]

and T[i, j+1] with the next fragment in the same way. The last remaining word goes below the root.

Source: Goldberg, Sartorio and Satta 2014, "A tabular method for dynamic oracles in transition-based parsing", sections
4 and 5, algorithm 2. Departure: the root lies at the bottom of the stack and takes one word, the last. Cost: for m
words on the stack and r fragments m r (m + r) steps per state that an action leads to.
"""

import numpy as np

from firth.kernels.compiled import compiled
from firth.kernels.transitions import LEFT, NEXT, NONE, RIGHT, SHIFT, SIZE, STANDARD, WORDS, Ints, allowed

FAR = 1 << 20  # more arcs than a sentence has


@compiled
def standard_costs(
    gold: Ints,  # (n + 1,) heads of a projective tree
    stack: Ints,
    counts: Ints,
    heads: Ints,
    costs: Ints,  # (4,) written: of SHIFT, REDUCE, LEFT and RIGHT with the gold label; -1 where not allowed
) -> None:
    """Count the gold arcs that each action of arc-standard puts out of reach."""
    # As 64-bit numbers, like sums of them: else `_loss` would be compiled once for each mixture of widths.
    size, after, n = np.int64(counts[SIZE]), np.int64(counts[NEXT]), np.int64(counts[WORDS])
    costs[:] = NONE
    before = _loss(gold, stack, size, after, n)
    new = stack[: size + 1].copy()
    if allowed(STANDARD, SHIFT, stack, counts, heads):
        new[size] = after
        costs[SHIFT] = _loss(gold, new, size + 1, after + 1, n) - before
    if allowed(STANDARD, RIGHT, stack, counts, heads):
        top, below = stack[size - 1], stack[size - 2]
        costs[RIGHT] = _loss(gold, stack, size - 1, after, n) + (gold[top] != below) - before
    if allowed(STANDARD, LEFT, stack, counts, heads):
        top, below = stack[size - 1], stack[size - 2]
        new[size - 2] = top
        costs[LEFT] = _loss(gold, new, size - 1, after, n) + (gold[below] != top) - before


@compiled
def _fragments(gold: Ints, stack: Ints, size: int, after: int, n: int, fragments: Ints) -> int:
    """Write the words of the buffer that belong to no gold subtree of the buffer; return how many there are."""
    waits = np.zeros(n + 2, np.bool_)  # a word below it is on the stack
    for position in range(1, size):
        node = gold[stack[position]]
        while node >= after and not waits[node]:
            waits[node] = True
            node = gold[node]
    count = 0
    for word in range(after, n + 1):
        if waits[word] or gold[word] < after:
            fragments[count] = word
            count += 1
    return count


@compiled
def _loss(gold: Ints, stack: Ints, size: int, after: int, n: int) -> int:
    """The fewest gold arcs of words without a head that the rest of a sentence loses."""
    m = size - 1  # words on the stack, without the root
    nodes = np.empty(m + n + 1 - after, np.int32)  # the stack from its top, then fragments
    for i in range(m):
        nodes[i] = stack[size - 1 - i]
    r = _fragments(gold, stack, size, after, n, nodes[m:])
    total = m + r
    if total == 0:
        return 0
    table = np.full((m + 1, r + 1, total), FAR, np.int32)
    first = 1 if m else 0
    table[first, 1 - first, 0] = 0  # the top of the stack, or the first fragment
    for i in range(first, m + 1):
        for j in range(1 - first, r + 1):
            for k in range(total):
                lost = table[i, j, k]
                if lost < FAR:
                    for side in range(2):
                        right, down = i + 1 - side, j + side
                        if right > m or down > r:
                            continue
                        other = i if side == 0 else m + j
                        below = lost + (gold[nodes[other]] != nodes[k])
                        above = lost + (gold[nodes[k]] != nodes[other])
                        table[right, down, k] = min(table[right, down, k], below)
                        table[right, down, other] = min(table[right, down, other], above)
    best = FAR
    for k in range(total):
        best = min(best, table[m, r, k] + (gold[nodes[k]] != 0))
    return best
