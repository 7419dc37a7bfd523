"""Position encoding: how a model without recurrence represents word order.

What: learned and sinusoidal encodings are added to the input once; relative and rotary encodings act inside each
    attention on the distance between query and key. The former count from a fixed first position. The latter need none,
    so that a cache can slide along a text of any length.
Objective: sinusoid(p)_{2i} = sin(p / 10000^{2i / D}), sinusoid(p)_{2i + 1} = cos(p / 10000^{2i / D}).
    Relative: score(t, s) = (q_t + u) . k_s + (q_t + v) . W sinusoid(t - s).
    Rotary: pairs of numbers of q_t and k_s rotated by t / 10000^{2i / D} and s / 10000^{2i / D}, so that their dot
    product depends on t - s.
Source: Vaswani et al. 2017, section 3.5 (learned, sinusoidal); Dai et al. 2019, section 3.3 (relative); Su et al.
    2021, section 3.2.2 (rotary).
Departures: relative positions also serve queries that attend to later keys, by negative distances. Rotary pairs are
    numbers i and i + D / 2, a permutation of the paper's order that needs only two products of whole halves.
Cost: learned and sinusoidal O(T D); relative O(T (S + T) D) per layer, about as much as attention; rotary O((T + S) D).
"""

import abc
import math

import torch
from torch import nn

from firth.errors import OptionError

BASE = 10_000.0
POSITIONS = ("learned", "sinusoidal", "relative", "rotary", "none")


def sinusoids(positions: torch.Tensor, width: int) -> torch.Tensor:
    """Return (T, D) sinusoids of (T,) positions, possibly negative: sines and cosines in turn; D is even."""
    angles = _angles(positions, width)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(-2).to(torch.get_default_dtype())


def _angles(positions: torch.Tensor, width: int) -> torch.Tensor:
    if width % 2:
        raise OptionError(f"width {width}: sinusoids come in pairs; expected an even number")
    pairs = torch.arange(0, width, 2, device=positions.device, dtype=torch.float64)
    rates = torch.exp(pairs * (-math.log(BASE) / width))  # in float64: distant positions have large angles
    return positions[:, None] * rates  # (T, D / 2)


class SinusoidalPositions(nn.Module):
    """Adds the sinusoid of its position to each vector; no parameters.

    Args:
        width: D.
    """

    def __init__(self, width: int, context: int) -> None:
        super().__init__()
        self.table: torch.Tensor
        self.register_buffer("table", sinusoids(torch.arange(context), width), persistent=False)

    def forward(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        """Return (B, T, D) vectors with their positions, which count from `first`."""
        return x + self.table[first : first + x.shape[1]]


class LearnedPositions(nn.Module):
    """Adds the learned vector of its position to each vector.

    Args:
        width: D.
    """

    def __init__(self, width: int, context: int) -> None:
        super().__init__()
        self.table = nn.Parameter(0.5 * torch.randn(context, width))  # as in GPT-2: half the spread of words

    def forward(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        """See `SinusoidalPositions.forward`."""
        return x + self.table[first : first + x.shape[1]]


class PairPositions(nn.Module, abc.ABC):
    """A position encoding inside attention, by the distance between query and key."""

    @abc.abstractmethod
    def forward(self, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return queries and keys of the same shapes, and a (B, H, T, S) bias on their dot products, or None.

        Args:
            q: (B, H, T, D / H); the last query is at the position of the last key.
            k: (B, H, S, D / H).
        """


class RelativePositions(PairPositions):
    """Relative positions: a learned projection of the sinusoid of the distance, with biases u and v per head."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.distance = nn.Linear(width, width, bias=False)
        self.content_bias = nn.Parameter(torch.zeros(heads, 1, width // heads))  # u
        self.distance_bias = nn.Parameter(torch.zeros(heads, 1, width // heads))  # v

    def forward(self, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return q + u, the keys, and (q + v) . W sinusoid(distance); see `PairPositions.forward`."""
        queries, keys = q.shape[-2], k.shape[-2]
        distances = torch.arange(keys - 1, -queries, -1, device=q.device)  # (S + T - 1,), descending
        rows = self.distance(sinusoids(distances, self.width).to(q.dtype))
        rows = rows.reshape(len(rows), self.heads, -1).transpose(0, 1)  # (H, S + T - 1, D / H)
        return q + self.content_bias, k, _by_position((q + self.distance_bias) @ rows.transpose(-2, -1), keys)


def _by_position(by_distance: torch.Tensor, keys: int) -> torch.Tensor:
    """Shift row t left by T - 1 - t, so that column s is the distance of query t and key s.

    A view with rows one longer than its row stride shifts by one per row, without an index.
    """
    *batch, queries, columns = by_distance.shape
    longer = nn.functional.pad(by_distance, (1, 0)).reshape(*batch, columns + 1, queries)
    return longer[..., 1:, :].reshape(*batch, queries, columns)[..., :keys]


class RotaryPositions(PairPositions):
    """Rotary positions: pairs of numbers of queries and keys rotate by angles that grow with position."""

    def forward(self, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return rotated queries and keys, and None; see `PairPositions.forward`."""
        angles = _angles(torch.arange(k.shape[-2], device=k.device), k.shape[-1])
        cosines, sines = angles.cos().to(q.dtype), angles.sin().to(q.dtype)  # (S, D / 2H)
        last = q.shape[-2]
        return _rotated(q, cosines[-last:], sines[-last:]), _rotated(k, cosines, sines), None


def _rotated(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, -1)
    return torch.cat((left * cosines - right * sines, right * cosines + left * sines), -1)
