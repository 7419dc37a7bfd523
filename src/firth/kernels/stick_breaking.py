"""Stick-breaking priors inside compiled kernels: how much a word's senses are expected to weigh.

What: a word's senses share a stick of length one. Each breaks its part off what the senses before it left; the last of
T takes the rest. A sense's part is known only as a Beta distribution, which the occurrences seen so far give.

Objective: n_k occurrences have sense k, k = 1 .. T, and beta_k ~ Beta(a_k, b_k) is the part that sense k breaks off:

    a_k = 1 + n_k,   b_k = alpha + sum_{r>k} n_r,   beta_T = 1
    E log pi_k = E log beta_k + sum_{r<k} E log(1 - beta_r),       pi_k = beta_k prod_{r<k} (1 - beta_r)
    E log beta = psi(a) - psi(a + b),   E log(1 - beta) = psi(b) - psi(a + b),   E beta = a / (a + b)

with psi the digamma function.

Source: Blei and Jordan 2006, "Variational inference for Dirichlet process mixtures", section 3.2, for the truncation;
Bartunov et al. 2016, "Breaking sticks and ambiguities with adaptive skip-gram", section 3.2; Abramowitz and Stegun
1964, 6.3.5 and 6.3.18, for the digamma.

Departures: psi is shifted above 6 and taken from five terms of its asymptotic series: the next is below 1e-11.

Cost: three digammas a sense, some 20 ns each.
"""

import math

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.memory import get_float64, set_float64

ASYMPTOTIC = 6.0  # from here on the series holds


@njit(nogil=True)
def digamma(x: float) -> float:
    """Return psi(x), the derivative of the logarithm of the gamma function, for x above 0."""
    shifted = 0.0
    while x < ASYMPTOTIC:
        shifted -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    return shifted + math.log(x) - 0.5 / x - series


@njit(nogil=True)
def expected_logs(
    counts: int,  # address of a word's T numbers of occurrences, n
    senses: int,  # T
    alpha: float,
    m: int,  # how many of the T to write
    out: int,  # address of m float64 that receive E log pi
) -> None:
    """Write the expected logarithm of the parts that a word's first senses have of its stick."""
    rest, before = 0.0, 0.0
    for k in range(senses):
        rest += get_float64(counts, k)
    for k in range(m):
        if k == senses - 1:
            set_float64(out, k, before)
            return
        own = get_float64(counts, k)
        rest = max(rest - own, 0.0)
        both = digamma(1.0 + alpha + own + rest)
        set_float64(out, k, before + digamma(1.0 + own) - both)
        before += digamma(alpha + rest) - both


def expected_parts(counts: npt.NDArray[np.float64], alpha: float) -> npt.NDArray[np.float64]:
    """Return E pi, the parts that senses are expected to have.

    Args:
        counts: (V, T) occurrences of each sense of each word.
        alpha: of the prior.

    Returns:
        (V, T); the rows sum to 1.
    """
    behind = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] - counts
    beta = (1 + counts) / (1 + alpha + counts + np.maximum(behind, 0))
    beta[:, -1] = 1
    left = np.cumprod(np.concatenate([np.ones((len(beta), 1)), 1 - beta[:, :-1]], axis=1), axis=1)
    return np.asarray(beta * left)
