"""Stochastic nodes: random draws that pass gradients.

What: a Gaussian draw by reparametrisation, with its divergence from a prior; a draw of one of V categories by Gumbel
    noise: exact without gradients, relaxed with gradients, or straight-through (one-hot forward, relaxed backward).
Objective: mean + exp(log_variance / 2) e with e ~ N(0, 1); argmax_v (s_v + g_v) with g_v = -log(-log u_v) is v with
    probability softmax(s)_v; relaxed, softmax((s + g) / tau). KL(N(m, s^2) || N(p, r^2)) =
    (log r^2 - log s^2 + (s^2 + (m - p)^2) / r^2 - 1) / 2, summed over dimensions. Temperature
    tau = max(least, start e^(-rate step)).
Source: Kingma and Welling 2014, section 2.4 and appendix B; Jang, Gu and Poole 2017, sections 2.1, 2.2 and 4.2 (the
    schedule); Maddison, Mnih and Teh 2017, section 2.2.
Departures: Gumbel noise is minus the logarithm of an exponential draw. This is always finite; with a uniform draw
    rounded to 0 or 1 it would not be.
Cost: O(V) per draw.
"""

import math

import torch


def gaussian(
    mean: torch.Tensor, log_variance: torch.Tensor, *, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Return a normal draw that passes gradients to mean and variance.

    Args:
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
    """Return the Kullback-Leibler divergence of normal distributions from a normal prior, in nats.

    Args:
        mean: (..., D).
        log_variance: (..., D).

    Returns:
        (...,) divergences, summed over D.
    """
    prior = torch.as_tensor(prior_log_variance, dtype=mean.dtype, device=mean.device)
    squares = log_variance.exp() + (mean - prior_mean).square()
    return 0.5 * (prior - log_variance + squares * (-prior).exp() - 1).sum(-1)


def gumbel_noise(like: torch.Tensor, *, generator: torch.Generator | None = None) -> torch.Tensor:
    """Return standard Gumbel noise with the shape, type and device of `like`; `generator` None means torch's own."""
    return -torch.empty_like(like, requires_grad=False).exponential_(generator=generator).log()


def gumbel_max(scores: torch.Tensor, *, generator: torch.Generator | None = None) -> torch.Tensor:
    """Return a draw from the softmax of scores: (...,) int64, without gradients.

    Args:
        scores: (..., V); minus infinity excludes a category.
        generator: of the noise; None for torch's own.
    """
    return (scores.detach() + gumbel_noise(scores, generator=generator)).argmax(-1)


def gumbel_softmax(
    scores: torch.Tensor, temperature: float, *, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Return a relaxed draw from the softmax of scores: (..., V), each row of sum 1, with gradients.

    Args:
        scores: (..., V).
        temperature: above 0; near 0 the draw is almost one-hot with gradients of high variance, far above 0 uniform.
        generator: of the noise; None for torch's own.
    """
    return ((scores + gumbel_noise(scores, generator=generator)) / temperature).softmax(-1)


def straight_through(relaxed: torch.Tensor) -> torch.Tensor:
    """Return (..., V) one-hot rows at the maxima of `relaxed`, with the gradients of `relaxed`."""
    hard = torch.zeros_like(relaxed).scatter(-1, relaxed.argmax(-1, keepdim=True), 1.0)
    return hard + (relaxed - relaxed.detach())  # the second term is exactly 0


def annealed_temperature(step: int, *, start: float = 1.0, rate: float = 1e-4, least: float = 0.5) -> float:
    """Return the temperature of a step, which decays exponentially to its minimum.

    Args:
        step: from 0.
        start: the temperature at step 0.
    """
    return max(least, start * math.exp(-rate * step))
