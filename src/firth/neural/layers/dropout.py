"""Dropout in all the places where a recurrent model takes it.

What
    Noise in training that is gone in use: numbers set to zero (or, by zoneout, left at their last value) at random.
Objective
    Inverted dropout of rate p multiplies by m / (1 - p), m ~ Bernoulli(1 - p), so that the expectation is x and a model
    in use needs no scale. *Plain*: a fresh m for every number. *Locked* (variational): one m a sequence, the same at
    every step. *Weights*: m over the entries of a matrix. *Word types*: m over the rows of a table, so that all
    occurrences of a word in a batch go together.
Source
    Srivastava et al. 2014, section 4; Gal and Ghahramani 2016, section 4 (one mask a sequence for inputs, outputs and
    recurrent connections; word types; Monte Carlo dropout in section 3); Merity, Keskar and Socher 2018, section 3
    (weights, called DropConnect there); Krueger et al. 2017 (zoneout).
Departures
    Word types are drawn over the whole vocabulary for a batch, not for each sequence: one draw, and rows of a batch
    share it, as in AWD-LSTM.
    On a processor a rate is a whole number of parts in 65,536, and four masks' numbers come of one draw: torch's own
    take four to five times as long, a tenth of a transformer's training.
Cost
    One pass over what is dropped; a mask of weights is one pass over the matrix a batch.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn.functional import dropout

from firth.errors import OptionError
from firth.options import check, option, options_class

PARTS = 2**16  # a rate on a processor is so many parts of it


@options_class
class Dropouts:
    """The rates of a recurrent stack, each from 0 (none) to below 1.

    Raises:
        OptionError: a rate is out of its range.
    """

    inputs: float = option(0.0, "on what enters the first layer", minimum=0.0, maximum=0.99)
    layers: float = option(0.0, "on what goes from a layer to the next", minimum=0.0, maximum=0.99)
    outputs: float = option(0.0, "on what leaves the last layer", minimum=0.0, maximum=0.99)
    recurrent: float = option(0.0, "on the state in its product with weights, locked", minimum=0.0, maximum=0.99)
    weights: float = option(0.0, "on the entries of the recurrent weights", minimum=0.0, maximum=0.99)
    zoneout: float = option(
        0.0, "chance that a number of the state, in an LSTM of the cell, stays as it was", minimum=0.0, maximum=0.99
    )
    zoneout_output: float = option(0.0, "the same for an LSTM's output", minimum=0.0, maximum=0.99)
    locked: bool = option(False, "one mask a sequence instead of one a step")

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def plain(cls, rate: float) -> "Dropouts":
        """Return dropout of everything that is not recurrent, a fresh mask each step (Zaremba et al. 2014).

        Args:
            rate: of all of it.
        """
        return cls(inputs=rate, layers=rate, outputs=rate)

    @classmethod
    def variational(cls, rate: float) -> "Dropouts":
        """Return one mask a sequence for inputs, outputs and recurrent connections (Gal and Ghahramani 2016).

        Args:
            rate: of all of them.
        """
        return cls(inputs=rate, layers=rate, outputs=rate, recurrent=rate, locked=True)


def checked_rate(name: str, rate: float) -> float:
    """Return a rate of dropout.

    Args:
        name: of the option, for the message.
        rate: the share to drop.

    Raises:
        OptionError: the rate is not a number from 0 to below 1.
    """
    if not 0.0 <= rate < 1.0:
        raise OptionError(f"{name}={rate!r}: expected a share from 0 to below 1")
    return float(rate)


class DropoutMask(nn.Module):
    """A mask that is drawn in training mode alone: the one switch that `sampling` turns.

    Args:
        rate: the share to drop.

    Raises:
        OptionError: the rate is not a number from 0 to below 1.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = checked_rate("dropout", rate)

    @property
    def active(self) -> bool:
        """Whether anything is dropped now."""
        return self.training and self.rate > 0.0

    def forward(self, like: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor | None:
        """Return an inverted mask, or None where nothing is dropped.

        Args:
            like: whose type and device the mask has.
            shape: of the mask.

        Returns:
            numbers that are 0 or 1 / (1 - rate).
        """
        if not self.active:
            return None
        if like.device.type != "cpu":
            kept = torch.empty(shape, dtype=like.dtype, device=like.device)
            return kept.bernoulli_(1 - self.rate).div_(1 - self.rate)
        dropped = round(self.rate * PARTS)
        return (_parts(shape) >= dropped - PARTS // 2).to(like.dtype).div_(1 - self.rate)

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        return f"rate={self.rate}"


def _parts(shape: tuple[int, ...]) -> torch.Tensor:
    """Return random numbers from -PARTS / 2 to PARTS / 2 - 1, four out of one draw of 64 bits."""
    count = math.prod(shape)
    drawn = torch.empty(-(-count // 4), dtype=torch.int64).random_(-(2**63), None)
    return drawn.view(torch.int16)[:count].view(shape)


class Zoneout(nn.Module):
    """How much of the state before a step stays: all or nothing at random in training, the expectation in use.

    Args:
        rate: the chance that a number stays.

    Raises:
        OptionError: the rate is not a number from 0 to below 1.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = checked_rate("zoneout", rate)

    def forward(self, like: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor | None:
        """Return what is kept: 0 or 1 each in training, the rate in use; None where nothing ever is.

        Args:
            like: whose type and device it has.
            shape: of it.
        """
        if self.rate == 0.0:
            return None
        kept = torch.empty(shape, dtype=like.dtype, device=like.device)
        return kept.bernoulli_(self.rate) if self.training else kept.fill_(self.rate)

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        return f"rate={self.rate}"


class Dropout(nn.Module):
    """Inverted dropout of sequences.

    Args:
        rate: the share to drop.
        locked: whether a sequence has one mask, the same at every step.

    Raises:
        OptionError: the rate is not a number from 0 to below 1.
    """

    def __init__(self, rate: float, *, locked: bool = False) -> None:
        super().__init__()
        self.mask = DropoutMask(rate)
        self.locked = locked

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x with a share of its numbers zero and the rest scaled up.

        Args:
            x: (B, T, D), or any shape where the mask is not locked.
        """
        if not self.mask.active:
            return x
        if not self.locked and x.device.type != "cpu":
            return dropout(x, self.mask.rate, training=True)
        mask = self.mask(x, (x.shape[0], 1, x.shape[-1]) if self.locked else tuple(x.shape))
        return x if mask is None else x * mask


@contextmanager
def sampling(module: nn.Module) -> Iterator[None]:
    """Keep dropout on inside a block, whatever mode the module is in: Monte Carlo dropout.

    The mean of several predictions made so approximates the mean over the weights' posterior (Gal and Ghahramani 2016,
    section 3). Everything else, batch normalisation for one, stays in its mode.

    Args:
        module: whose dropout, torch's own included, is turned on.
    """
    noisy = [part for part in module.modules() if isinstance(part, DropoutMask | Zoneout | nn.Dropout)]
    modes = [part.training for part in noisy]
    try:
        for part in noisy:
            part.train()
        yield
    finally:
        for part, mode in zip(noisy, modes, strict=True):
            part.train(mode)
