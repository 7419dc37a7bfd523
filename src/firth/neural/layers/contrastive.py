"""Contrastive learning: InfoNCE, a queue of negatives, a momentum encoder, alignment and uniformity.

What
    Vectors of texts that mean the same are pulled together, vectors of other texts pushed apart. An anchor is compared
    with keys: one or several positives, and negatives, which come from the batch, from hard negatives, or from a queue.
Objective
    With cosines s, temperature tau, the keys C(i) that anchor i is compared with, and its positives P(i) among them,

        loss_i = -(1 / |P(i)|) sum_{p in P(i)} log( exp(s_ip / tau) / sum_{c in C(i)} exp(s_ic / tau) )

    and for unit vectors f

        alignment = E_{(x, y) ~ positives} |f(x) - f(y)|^alpha,    uniformity = log E_{x, y} exp(-t |f(x) - f(y)|^2)
Source
    Van den Oord, Li and Vinyals 2018, section 2.3 (InfoNCE); Khosla et al. 2020, equation 2 (several positives, the
    mean outside the logarithm); He et al. 2020, section 3 (queue and momentum encoder); Wang and Isola 2020, section
    4.1.
Departures
    Pairs of uniformity are pairs of two different rows, as in the code of Wang and Isola; the expectation in their
    paper also pairs a text with itself. A queue that is not yet full holds fewer negatives; He et al. start with random
    vectors.
Cost
    N M D multiplications for N anchors and M keys.
"""

import copy
import math
from typing import Any, Generic, TypeVar

import torch
from torch import nn
from torch.nn import functional

from firth.errors import OptionError, ShapeError
from firth.neural.layers.masks import mask_scores

BLOCK = 1024  # rows whose distances are computed at once

Encoder = TypeVar("Encoder", bound=nn.Module)


class InfoNCE(nn.Module):
    """The contrastive loss of anchors against keys.

    Args:
        temperature: tau.

    Raises:
        OptionError: the temperature is not above 0.
    """

    def __init__(self, temperature: float = 0.05) -> None:
        super().__init__()
        if not 0 < temperature < float("inf"):
            raise OptionError(f"temperature={temperature!r}: expected a number above 0; cosines are divided by it")
        self.temperature = temperature

    def forward(
        self,
        anchors: torch.Tensor,
        keys: torch.Tensor,
        *,
        positive: torch.Tensor | None = None,
        compared: torch.Tensor | None = None,
        negatives: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return (N,) losses in nats.

        Args:
            anchors: (N, D), of any length: cosines are taken.
            keys: (M, D), at least N without `positive`: key i is the positive of anchor i, and all others, such as
                hard negatives, are its negatives.
            positive: (N, M) bool, the positives of each anchor, at least one.
            compared: (N, M) bool, the keys that each anchor is compared with, its positives among them; None for all.
            negatives: (K, D) further negatives of all anchors, such as those of a queue.

        Raises:
            ShapeError: there are fewer keys than anchors, or an anchor has no positive.
        """
        if positive is None:
            if len(keys) < len(anchors):
                raise ShapeError(f"{len(keys)} keys for {len(anchors)} anchors: expected at least one each")
            positive = torch.eye(len(anchors), len(keys), dtype=torch.bool, device=anchors.device)
        counts = positive.sum(1)
        if not bool(counts.all()):
            raise ShapeError(f"anchor {int(counts.argmin())} has no positive: expected at least one")
        unit = functional.normalize(anchors, dim=-1)
        scores = mask_scores(unit @ functional.normalize(keys, dim=-1).T, compared)
        count = scores.shape[1]
        if negatives is not None:
            scores = torch.cat((scores, unit @ functional.normalize(negatives, dim=-1).T), 1)
        log_probs = functional.log_softmax(scores / self.temperature, 1)[:, :count]
        return -log_probs.masked_fill(~positive, 0.0).sum(1) / counts

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        return f"temperature={self.temperature}"


def group_masks(groups: torch.Tensor, keys: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return which keys are positives of each anchor, and which it is compared with, for texts in groups.

    The first N keys are the anchors themselves: no anchor is compared with itself.

    Args:
        groups: (N,) the group of each anchor; texts of a group mean the same.
        keys: (M,) the group of each key, the anchors' first; -1 for hard negatives, which are nobody's positives.

    Returns:
        (N, M) bool each.
    """
    compared = ~torch.eye(len(groups), len(keys), dtype=torch.bool, device=groups.device)
    return (groups[:, None] == keys) & compared, compared


class NegativeQueue(nn.Module):
    """The last K keys, without gradients: first in, first out.

    Args:
        size: K.
        width: D.

    Attributes:
        count: keys pushed so far, at most K.
    """

    keys: torch.Tensor
    next: torch.Tensor
    count: torch.Tensor

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        if size < 1:
            raise OptionError(f"queue={size}: expected at least 1 key")
        self.size = size
        self.register_buffer("keys", torch.zeros(size, width))
        self.register_buffer("next", torch.zeros((), dtype=torch.int64))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self) -> torch.Tensor:
        """Return (k, D) keys, k <= K, in no particular order. The next `push` does not change them."""
        return self.keys[: int(self.count)].clone()

    @torch.no_grad()
    def push(self, keys: torch.Tensor) -> None:
        """Replace the oldest keys.

        Args:
            keys: (B, D).
        """
        check_queue(self.size, len(keys))
        slots = (self.next + torch.arange(len(keys), device=self.keys.device)) % self.size
        self.keys[slots] = keys.detach().to(self.keys.dtype)
        self.next.add_(len(keys)).remainder_(self.size)
        self.count.add_(len(keys)).clamp_(max=self.size)


def check_queue(size: int, batch: int) -> None:
    """Check that a queue holds a batch."""
    if size < batch:
        raise OptionError(
            f"queue={size}: smaller than a batch of {batch} keys, which would replace some of its own; expected at "
            f"least {batch}, or a smaller batch_size"
        )


class MomentumEncoder(nn.Module, Generic[Encoder]):
    """An exponential moving average of an encoder, which no gradient reaches.

    Args:
        encoder: copied; the average starts as the encoder.
        momentum: m.

    Attributes:
        encoder: the average.
    """

    encoder: Encoder

    def __init__(self, encoder: Encoder, momentum: float = 0.999) -> None:
        super().__init__()
        if not 0 <= momentum <= 1:
            raise OptionError(f"momentum={momentum!r}: expected a number from 0 to 1")
        self.momentum = momentum
        self.encoder = copy.deepcopy(encoder).requires_grad_(False)

    @torch.no_grad()
    def update(self, encoder: Encoder) -> None:
        """Replace each parameter p of the average by m p + (1 - m) q, q the encoder's; buffers are copied."""
        for average, parameter in zip(self.encoder.parameters(), encoder.parameters(), strict=True):
            average.mul_(self.momentum).add_(parameter, alpha=1 - self.momentum)
        for kept, buffer in zip(self.encoder.buffers(), encoder.buffers(), strict=True):
            kept.copy_(buffer)

    @torch.no_grad()
    def forward(self, *args: Any) -> Any:
        """Return what the average makes of the arguments, without gradients."""
        return self.encoder(*args)


def alignment(x: torch.Tensor, y: torch.Tensor, power: float = 2.0) -> torch.Tensor:
    """Return the mean distance of positive pairs on the unit sphere, to a power; lower is better.

    Args:
        x: (N, D), of any length.
        y: (N, D), the positives of x.
        power: alpha.

    Raises:
        ShapeError: the shapes differ, or there are no rows.

    Source:
        Wang and Isola 2020, section 4.1.1.
    """
    if x.shape != y.shape or not len(x):
        raise ShapeError(f"pairs of shapes {tuple(x.shape)} and {tuple(y.shape)}: expected the same, and at least one")
    distances = (functional.normalize(x, dim=1) - functional.normalize(y, dim=1)).norm(dim=1)
    alignment: torch.Tensor = distances.pow(power).mean()
    return alignment


def uniformity(x: torch.Tensor, scale: float = 2.0) -> torch.Tensor:
    """Return the logarithm of the mean Gaussian potential of pairs on the unit sphere; lower is better.

    Args:
        x: (N, D), of any length.

    Raises:
        ShapeError: there are fewer than two rows.

    Source:
        Wang and Isola 2020, section 4.1.2.
    """
    if len(x) < 2:
        raise ShapeError(f"uniformity of {len(x)} vectors: expected at least two")
    unit = functional.normalize(x, dim=1)
    sums = []
    for first in range(0, len(unit), BLOCK):
        rows = unit[first : first + BLOCK]
        later = torch.ones(len(rows), len(unit) - first, dtype=torch.bool, device=x.device).triu(1)
        cosines = (rows @ unit[first:].T)[later]  # each pair once
        if len(cosines):
            sums.append((2 * scale * (cosines - 1).clamp(max=0)).logsumexp(0))
    log_mean: torch.Tensor = torch.stack(sums).logsumexp(0) - math.log(len(x) * (len(x) - 1) / 2)
    return log_mean
