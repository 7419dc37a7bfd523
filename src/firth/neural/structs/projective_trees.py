"""Projective dependency trees: sums over all of them, the best score, marginals.

What
    Every word has one head, another word or the root, and no two arcs cross. A tree's score is the sum of its arcs'
    scores (Eisner's algorithm).
Objective
    With s(h, d) the score of the arc from head h to word d, of words 1 to n; R and L are spans whose head is their left
    and their right end, complete (C) or with the other end as the newest dependent (I):

        I_R[i, j] = s(i, j) (x) X,   I_L[i, j] = s(j, i) (x) X,   X = (+)_{i <= k < j} C_R[i, k] (x) C_L[k + 1, j]
        C_R[i, j] = (+)_{i < k <= j} I_R[i, k] (x) C_R[k, j]
        C_L[i, j] = (+)_{i <= k < j} C_L[i, k] (x) I_L[k, j],     C[i, i] = 1
        total     = (+)_r C_L[1, r] (x) s(0, r) (x) C_R[r, n]     one word below the root

    where (x) and (+) are "times" and "plus" of a semiring (`structs.semirings`).
Source
    Eisner 1996, "Three new probabilistic models for dependency parsing", section 4; Eisner 2000, "Bilexical grammars
    and their cubic-time parsing algorithms", section 4.
Departures
    Exactly one word below the root, as in Universal Dependencies.
Cost
    n^3 / 3 times and plus per sentence, in n passes over the spans of one width of the whole batch. The best tree is
    found in a compiled loop, `kernels.projective_trees`.
"""

import torch

from firth.errors import ShapeError
from firth.neural.structs.semirings import Semiring, Values


def projective_total(arcs: torch.Tensor, lengths: torch.Tensor, ring: Semiring) -> Values:
    """Return the (B, ...) values of all projective trees with one word below the root.

    Args:
        arcs: (B, n + 1, n + 1) scores of arcs from head to dependent; 0 is the root.
        lengths: (B,) words of each sentence, from 1 to n.
    """
    n = check_arcs(arcs, lengths)
    scores = ring.values(arcs)
    words = torch.arange(1, n + 1, device=arcs.device)
    # Spans by width: entry w of a list holds those of w + 1 words, (B, n - w, ...), by their first word.
    complete_r = [ring.ones_like(arcs[:, 0, 1:])]
    complete_l = [ring.ones_like(arcs[:, 0, 1:])]
    open_r, open_l = [complete_r[0]], [complete_l[0]]  # open spans have two words or more: entry 0 is not used
    for width in range(1, n):
        count = n - width
        left, right = words[:count], words[width:]
        inside = _joined(ring, complete_r, complete_l, width, range(width), gap=1)
        open_r.append(ring.times(scores[:, left, right], inside))
        open_l.append(ring.times(scores[:, right, left], inside))
        complete_r.append(_joined(ring, open_r, complete_r, width, range(1, width + 1)))
        complete_l.append(_joined(ring, complete_l, open_l, width, range(width)))
    roots, below_left = scores[:, 0, 1:], torch.stack([spans[:, 0] for spans in complete_l], 1)
    total = ring.zeros_like(arcs[:, 0, 0])
    for n in sorted(set(lengths.tolist())):
        below_right = torch.stack([complete_r[n - r][:, r - 1] for r in range(1, n + 1)], 1)
        trees = ring.times(ring.times(below_left[:, :n], roots[:, :n]), below_right)
        of_n = ring.plus(trees, 1)
        total = torch.where((lengths == n).view(-1, *[1] * (of_n.dim() - 1)), of_n, total)
    return total


def _joined(
    ring: Semiring, lefts: list[Values], rights: list[Values], width: int, splits: range, gap: int = 0
) -> Values:
    """Spans of one width from two parts: of width k at the left, and from k + gap words further on at the right."""
    count = lefts[0].shape[1] - width
    first = torch.stack([lefts[k][:, :count] for k in splits], 1)
    second = torch.stack([rights[width - gap - k][:, k + gap : k + gap + count] for k in splits], 1)
    return ring.plus(ring.times(first, second), 1)


def check_arcs(arcs: torch.Tensor, lengths: torch.Tensor) -> int:
    """Return n, the words of the longest sentence that the scores of arcs have room for."""
    shape = tuple(arcs.shape)
    if len(shape) != 3 or shape[1] != shape[2] or shape[1] < 2 or lengths.shape != shape[:1]:
        raise ShapeError(
            f"scores of arcs {shape} for {tuple(lengths.shape)} lengths: expected (B, n + 1, n + 1) and (B,)"
        )
    if len(lengths) and not 1 <= int(lengths.min()) <= int(lengths.max()) < shape[1]:
        raise ShapeError(f"lengths {int(lengths.min())} to {int(lengths.max())}: expected 1 to {shape[1] - 1} words")
    return shape[1] - 1
