"""Stick-breaking priors inside compiled kernels: the expected weights of a word's senses.

What: a word's senses share a stick of length one. Each sense breaks a part off the remaining stick; the last of T takes
the rest. The posterior of each part is a Beta distribution, given the occurrences so far.

Objective: n_k occurrences have sense k, k = 1 .. T, and sense k breaks off the share beta_k ~ Beta(a_k, b_k):

    a_k = 1 + n_k,   b_k = alpha + sum_{r>k} n_r,   beta_T = 1
    E log pi_k = E log beta_k + sum_{r<k} E log(1 - beta_r),       pi_k = beta_k prod_{r<k} (1 - beta_r)
    E log beta = psi(a) - psi(a + b),   E log(1 - beta) = psi(b) - psi(a + b),   E beta = a / (a + b)

with psi the digamma function.

Source: Blei and Jordan 2006, "Variational inference for Dirichlet process mixtures", section 3.2, for the truncation;
Bartunov et al. 2016, "Breaking sticks and ambiguities with adaptive skip-gram", section 3.2; Abramowitz and Stegun
1964, 6.3.5 and 6.3.18, for the digamma.

Departures: psi uses its recurrence up to 6 and then five terms of its asymptotic series: the next is below 1e-11.

Cost: three digammas per sense, about 20 ns each.
"""

import math

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.memory import get_float64, set_float64

ASYMPTOTIC = 6.0  # smallest argument of the series


@njit(nogil=True)
def digamma(x: float) -> float:
    """Return psi(x), the derivative of the logarithm of the gamma function, for x above 0."""
    shift = 0.0
    while x < ASYMPTOTIC:
        shift -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    return shift + math.log(x) - 0.5 / x - series


@njit(nogil=True)
def expected_logs(
    counts: int,  # address of a word's T numbers of occurrences, n
    senses: int,  # T
    alpha: float,
    m: int,  # number of senses to write
    out: int,  # address of m float64 that receive E log pi
) -> None:
    """Write the expected logarithms of the weights of a word's first m senses."""
    rest, before = 0.0, 0.0
    for k in range(senses):
        rest += get_float64(counts, k)
    for k in range(m):
        if k == senses - 1:
            set_float64(out, k, before)
            return
        own = get_float64(counts, k)
        rest = max(rest - own, 0.0)
        # beta_k ~ Beta(1 + n_k, alpha + sum_{j>k} n_j): E log beta_k, and E log(1 - beta_k) for later senses
        both = digamma(1.0 + alpha + own + rest)
        set_float64(out, k, before + digamma(1.0 + own) - both)
        before += digamma(alpha + rest) - both


def expected_parts(counts: npt.NDArray[np.float64], alpha: float) -> npt.NDArray[np.float64]:
    """Return E pi, the (V, T) expected weights of senses, from (V, T) counts; the rows sum to 1."""
    later = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] - counts  # (V, T) sum_{j>k} n_j
    beta = (1 + counts) / (1 + alpha + counts + np.maximum(later, 0))
    beta[:, -1] = 1
    rest = np.cumprod(np.concatenate([np.ones((len(beta), 1)), 1 - beta[:, :-1]], axis=1), axis=1)
    return np.asarray(beta * rest)  # E pi_k = E beta_k prod_{j<k} (1 - E beta_j)
