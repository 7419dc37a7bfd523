"""The best dependency tree of a sentence, crossing arcs allowed (Chu-Liu/Edmonds), with one word below the root.

Each node takes its best head. A cycle becomes one node: an arc that enters it at v gains its score less that of the
cycle's arc to v, which it replaces. Without a cycle left, the cycles are opened again, the last one first, where the
arc into them enters. One word below the root: all arcs from the root lose a constant that outweighs every other
difference, so that the best tree has as few of them as there can be.

Source: Chu and Liu 1965; Edmonds 1967, "Optimum branchings"; McDonald, Pereira, Ribarov and Hajic 2005, "Non-projective
dependency parsing using spanning tree algorithms", figure 3. Cost: n^2, and n k for each cycle of k nodes.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled


@compiled
def best_tree(
    arcs: npt.NDArray[np.float64],  # (n + 1, n + 1) scores of arcs from head to dependent, 0 the root; overwritten
    heads: npt.NDArray[np.int64],  # (n + 1,) written: the head of each word, -1 of the root
) -> bool:
    """Find the best tree with one word below the root; return False if there is none."""
    N = len(arcs)
    lowest, highest = np.inf, -np.inf
    for head in range(N):
        for word in range(1, N):
            if head != word and arcs[head, word] > -np.inf:
                lowest, highest = min(lowest, arcs[head, word]), max(highest, arcs[head, word])
    heads[:] = -1
    if not highest > -np.inf:
        return False
    arcs[0, :] -= (highest - lowest + 1.0) * N

    nodes = np.arange(N)  # remaining nodes; the root is the first
    name = np.arange(N)  # number of each node, or of the cycle that it represents
    inside = np.full(2 * N, -1)  # the cycle that a node or a cycle became a part of
    head_of = np.empty((N, N), np.int64)  # the words that each arc between nodes joins
    word_of = np.empty((N, N), np.int64)
    for head in range(N):
        head_of[head, :] = head
        word_of[head, :] = np.arange(N)
    best = np.full(N, -1)
    # Of each cycle: its members' names, and the words joined by the cycle's arc to each; cycles follow each other.
    members, cycle_heads, cycle_words = np.empty(2 * N, np.int64), np.empty(2 * N, np.int64), np.empty(2 * N, np.int64)
    starts = np.zeros(N + 1, np.int64)
    cycles = 0
    seen = np.zeros(N, np.int64)
    in_cycle = np.zeros(N, np.bool_)
    entered = np.full(2 * N, -1)  # for each cycle, the member at which the arc into it ends
    changed = nodes[1:]
    while True:
        for v in changed:
            best[v] = -1
            for u in nodes:
                if u != v and arcs[u, v] > -np.inf and (best[v] < 0 or arcs[u, v] > arcs[best[v], v]):
                    best[v] = u
            if best[v] < 0:
                return False
        # A walk from head to head ends at the root, at a node of an earlier walk, or in a cycle.
        seen[:] = 0
        entry = -1
        for walk in range(1, len(nodes)):
            v = int(nodes[walk])
            while v != 0 and seen[v] == 0:
                seen[v] = walk
                v = int(best[v])
            if v != 0 and seen[v] == walk:
                entry = v
                break
        if entry < 0:
            break
        in_cycle[:] = False
        end = starts[cycles]
        v = entry
        while not in_cycle[v]:
            in_cycle[v] = True
            members[end], cycle_heads[end], cycle_words[end] = name[v], head_of[best[v], v], word_of[best[v], v]
            inside[name[v]] = N + cycles
            end += 1
            v = int(best[v])
        starts[cycles + 1] = end
        # The cycle takes the place of `entry`.
        inner = nodes[in_cycle[nodes]]
        own = np.zeros(N)
        for v in inner:
            own[v] = arcs[best[v], v]
        for u in nodes:
            if not in_cycle[u]:
                to_score, from_score, to, start = -np.inf, -np.inf, entry, entry
                for v in inner:
                    # Into the cycle at v: arc(u, v) replaces v's own arc in it. Out of it: the best arc of a member.
                    if arcs[u, v] - own[v] > to_score:
                        to_score, to = arcs[u, v] - own[v], int(v)
                    if arcs[v, u] > from_score:
                        from_score, start = arcs[v, u], int(v)
                head_of[u, entry], word_of[u, entry], arcs[u, entry] = head_of[u, to], word_of[u, to], to_score
                head_of[entry, u], word_of[entry, u], arcs[entry, u] = head_of[start, u], word_of[start, u], from_score
                if u != 0 and in_cycle[best[u]]:
                    best[u] = entry  # with the same score
        name[entry] = N + cycles
        cycles += 1
        in_cycle[entry] = False
        nodes = nodes[~in_cycle[nodes]]
        changed = np.array([entry])
    for v in nodes[1:]:
        word = word_of[best[v], v]
        heads[word] = head_of[best[v], v]
        while inside[word] >= 0:
            entered[inside[word]] = word
            word = inside[word]
    # Cycles are opened from the last: all members but the one entered keep the cycle's arc.
    for cycle in range(cycles - 1, -1, -1):
        for member in range(starts[cycle], starts[cycle + 1]):
            if members[member] != entered[N + cycle]:
                word = cycle_words[member]
                heads[word] = cycle_heads[member]
                while inside[word] != N + cycle:
                    entered[inside[word]] = word
                    word = inside[word]
    below_root = 0
    for word in range(1, N):
        below_root += heads[word] == 0
    return below_root == 1
