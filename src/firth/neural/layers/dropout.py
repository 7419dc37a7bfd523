"""Dropout of every kind that recurrent models use.

What
    Random masks in training: numbers are set to zero, or, by zoneout, keep their last value.
Objective
    Inverted dropout of rate p multiplies by m / (1 - p), m ~ Bernoulli(1 - p), so that the expectation is x and
    evaluation needs no scale. *Plain*: a new m for every number. *Locked* (variational): one m per sequence, the same
    at every step. *Weights*: m over the entries of a matrix. *Word types*: m over the rows of a table, so that all
    occurrences of a word in a batch are dropped together. *Parts*: m per word and part of its vector (its form, its
    tag); the parts that stay are scaled by the number of all parts over that of those.
Source
    Srivastava et al. 2014, section 4; Gal and Ghahramani 2016, section 4 (one mask a sequence for inputs, outputs and
    recurrent connections; word types; Monte Carlo dropout in section 3); Merity, Keskar and Socher 2018, section 3
    (weights, called DropConnect there); Krueger et al. 2017 (zoneout); Dozat and Manning 2017, section 3.1 (parts).
Departures
    Word types are sampled over the whole vocabulary once per batch, not per sequence, as in AWD-LSTM.
    On the CPU a rate is a whole number of parts in 65,536, and one random number of 64 bits gives four entries of a
    mask: torch's own masks take four to five times as long, a tenth of the training of a transformer.
Cost
    One pass over the data; for a mask of weights, one pass over the matrix per batch.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn.functional import dropout

from firth.errors import OptionError
from firth.options import option, options_class

PARTS = 2**16  # resolution of rates on the CPU


@options_class
class Dropouts:
    """Dropout rates of a recurrent stack, each from 0 (none) to below 1.

    Raises:
        OptionError: a rate is out of its range.
    """

    inputs: float = option(0.0, "dropout of the input of the first layer", minimum=0.0, maximum=0.99)
    layers: float = option(0.0, "dropout between layers", minimum=0.0, maximum=0.99)
    outputs: float = option(0.0, "dropout of the output of the last layer", minimum=0.0, maximum=0.99)
    recurrent: float = option(
        0.0, "dropout of the state in its product with the recurrent weights, locked", minimum=0.0, maximum=0.99
    )
    weights: float = option(
        0.0, "weight dropping: dropout of the entries of the recurrent weights", minimum=0.0, maximum=0.99
    )
    zoneout: float = option(
        0.0,
        "zoneout: probability that a unit of the state (in an LSTM, of the cell) keeps its value",
        minimum=0.0,
        maximum=0.99,
    )
    zoneout_output: float = option(0.0, "zoneout of the output of an LSTM", minimum=0.0, maximum=0.99)
    locked: bool = option(False, "one mask per sequence instead of one per step")

    @classmethod
    def plain(cls, rate: float) -> "Dropouts":
        """Return dropout with a new mask per step, except on recurrent connections (Zaremba et al. 2014)."""
        return cls(inputs=rate, layers=rate, outputs=rate)

    @classmethod
    def variational(cls, rate: float) -> "Dropouts":
        """Return one mask per sequence for inputs, outputs and recurrent connections (Gal and Ghahramani 2016)."""
        return cls(inputs=rate, layers=rate, outputs=rate, recurrent=rate, locked=True)


def checked_rate(name: str, rate: float) -> float:
    """Return a dropout rate; `name` is for the message."""
    if not 0.0 <= rate < 1.0:
        raise OptionError(f"{name}={rate!r}: expected a rate from 0 to below 1")
    return float(rate)


class DropoutMask(nn.Module):
    """Random mask of inverted dropout, in training mode only; `sampling` switches it on in evaluation."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = checked_rate("dropout", rate)

    @property
    def active(self) -> bool:
        """Whether the mask drops anything now."""
        return self.training and self.rate > 0.0

    def forward(self, like: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor | None:
        """Return a mask of 0 and 1 / (1 - rate), with the type and device of `like`; None if nothing is dropped."""
        if not self.active:
            return None
        if like.device.type != "cpu":
            mask = torch.empty(shape, dtype=like.dtype, device=like.device)
            return mask.bernoulli_(1 - self.rate).div_(1 - self.rate)
        dropped = round(self.rate * PARTS)
        return (_parts(shape) >= dropped - PARTS // 2).to(like.dtype).div_(1 - self.rate)

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        return f"rate={self.rate}"


def _parts(shape: tuple[int, ...]) -> torch.Tensor:
    """Return random numbers from -PARTS / 2 to PARTS / 2 - 1, four from each random number of 64 bits."""
    count = math.prod(shape)
    random = torch.empty(-(-count // 4), dtype=torch.int64).random_(-(2**63), None)
    return random.view(torch.int16)[:count].view(shape)


class Zoneout(nn.Module):
    """Zoneout: the fraction of the previous state to keep; 0 or 1 at random in training, the rate in evaluation.

    Args:
        rate: probability that a unit keeps its value.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = checked_rate("zoneout", rate)

    def forward(self, like: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor | None:
        """Return the fractions to keep, with the type and device of `like`; None if the rate is 0."""
        if self.rate == 0.0:
            return None
        fraction = torch.empty(shape, dtype=like.dtype, device=like.device)
        return fraction.bernoulli_(self.rate) if self.training else fraction.fill_(self.rate)

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        return f"rate={self.rate}"


class Dropout(nn.Module):
    """Inverted dropout of sequences.

    Args:
        locked: whether each sequence has one mask, the same at every step.
    """

    def __init__(self, rate: float, *, locked: bool = False) -> None:
        super().__init__()
        self.mask = DropoutMask(rate)
        self.locked = locked

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D) x with dropout; any shape if the mask is not locked."""
        if not self.mask.active:
            return x
        if not self.locked and x.device.type != "cpu":
            return dropout(x, self.mask.rate, training=True)
        mask = self.mask(x, (x.shape[0], 1, x.shape[-1]) if self.locked else tuple(x.shape))
        return x if mask is None else x * mask


class PartDropout(nn.Module):
    """Dropout of whole parts of the vectors of words, such as those of a word's form and of its tag."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.mask = DropoutMask(rate)

    def forward(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return (B, T, D) parts side by side, dropped independently; where one stays of two, it counts twice.

        Args:
            parts: P of them, (B, T, D_p) each.
        """
        if not self.mask.active:
            return torch.cat(list(parts), dim=-1)
        B, T, _ = parts[0].shape
        stays = (torch.rand(len(parts), B, T, 1, device=parts[0].device) >= self.mask.rate).to(parts[0].dtype)
        scale = len(parts) / stays.sum(0).clamp(min=1)
        return torch.cat([part * (scale * stay) for part, stay in zip(parts, stays, strict=True)], dim=-1)


@contextmanager
def sampling(module: nn.Module) -> Iterator[None]:
    """Enable a module's dropout, torch's own included, in any mode: Monte Carlo dropout.

    The mean of several predictions approximates the mean over the posterior of the weights (Gal and Ghahramani 2016,
    section 3). Everything else, such as batch normalisation, keeps its mode.
    """
    random = [part for part in module.modules() if isinstance(part, DropoutMask | Zoneout | nn.Dropout)]
    modes = [part.training for part in random]
    try:
        for part in random:
            part.train()
        yield
    finally:
        for part, mode in zip(random, modes, strict=True):
            part.train(mode)
