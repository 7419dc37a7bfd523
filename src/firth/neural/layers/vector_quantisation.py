"""Vector quantisation: a vector becomes the nearest row of a codebook, and gradients pass as if it had not.

What
    M slots with a codebook of K rows each. The forward pass replaces each vector by the nearest row of its slot; the
    gradient of what is read from the row goes to the vector unchanged (straight-through).
Objective
    k = argmin_j |z - e_j|^2;   loss = |sg(z) - e_k|^2 + b |z - sg(e_k)|^2   with sg the stop of gradients
Source
    Van den Oord, Vinyals and Kavukcuoglu 2017, "Neural discrete representation learning", section 3.2, equations 1 to
    3. Restarts of unused codes: Dhariwal et al. 2020, "Jukebox", section 3.1.
Departures
    Rows start as vectors of the first batch: random ones would be far from all of them. A row whose share of the use
    falls below `LEAST` / K becomes a vector of the batch (random restart), so that no code stays dead. The losses are
    sums over the width, not means.
Cost
    2 K D operations per slot and vector.
"""

import torch
from torch import nn

LEAST = 0.05  # of an equal share
DECAY = 0.98  # of the running shares, per batch


class VectorQuantiser(nn.Module):
    """Codebooks of M slots.

    Args:
        slots: M.
        codes: K.
        width: D, of a row.
        commitment: b, weight of the commitment loss.

    Attributes:
        rows: (M, K, D) codebooks.
        use: (M, K) running share of each code among those of its slot, in training; 0 before.
    """

    use: torch.Tensor

    def __init__(self, slots: int, codes: int, width: int, *, commitment: float = 0.25) -> None:
        super().__init__()
        self.commitment = commitment
        self.rows = nn.Parameter(torch.empty(slots, codes, width).normal_())
        self.register_buffer("use", torch.zeros(slots, codes))

    def nearest(self, z: torch.Tensor) -> torch.Tensor:
        """Return the (B, M) int64 codes of (B, M, D) vectors."""
        products = torch.einsum("bmd,mkd->bmk", z, self.rows)
        return (self.rows.square().sum(2) - 2 * products).argmin(2)

    def vectors(self, codes: torch.Tensor) -> torch.Tensor:
        """Return the (B, M, D) rows of (B, M) codes."""
        return self.rows[torch.arange(codes.shape[1], device=codes.device), codes]

    def forward(self, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, M, D) rows with the gradients of `z`, and the (B,) losses of codebook and commitment.

        In training mode, codes that are hardly used are restarted, by draws of torch's default generator.

        Args:
            z: (B, M, D) vectors.
        """
        codes = self.nearest(z.detach())
        if self.training:
            self._restart(z.detach(), codes)
            codes = self.nearest(z.detach())
        rows = self.vectors(codes)
        loss = (z.detach() - rows).square() + self.commitment * (z - rows.detach()).square()
        return z + (rows - z).detach(), loss.sum((1, 2))

    @torch.no_grad()
    def _restart(self, z: torch.Tensor, codes: torch.Tensor) -> None:
        first = ~self.use.any()  # batch: no row is a vector of one yet, however often it is the nearest
        used = torch.zeros_like(self.use).scatter_add_(1, codes.t(), torch.ones_like(codes.t(), dtype=self.use.dtype))
        self.use.lerp_(used / len(codes), 1 - DECAY)
        slots, dead = ((self.use < LEAST / self.use.shape[1]) | first).nonzero(as_tuple=True)
        if len(dead):
            drawn = torch.randint(len(z), (len(dead),)).to(z.device)
            self.rows[slots, dead] = z[drawn, slots].to(self.rows.dtype)
            self.use[slots, dead] = 1 / self.use.shape[1]
