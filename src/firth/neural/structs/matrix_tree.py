"""All dependency trees, crossing ones included: the log of the sum over them, marginals.

What
    The matrix-tree theorem: the sum over all spanning trees of the product of their arcs' weights is a determinant.
Objective
    With w(h, d) = exp s(h, d) and words 1 to n, the sum over the trees with one word below the root is

        Z = sum_r w(0, r) det L_r,   L(d, d) = sum_{h >= 1} w(h, d),   L(h, d) = -w(h, d),   L_r without row, column r

    It is computed by eliminating word after word, from n down to 2, without a subtraction:

        p_k = sum_{i < k} w(i, k)                           heads of k among the words that remain
        w(i, j) += w(i, k) w(k, j) / p_k                    i is the head of j, by way of k
        w(0, j) += w(0, k) w(k, j) / p_k
        Z = p_n ... p_2 w(0, 1)

Source
    Koo, Globerson, Carreras and Collins 2007, "Structured prediction models via the matrix-tree theorem", section 3;
    Alfa, Xue and Ye 2002, "Accurate computation of the smallest eigenvalue of a diagonally dominant M-matrix", for
    elimination without subtractions.
Departures
    Koo et al. compute the determinant of a matrix whose diagonal is a sum of weights: where a cycle of words outweighs
    all trees, its digits cancel. Here all terms are positive and in logarithms, in double precision.
Cost
    n^3 / 3 sums of exponentials per sentence, in n passes over the batch.
"""

import math

import torch

from firth.neural.structs.projective_trees import check_arcs

UNUSED = -1e9  # the score of arcs of positions without a word; their sums stay finite, and so do derivatives


def tree_log_partition(arcs: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return (B,) log sums of all trees with one word below the root, in double precision; -inf where there is none.

    Args:
        arcs: (B, n + 1, n + 1) scores of arcs from head to dependent; 0 is the root. -inf: not possible.
        lengths: (B,) words of each sentence, from 1 to n.
    """
    n = check_arcs(arcs, lengths)
    real = torch.arange(n + 1, device=arcs.device) <= lengths.unsqueeze(1)  # (B, n + 1)
    scores, possible = arcs.double(), arcs.detach() != -torch.inf
    finite = scores.detach()[possible]
    highest, lowest = (finite.max().item(), finite.min().item()) if len(finite) else (0.0, 0.0)
    # All trees with an arc of this score, fewer than (n + 1)^n, are a thousand nats below every tree of possible arcs.
    impossible = lowest - n * (highest - lowest) - n * math.log(n + 1) - 1000
    w = torch.where(possible, scores, impossible)
    w = torch.where(real.unsqueeze(1) & real.unsqueeze(2), w, UNUSED)
    total = torch.zeros_like(w[:, 0, 0])
    for k in range(n, 1, -1):
        to_k, from_k = w[:, :k, k], w[:, k, 1:k]
        p = torch.where(real[:, k], to_k[:, 1:].logsumexp(1), 0.0)
        total = total + p
        by_way = to_k.unsqueeze(2) + (from_k - p.unsqueeze(1)).unsqueeze(1)  # (B, k, k - 1)
        w = torch.cat([w[:, :k, :1], torch.logaddexp(w[:, :k, 1:k], by_way)], 2)
    total = total + w[:, 0, 1]
    return torch.where(total <= lengths * lowest - 500, -torch.inf, total)


def arc_marginals(arcs: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return (B, n + 1, n + 1) probabilities of the arcs; arguments as in `tree_log_partition`."""
    leaf = arcs.detach().requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(tree_log_partition(leaf, lengths).sum(), leaf)[0]
