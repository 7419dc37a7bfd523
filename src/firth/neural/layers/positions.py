"""Positions: how a model without recurrence knows what stands where.

What: two that are added to the input once, learned or sinusoidal, and two that act within each attention on the
    distance of query and key alone, relative and rotary. The former know places from a fixed first one; the latter
    need none, and so let a cache slide along a text without end.
Objective: sinusoid(p)_{2i} = sin(p / 10000^{2i / D}), sinusoid(p)_{2i + 1} = cos(p / 10000^{2i / D}).
    Relative: score(t, s) = (q_t + u) . k_s + (q_t + v) . W sinusoid(t - s).
    Rotary: pairs of numbers of q_t and k_s turned by t / 10000^{2i / D} and s / 10000^{2i / D}, so that their dot
    product depends on t - s.
Source: Vaswani et al. 2017, section 3.5 (learned, sinusoidal); Dai et al. 2019, section 3.3 (relative); Su et al.
    2021, section 3.2.2 (rotary).
Departures: relative positions serve queries that look ahead as well, by negative distances. Rotary pairs are numbers
    i and i + D / 2, which is the paper's order permuted and costs two multiplications of whole halves.
Cost: added ones O(T D); relative O(T (S + T) D) a layer, about the attention itself once more; rotary O((T + S) D).
"""

import abc
import math

import torch
from torch import nn

from firth.errors import OptionError

BASE = 10_000.0
POSITIONS = ("learned", "sinusoidal", "relative", "rotary", "none")


def sinusoids(places: torch.Tensor, width: int) -> torch.Tensor:
    """Return the sinusoids of places, sines and cosines in turn.

    Args:
        places: (T,) numbers, negative ones too.
        width: D, even.

    Returns:
        (T, D), of torch's default type.
    """
    angles = _angles(places, width)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(-2).to(torch.get_default_dtype())


def _angles(places: torch.Tensor, width: int) -> torch.Tensor:
    if width % 2:
        raise OptionError(f"width {width}: sinusoids come in pairs; expected an even number")
    pairs = torch.arange(0, width, 2, device=places.device, dtype=torch.float64)
    rates = torch.exp(pairs * (-math.log(BASE) / width))  # in float64, for far places make large angles
    return places[:, None] * rates  # (T, D / 2)


class SinusoidalPositions(nn.Module):
    """Adds the sinusoid of its place to each vector; nothing is learned, and any place is known.

    Args:
        width: D.
        context: places that are kept computed.
    """

    def __init__(self, width: int, context: int) -> None:
        super().__init__()
        self.table: torch.Tensor
        self.register_buffer("table", sinusoids(torch.arange(context), width), persistent=False)

    def forward(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        """Return vectors with their places.

        Args:
            x: (B, T, D).
            first: the place of the first of them.
        """
        return x + self.table[first : first + x.shape[1]]


class LearnedPositions(nn.Module):
    """Adds a vector that is learned for its place to each vector.

    Args:
        width: D.
        context: places there are.
    """

    def __init__(self, width: int, context: int) -> None:
        super().__init__()
        self.table = nn.Parameter(0.5 * torch.randn(context, width))  # as GPT-2: half the spread of words, here 1

    def forward(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        """Return vectors with their places; see `SinusoidalPositions.forward`."""
        return x + self.table[first : first + x.shape[1]]


class PairPositions(nn.Module, abc.ABC):
    """Positions that act within an attention, by the distance of query and key."""

    @abc.abstractmethod
    def forward(self, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return queries, keys, and what to add to their dot products.

        Args:
            q: (B, H, T, D / H), the last of them at the last key.
            k: (B, H, S, D / H).

        Returns:
            Queries and keys of the same shapes, and (B, H, T, S) or None.
        """


class RelativePositions(PairPositions):
    """A learned projection of the sinusoid of the distance, with the two biases u and v of each head.

    Args:
        width: D of the attention.
        heads: H of the attention.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.distance = nn.Linear(width, width, bias=False)
        self.content_bias = nn.Parameter(torch.zeros(heads, 1, width // heads))  # u
        self.distance_bias = nn.Parameter(torch.zeros(heads, 1, width // heads))  # v

    def forward(self, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return q + u, the keys, and (q + v) . W sinusoid(distance); see `PairPositions.forward`."""
        queries, keys = q.shape[-2], k.shape[-2]
        distances = torch.arange(keys - 1, -queries, -1, device=q.device)  # (S + T - 1,) from far back to ahead
        rows = self.distance(sinusoids(distances, self.width).to(q.dtype))
        rows = rows.reshape(len(rows), self.heads, -1).transpose(0, 1)  # (H, S + T - 1, D / H)
        return q + self.content_bias, k, _by_place((q + self.distance_bias) @ rows.transpose(-2, -1), keys)


def _by_place(by_distance: torch.Tensor, keys: int) -> torch.Tensor:
    """Move row t left by T - 1 - t, so that column s is the distance of query t and key s.

    A row that is one longer than the step from row to row of the view moves by one a row: no index is built.
    """
    *batch, queries, columns = by_distance.shape
    longer = nn.functional.pad(by_distance, (1, 0)).reshape(*batch, columns + 1, queries)
    return longer[..., 1:, :].reshape(*batch, queries, columns)[..., :keys]


class RotaryPositions(PairPositions):
    """Turns pairs of numbers of queries and keys by angles that grow with their place; nothing is learned."""

    def forward(self, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return queries and keys, turned, and None; see `PairPositions.forward`."""
        angles = _angles(torch.arange(k.shape[-2], device=k.device), k.shape[-1])
        cosines, sines = angles.cos().to(q.dtype), angles.sin().to(q.dtype)  # (S, D / 2H)
        last = q.shape[-2]
        return _turned(q, cosines[-last:], sines[-last:]), _turned(k, cosines, sines), None


def _turned(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, -1)
    return torch.cat((left * cosines - right * sines, right * cosines + left * sines), -1)
