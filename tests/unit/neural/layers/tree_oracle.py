"""Trees drawn at random, and Tree-LSTMs as the paper's equations read: one node at a time, by recursion."""

import numpy as np
import torch

from firth.neural.layers.tree_levels import tree_levels


def random_trees(seed, sizes=(1, 2, 7, 12, 5), children=2):
    """Parents of trees whose nodes have at most so many children, with nodes in any order."""
    random = np.random.default_rng(seed)
    trees = []
    for size in sizes:
        parents, free = [-1], [0] * children
        for node in range(1, size):
            parents.append(free.pop(random.integers(len(free))))
            free.extend([node] * children)
        order = random.permutation(size)  # new number of each node
        shuffled = np.empty(size, dtype=np.int64)
        for node, parent in enumerate(parents):
            shuffled[order[node]] = -1 if parent < 0 else order[parent]
        trees.append(shuffled)
    return trees


def recursive(layer, parents, vectors):
    """Return h and c of every node of one tree; `vectors` has one row or None per node."""
    H = layer.width
    kids = [np.flatnonzero(np.asarray(parents) == node).tolist() for node in range(len(parents))]
    W, b, U = layer.weight_ih, layer.bias, layer.weight_hh
    states = {}

    def node(j):
        for k in kids[j]:
            node(k)
        x = b if vectors[j] is None else W @ vectors[j] + b
        u, i, o, f = x.split(H)
        zero = torch.zeros_like(u)
        if layer.max_children is None:
            total = sum((states[k][0] for k in kids[j]), zero)
            u, i, o = (part + block @ total for part, block in zip((u, i, o), U[: 3 * H].split(H), strict=True))
            forget = [f + U[3 * H :] @ states[k][0] for k in kids[j]]
        else:
            hidden = [states[k][0] for k in kids[j]]
            joined = torch.cat([*hidden, *[zero] * (layer.max_children - len(hidden))])
            u, i, o, *places = (
                part + block @ joined
                for part, block in zip((u, i, o, *[f] * layer.max_children), U.split(H), strict=True)
            )
            forget = places[: len(hidden)]
        c = i.sigmoid() * u.tanh()
        for k, gate in zip(kids[j], forget, strict=True):
            c = c + gate.sigmoid() * states[k][1]
        states[j] = o.sigmoid() * c.tanh(), c

    node(list(parents).index(-1))
    return [torch.stack([states[j][part] for j in range(len(parents))]) for part in (0, 1)]


def batched(layer, trees, vectors, has_word=None):
    """Return h and c of the nodes of a batch in the order of the trees; `vectors` has a row per node."""
    levels = tree_levels(trees)
    if has_word is None:
        h, c = layer(vectors[levels.nodes], levels)
    else:
        words = torch.nonzero(has_word[levels.nodes]).flatten()
        h, c = layer(vectors[levels.nodes[words]], levels, words)
    return h[levels.rows], c[levels.rows]
