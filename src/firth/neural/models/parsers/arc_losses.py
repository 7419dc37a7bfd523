"""Losses of scores of arcs: a head for each word, or a tree for each sentence.

What
    The negative log probability of the gold heads, where each word chooses its head for itself, or where the
    alternatives are whole trees, with or without crossing arcs.
Objective
    With s(h, d) the score of the arc from head h to word d, g(d) the gold head and 0 the root, the sum over sentences:

        cross-entropy   sum_d [ log sum_{h != d} exp s(h, d) - s(g(d), d) ]
        matrix-tree     log sum_{trees} exp sum_d s(h(d), d) - sum_d s(g(d), d)
        projective      the same over trees without crossing arcs
Source
    Dozat and Manning 2017, section 2.2 (cross-entropy); Koo, Globerson, Carreras and Collins 2007, section 4, and Ma
    and Hovy 2017, "Neural probabilistic model for non-projective MST parsing", section 3 (matrix-tree); Zhang, Li and
    Zhang 2020, "Efficient second-order TreeCRF for neural dependency parsing", section 3.2 (projective).
Departures
    Trees have one word below the root. No word is its own head in the cross-entropy.
Cost
    n^2 per sentence; `structs.matrix_tree` and `structs.projective_trees` for sums over trees, n^3.
"""

import torch
from torch.nn.functional import cross_entropy

from firth.neural.structs.matrix_tree import tree_log_partition
from firth.neural.structs.projective_trees import projective_total
from firth.neural.structs.semirings import LOG

LOSSES = ("cross-entropy", "matrix-tree", "projective")


def arc_loss(kind: str, arcs: torch.Tensor, heads: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return the loss of the heads of all words, a sum in nats.

    Args:
        kind: one of `LOSSES`; "projective" needs projective gold trees.
        arcs: (B, n + 1, n + 1) scores of arcs from head to dependent; 0 is the root.
        heads: (B, n) int64 gold heads, anything at padding.
        lengths: (B,) int64, words of each sentence.
    """
    lengths = lengths.to(arcs.device)
    real = torch.arange(heads.shape[1], device=arcs.device) < lengths.unsqueeze(1)  # (B, n)
    if kind == "cross-entropy":
        return _cross_entropy(arcs, heads, real)
    total = tree_log_partition(arcs, lengths) if kind == "matrix-tree" else projective_total(arcs, lengths, LOG)
    gold = arcs[:, :, 1:].gather(1, heads.unsqueeze(1)).squeeze(1)  # (B, n)
    return total.sum() - gold[real].sum()


def _cross_entropy(arcs: torch.Tensor, heads: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    rows, words = real.nonzero(as_tuple=True)
    scores = arcs[rows, :, words + 1]  # (N, n + 1)
    places = torch.arange(arcs.shape[1], device=arcs.device)
    no_head = (places > real.sum(1)[rows].unsqueeze(1)) | (places == (words + 1).unsqueeze(1))
    return cross_entropy(scores.masked_fill(no_head, -torch.inf), heads[rows, words], reduction="sum")
