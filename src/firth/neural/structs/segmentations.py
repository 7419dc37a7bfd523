"""Segmentations of a sequence into labelled pieces: sums over all of them, the best, marginals.

What
    Pieces of 1 to L tokens follow each other without a gap; each has one of K labels and a score of its own. This is
    for semi-Markov random fields, lattices of words, unigram tokenisation.
Objective
    With s_t(l, k) the score of a piece of l tokens that ends with token t (the last is T) and has label k, and A_jk
    that of label k after label j:

        alpha_0(k) = b_k                                  b: scores of the first piece's label
        alpha_t(k) = (+)_l [(+)_j alpha_{t-l}(j) (x) A_jk] (x) s_t(l, k)      (b_k in place of [...] where t = l)
        total      = (+)_k alpha_T(k) (x) z_k

    where (x) and (+) are "times" and "plus" of a semiring (`structs.semirings`).
Source
    Sarawagi and Cohen 2004, "Semi-Markov conditional random fields for information extraction", section 2.2.
Cost
    T B K (K + L) times and plus for batches of B sequences.
"""

from typing import NamedTuple

import torch

from firth.neural.structs.chains import check_shapes
from firth.neural.structs.semirings import Semiring, Values


class Segments(NamedTuple):
    """Scores of all segmentations of a batch.

    Attributes:
        pieces: (B, T, L, K) scores of the pieces that end with each token, by their length less 1 and their label;
            those that would begin before the first token are not read.
        transitions: (K, K) scores of label k after label j.
        first: (K,) scores of the first label.
        last: (K,) scores of the last label.
        lengths: (B,) tokens of each sequence, from 1 to T.
    """

    pieces: torch.Tensor
    transitions: torch.Tensor
    first: torch.Tensor
    last: torch.Tensor
    lengths: torch.Tensor


def segments_total(segments: Segments, ring: Semiring) -> Values:
    """Return the (B, ...) values of all segmentations together."""
    B, T, L, K = segments.pieces.shape
    check_shapes(segments.pieces[:, :, 0, 0], K, segments[1:])
    pieces, transitions = ring.values(segments.pieces), ring.values(segments.transitions)
    first = ring.values(segments.first.expand(B, K))
    before = [first]  # before[t]: (B, K, ...) all that a piece that begins with token t follows, by its label
    total = ring.zeros_like(segments.pieces[:, 0, 0])
    for t in range(1, T + 1):
        longest = min(L, t)
        starts = torch.stack([before[t - length] for length in range(1, longest + 1)], 1)  # (B, l, K, ...)
        alpha = ring.plus(ring.times(starts, pieces[:, t - 1, :longest]), 1)
        ends = (segments.lengths == t).view(-1, *[1] * (alpha.dim() - 1))
        total = torch.where(ends, alpha, total)
        before.append(ring.plus(ring.times(alpha.unsqueeze(2), transitions), 1))
    return ring.plus(ring.times(total, ring.values(segments.last)), 1)


def piece_gradients(segments: Segments, ring: Semiring) -> torch.Tensor:
    """Return the (B, T, L, K) derivatives of the totals with respect to the scores of pieces.

    They are the probabilities of pieces (LOG), or 1 for those of the best segmentation (MAX) or of one drawn (Sample).
    """
    leaf = segments.pieces.detach().requires_grad_()
    with torch.enable_grad():
        total = segments_total(Segments(leaf, *(part.detach() for part in segments[1:])), ring).sum()
    return torch.autograd.grad(total, leaf)[0]
