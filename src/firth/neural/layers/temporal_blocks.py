"""Temporal convolution blocks: narrow convolutions with batch normalisation, and pooling that halves a sequence.

What
    A block has two convolutions of width 3 that keep the length. Between levels of blocks a maximum halves the length,
    and the number of filters doubles.
Objective
    block     y = relu(N(C(relu(N(C x)))) + s(x)),   C a convolution without bias, N batch normalisation
              s(x) = 0 without shortcuts; x itself, or N(W x) where the width changes, with them
    halving   y_j = max(x_{2j-1}, x_{2j}, x_{2j+1}),   n' = ceil(n / 2)
Source
    Conneau, Schwenk, Barrault and LeCun 2017, "Very deep convolutional networks for text classification", sections 3.2
    and 3.3, figures 1 and 2; He et al. 2016 for shortcuts.
Departures
    The first convolution of a stack is normalised and followed by relu, too. All steps beyond a sequence's own count as
    zeros, and in no mean or variance: no sequence depends on the padding of its batch. Conneau et al. pad all texts to
    one length.
Cost
    3 D D' multiplications per step and convolution.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn.functional import pad, relu

from firth.neural.layers.masks import padding_mask
from firth.neural.layers.normalise import Normalise

WIDTH = 3  # steps that a filter reads


class NormalisedConvolution(nn.Module):
    """A convolution that keeps the length, and batch normalisation.

    Args:
        width_in: D.
        width: D'.
        steps: that a filter reads: 3, or 1 for a product of each step.
    """

    def __init__(self, width_in: int, width: int, steps: int = WIDTH) -> None:
        super().__init__()
        self.steps = steps
        self.filters = nn.Linear(steps * width_in, width, bias=False)
        nn.init.kaiming_normal_(self.filters.weight, nonlinearity="relu")
        self.norm = Normalise("batch", width)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D') of (B, T, D) x, both with zeros at padding."""
        if self.steps > 1:
            side = self.steps // 2
            wide = pad(x, (0, 0, side, side))
            x = torch.cat([wide[:, k : k + x.shape[1]] for k in range(self.steps)], dim=2)
        normalised: torch.Tensor = self.norm(self.filters(x), lengths)
        return normalised


class TemporalBlock(nn.Module):
    """Two convolutions with batch normalisation and relu.

    Args:
        width_in: D.
        width: D'.
        shortcut: whether the input is added before the last relu.
    """

    def __init__(self, width_in: int, width: int, *, shortcut: bool = False) -> None:
        super().__init__()
        self.first, self.second = NormalisedConvolution(width_in, width), NormalisedConvolution(width, width)
        self.shortcut = shortcut
        self.project = NormalisedConvolution(width_in, width, 1) if shortcut and width_in != width else None

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D') of (B, T, D) x, both with zeros at padding."""
        y: torch.Tensor = self.second(relu(self.first(x, lengths)), lengths)
        if self.shortcut:
            y = y + (x if self.project is None else self.project(x, lengths))
        return relu(y)


def halved(x: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (B, T', D) maxima over three steps each, and the (B,) halved lengths.

    Args:
        x: (B, T, D), not negative, with zeros at padding.
        lengths: (B,) int64.
    """
    x = pad(x, (0, 0, 1, x.shape[1] % 2))  # zeros are no maximum of what relu returns
    result = torch.maximum(torch.maximum(x[:, 0:-1:2], x[:, 1::2]), x[:, 2::2])
    lengths = (lengths + 1) // 2
    # A window that begins inside a sequence may be the first one beyond its halved length.
    return result[:, : int(lengths.max())].masked_fill(~_inside(lengths), 0.0), lengths


def _inside(lengths: torch.Tensor) -> torch.Tensor:
    return padding_mask(lengths, int(lengths.max())).transpose(1, 2)  # (B, T, 1)


class TemporalStack(nn.Module):
    """Levels of temporal blocks; the sequence is halved and the filters are doubled between levels.

    Args:
        width_in: D.
        shortcuts: whether blocks have shortcuts.

    Attributes:
        width: filters of the last level.
    """

    def __init__(self, width_in: int, width: int, blocks: Sequence[int], *, shortcuts: bool = False) -> None:
        super().__init__()
        self.first = NormalisedConvolution(width_in, width)
        self.levels = nn.ModuleList()
        before = width
        for level, count in enumerate(blocks):
            wide = width << level
            self.levels.append(
                nn.ModuleList(
                    TemporalBlock(wide if number else before, wide, shortcut=shortcuts) for number in range(count)
                )
            )
            before = wide
        self.width = before

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T', D') outputs and the (B,) lengths of their sequences.

        Args:
            x: (B, T, D); padding does not matter.
            lengths: (B,) int64, at least 1.
        """
        x = x.masked_fill(~padding_mask(lengths, x.shape[1]).transpose(1, 2), 0.0)
        x = relu(self.first(x, lengths))
        for number, blocks in enumerate(self.levels):
            if number:
                x, lengths = halved(x, lengths)
            for block in blocks:  # type: ignore[attr-defined]  # a list of modules, for torch a module
                x = block(x, lengths)
        return x, lengths
