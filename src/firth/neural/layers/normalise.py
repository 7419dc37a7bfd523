"""Numbers brought to mean 0 and spread 1, then scaled and moved as is learnt.

What
    Normalisation of what enters a layer: over each step's own numbers, or over all steps of a batch.
Objective
    y = a * (x - mean) / sqrt(variance + e) + b; "layer": over the D numbers of a step; "batch": each number over the
    steps of the batch, in use over a running average of what training saw.
Source
    Ba, Kiros and Hinton 2016, equation 4; Ioffe and Szegedy 2015, algorithm 1.
Departures
    "batch" leaves steps behind a sequence's end out, so that no sequence depends on its neighbours' padding.
Cost
    A few passes over the numbers. Norms inside a cell, on U h, would cost a call a step and torch's kernels.
"""

import torch
from torch import nn

from firth.errors import OptionError

NORMS = ("none", "layer", "batch")


class Normalise(nn.Module):
    """One way of normalising sequences.

    Args:
        kind: "none", "layer" or "batch".
        width: D.

    Raises:
        OptionError: no such kind.
    """

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        if kind not in NORMS:
            raise OptionError(f"normalise={kind!r}: expected one of {', '.join(NORMS)}")
        self.over_steps = kind == "batch"
        norms = {"none": nn.Identity, "layer": nn.LayerNorm, "batch": nn.BatchNorm1d}
        self.norm = norms[kind](width)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """Return x normalised.

        Args:
            x: (B, T, D).
            lengths: (B,) int64, steps of each sequence; None where all have T.
        """
        if not self.over_steps:
            even: torch.Tensor = self.norm(x)
            return even
        steps = torch.arange(x.shape[1], device=x.device)
        real = slice(None) if lengths is None else (steps < lengths.to(x.device).unsqueeze(1)).flatten()
        flat = x.flatten(0, 1)
        whole = torch.zeros_like(flat)
        whole[real] = self.norm(flat[real]).to(whole.dtype)
        return whole.view_as(x)
