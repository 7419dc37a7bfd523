"""Layer and batch normalisation of sequences.

What
    Normalisation of the input of a layer: over the units of each step, or over all steps of a batch.
Objective
    y = a * (x - mean) / sqrt(variance + e) + b; "layer": over the D units of a step; "batch": each unit over the
    steps of the batch, in evaluation with running averages of training.
Source
    Ba, Kiros and Hinton 2016, equation 4; Ioffe and Szegedy 2015, algorithm 1.
Departures
    "batch" leaves out padding, so that no sequence depends on the lengths of the others. A batch of a single step has
    no variance, and is normalised by the running averages.
Cost
    A few passes over the data. Normalisation inside a cell, of U h, would cost a call per step and torch's kernels.
"""

import torch
from torch import nn
from torch.nn.functional import batch_norm

from firth.errors import OptionError

NORMS = ("none", "layer", "batch")


class Normalise(nn.Module):
    """Normalisation of sequences.

    Args:
        kind: "none", "layer" or "batch".
        width: D.
    """

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        if kind not in NORMS:
            raise OptionError(f"normalise={kind!r}: expected one of {', '.join(NORMS)}")
        self.over_steps = kind == "batch"
        norms = {"none": nn.Identity, "layer": nn.LayerNorm, "batch": nn.BatchNorm1d}
        self.norm = norms[kind](width)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """Return normalised (B, T, D) x.

        Args:
            x: (B, T, D).
            lengths: (B,) int64, steps of each sequence; None if all have T.
        """
        if not self.over_steps:
            normalised: torch.Tensor = self.norm(x)
            return normalised
        steps = torch.arange(x.shape[1], device=x.device)
        real = slice(None) if lengths is None else (steps < lengths.to(x.device).unsqueeze(1)).flatten()
        flat = x.flatten(0, 1)
        result = torch.zeros_like(flat)
        rows, norm = flat[real], self.norm
        if self.training and len(rows) == 1:
            assert isinstance(norm, nn.BatchNorm1d)
            steps_of_one = batch_norm(rows, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps)
            result[real] = steps_of_one.to(result.dtype)
        else:
            result[real] = norm(rows).to(result.dtype)
        return result.view_as(x)
