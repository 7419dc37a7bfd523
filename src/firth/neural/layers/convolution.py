"""Convolutions over time: filters of several widths at once.

What
    Each filter reads windows of w steps. The sequence is extended by w - 1 steps of zeros on both sides, so that every
    step is read by w windows and a sequence of one step has windows, too.
Objective
    c_p = W [x_p; ...; x_{p+w-1}] + b for p = 2 - w .. n, with x_t = 0 outside 1 .. n.
Source
    Collobert et al. 2011, section 3.3.1; Kim 2014, section 2, equation 2; wide convolutions: Kalchbrenner, Grefenstette
    and Blunsom 2014, section 3.1.
Departures
    None. The activation is the caller's: a maximum over time may come first where the activation is monotone.
Cost
    w D F multiplications per step and width, in one matrix product.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn.functional import pad

from firth.errors import OptionError
from firth.neural.layers.masks import padding_mask


class Convolutions(nn.Module):
    """Filters of several widths over the same sequence.

    Args:
        width_in: D.
        filters: F, filters of each width.
    """

    def __init__(self, width_in: int, filters: int, widths: Sequence[int]) -> None:
        super().__init__()
        if not widths or min(*widths, filters, width_in) < 1:
            raise OptionError(f"filters={filters}, widths={list(widths)}: expected at least one, each at least 1")
        self.widths = tuple(widths)
        self.filters = nn.ModuleList(nn.Linear(w * width_in, filters) for w in self.widths)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Return for each width (B, T + w - 1, F) outputs and the (B,) numbers of windows, n + w - 1.

        Args:
            x: (B, T, D).
            lengths: (B,) int64, steps of each sequence.
        """
        widest, inside = max(self.widths) - 1, padding_mask(lengths, x.shape[1]).transpose(1, 2)
        padded = pad(x.masked_fill(~inside, 0.0), (0, 0, widest, widest))
        outputs = []
        for w, filters in zip(self.widths, self.filters, strict=True):
            first, windows = widest - (w - 1), x.shape[1] + w - 1
            inputs = torch.cat([padded[:, first + k : first + k + windows] for k in range(w)], dim=2)  # (B, P, w D)
            outputs.append((filters(inputs), lengths + w - 1))
        return outputs
