"""Biaffine scores of pairs of vectors: arcs between words, and labels of arcs.

What
    A score for each pair of a head's and a dependent's vector, or L scores: of all pairs of two sequences, or of pairs
    that are given.
Objective
    s_l(h, d) = h' U_l d + u_l' h + v_l' d + b_l
    With h+ = [h; 1] and d+ = [d; 1] it is h+' W_l d+, and W_l holds all four; without v and b it is h' W_l d+.
Source
    Dozat and Manning 2017, "Deep biaffine attention for neural dependency parsing", equations 6 (arcs: U and u only)
    and 8 (labels).
Departures
    Weights start at zero, as in the authors' program: the first step depends on no chance.
Cost
    All pairs: 2 L n H D + 2 L n m D operations for n heads and m dependents. N given pairs: 2 L N H D + 2 L N D; the
    (N, L, D) products are in memory, so that labels are scored for one head of each word, not for all.
"""

import torch
from torch import nn
from torch.nn.functional import linear, pad

from firth.errors import OptionError


class Biaffine(nn.Module):
    """Biaffine scores of heads and dependents.

    Args:
        heads: H, width of the vectors of heads.
        dependents: D, width of the vectors of dependents.
        outputs: L, scores of each pair.
        dependent_bias: whether there are v and b; among the scores of one dependent they change nothing.

    Attributes:
        weight: (L, H + 1, D + 1), or (L, H, D + 1) without v and b; the last column of each matrix is u.
    """

    def __init__(self, heads: int, dependents: int, outputs: int = 1, *, dependent_bias: bool = True) -> None:
        super().__init__()
        if min(heads, dependents, outputs) < 1:
            raise OptionError(f"biaffine scores {heads} x {dependents} x {outputs}: expected at least 1 x 1 x 1")
        self.dependent_bias = dependent_bias
        self.weight = nn.Parameter(torch.zeros(outputs, heads + dependent_bias, dependents + 1))

    def forward(self, heads: torch.Tensor, dependents: torch.Tensor) -> torch.Tensor:
        """Return (B, L, n, m) scores of all pairs.

        Args:
            heads: (B, n, H).
            dependents: (B, m, D).
        """
        L, _, D = self.weight.shape
        (B, n, _), m = heads.shape, dependents.shape[1]
        projected = self._projected(heads).view(B, n * L, D)
        scores = torch.bmm(projected, _extended(dependents).to(projected.dtype).transpose(1, 2))
        return scores.view(B, n, L, m).transpose(1, 2)

    def pairs(self, heads: torch.Tensor, dependents: torch.Tensor) -> torch.Tensor:
        """Return (N, L) scores of N pairs.

        Args:
            heads: (N, H).
            dependents: (N, D), the other vector of each pair.
        """
        projected = self._projected(heads)  # (N, L, D + 1)
        return torch.bmm(projected, _extended(dependents).to(projected.dtype).unsqueeze(2)).squeeze(2)

    def _projected(self, heads: torch.Tensor) -> torch.Tensor:
        """Return (..., L, D + 1), h+' W_l for each head."""
        L, H, D = self.weight.shape
        left = _extended(heads) if self.dependent_bias else heads
        product = linear(left, self.weight.transpose(1, 2).reshape(L * D, H))
        return product.view(*heads.shape[:-1], L, D)

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        L, H, D = self.weight.shape
        return f"{H - self.dependent_bias} x {D - 1} -> {L}"


def _extended(x: torch.Tensor) -> torch.Tensor:
    return pad(x, (0, 1), value=1.0)
