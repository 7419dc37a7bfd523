"""Stochastic nodes: draws that gradients go through.

What: a Gaussian draw by its reparametrisation, with its distance from a prior; a draw of one of V categories by
    Gumbel noise: exact and without gradients, relaxed with gradients, or one-hot forwards and relaxed backwards.
Objective: mean + exp(log_variance / 2) e with e ~ N(0, 1); argmax_v (s_v + g_v) with g_v = -log(-log u_v) is v with
    probability softmax(s)_v; relaxed, softmax((s + g) / tau). KL(N(m, s^2) || N(p, r^2)) =
    (log r^2 - log s^2 + (s^2 + (m - p)^2) / r^2 - 1) / 2, summed over dimensions. Temperature
    tau = max(least, start e^(-rate step)).
Source: Kingma and Welling 2014, section 2.4 and appendix B; Jang, Gu and Poole 2017, sections 2.1, 2.2 and 4.2 (the
    schedule); Maddison, Mnih and Teh 2017, section 2.2.
Departures: Gumbel noise is minus the logarithm of an exponential draw, which is never 0 nor infinite, where a uniform
    one rounded to 0 or 1 would be.
Cost: O(V) a draw.
"""

import math

import torch


def gaussian(
    mean: torch.Tensor, log_variance: torch.Tensor, *, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Return a draw of normal numbers that gradients go through to mean and variance.

    Args:
        mean: of each number.
        log_variance: its natural logarithm, of the same shape.
        generator: of the noise; None for torch's own.
    """
    noise = torch.empty_like(mean).normal_(generator=generator)
    return mean + (0.5 * log_variance).exp() * noise


def gaussian_kl(
    mean: torch.Tensor,
    log_variance: torch.Tensor,
    prior_mean: torch.Tensor | float = 0.0,
    prior_log_variance: torch.Tensor | float = 0.0,
) -> torch.Tensor:
    """Return how far normal numbers are from a prior, in nats.

    Args:
        mean: (..., D).
        log_variance: (..., D).
        prior_mean: of the same shape, or one number.
        prior_log_variance: of the same shape, or one number.

    Returns:
        (...,) Kullback-Leibler divergences, summed over D.
    """
    prior = torch.as_tensor(prior_log_variance, dtype=mean.dtype, device=mean.device)
    squares = log_variance.exp() + (mean - prior_mean).square()
    return 0.5 * (prior - log_variance + squares * (-prior).exp() - 1).sum(-1)


def gumbel_noise(like: torch.Tensor, *, generator: torch.Generator | None = None) -> torch.Tensor:
    """Return standard Gumbel noise.

    Args:
        like: a tensor of the shape, type and device that are needed.
        generator: of the noise; None for torch's own.
    """
    return -torch.empty_like(like, requires_grad=False).exponential_(generator=generator).log()


def gumbel_max(scores: torch.Tensor, *, generator: torch.Generator | None = None) -> torch.Tensor:
    """Return a draw from the softmax of scores.

    Args:
        scores: (..., V); minus infinity for what is never drawn.
        generator: of the noise; None for torch's own.

    Returns:
        (...,) int64, without gradients.
    """
    return (scores.detach() + gumbel_noise(scores, generator=generator)).argmax(-1)


def gumbel_softmax(
    scores: torch.Tensor, temperature: float, *, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Return a relaxed draw from the softmax of scores, through which gradients go.

    Args:
        scores: (..., V).
        temperature: above 0; near 0 the draw is one-hot and its gradient wild, far above it is even.
        generator: of the noise; None for torch's own.

    Returns:
        (..., V), each row of sum 1.
    """
    return ((scores + gumbel_noise(scores, generator=generator)) / temperature).softmax(-1)


def straight_through(relaxed: torch.Tensor) -> torch.Tensor:
    """Return the one-hot rows of the largest numbers, whose gradients are those of the numbers themselves.

    Args:
        relaxed: (..., V), as from `gumbel_softmax`.

    Returns:
        (..., V) of zeros and, at the largest number of each row, exactly one.
    """
    hard = torch.zeros_like(relaxed).scatter(-1, relaxed.argmax(-1, keepdim=True), 1.0)
    return hard + (relaxed - relaxed.detach())  # what is added is exactly 0


def annealed_temperature(step: int, *, start: float = 1.0, rate: float = 1e-4, least: float = 0.5) -> float:
    """Return the temperature of a step, which falls exponentially to its least value.

    Args:
        step: from 0.
        start: the temperature of step 0.
        rate: by which share it falls a step, about.
        least: where it stays.
    """
    return max(least, start * math.exp(-rate * step))
