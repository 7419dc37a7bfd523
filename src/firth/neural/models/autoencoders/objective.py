"""The objective of training: how much the divergence counts, and from where on.

What
    The weight of the KL divergence rises from 0 to 1 in the first part of the run; divergences of a dimension or slot
    below a limit of free bits cost nothing.
Objective
    -log p(x | z) + w(t) sum_g max(KL_g, l),   w linear: t / s;   logistic: 1 / (1 + exp(-12 (t / s - 1/2)));   t <= s
    with KL_g the mean of a batch, t the part of the run that is done and s that in which the weight rises; then w = 1.
Source
    Bowman et al. 2016, section 3.1 (annealing); Kingma et al. 2016, section C.8 of the appendix (free bits).
Departures
    The weight is exactly 1 after the rise. What is evaluated is always the ELBO: weight 1, no free bits.
Cost
    Nothing.
"""

import math

import torch

ANNEALING = ("linear", "logistic", "none")
STEEPNESS = 12.0


def kl_weight(kind: str, fraction: float, share: float) -> float:
    """Return w.

    Args:
        kind: of `ANNEALING`.
        fraction: t, the part of the run that is done.
        share: s, the part of the run in which the weight rises.
    """
    position = 1.0 if kind == "none" or not share else fraction / share
    if position >= 1.0:
        return 1.0
    return position if kind == "linear" else 1 / (1 + math.exp(-STEEPNESS * (position - 0.5)))


def penalised(kl: torch.Tensor, free_bits: float) -> torch.Tensor:
    """Return the scalar sum of mean divergences with free bits.

    Args:
        kl: (B, G) in nats.
        free_bits: l, in nats per dimension or slot.
    """
    return kl.mean(0).clamp(min=free_bits).sum()
