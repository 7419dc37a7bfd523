"""The partition function of a restricted Boltzmann machine: by enumeration, and by annealed importance sampling.

What
    Enumeration sums over the states of the hidden units, or of the visible ones where these are fewer, with the other
    side summed in closed form. Annealed importance sampling moves chains from independent units of known log Z to the
    model, over many temperatures, and weighs them.
Objective
    Z_n = sum_h e^(n a.h) prod_i (1 + e^(b_i + W_i.h)),   or (sum_i e^(b_i + W_i.h))^n for softmax units
    Z ~ Z_0 mean_m prod_k p*_k(v_k-1) / p*_k-1(v_k-1)   over chains m and temperatures t_k from 0 to 1, where
    log p*_t(v) = ((1 - t) c + t b).v + sum_j log(1 + e^(t (n a_j + v.W_j))) and c are the scores of the base rates
Source
    Neal 2001, "Annealed Importance Sampling"; Salakhutdinov and Murray 2008, "On the Quantitative Analysis of Deep
    Belief Networks", section 4.1.
Departures
    Temperatures are evenly spaced. The interval is that of the mean weight of the chains, 1.96 standard errors.
Cost
    2^min(V, H) V H multiplications; 2 V H per chain and temperature.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logsumexp

Doubles = npt.NDArray[np.float64]

LARGEST = 22  # units whose states are enumerated
BLOCK = 1 << 12  # states at once


@dataclass(frozen=True)
class PartitionEstimate:
    """An estimate of log Z, in nats.

    Attributes:
        low: lower end of its 95 % interval; -inf where the chains differ too much to tell.
        high: upper end.
    """

    value: float
    low: float
    high: float

    def __float__(self) -> float:
        return self.value


def log_one_plus_exp(x: Doubles) -> Doubles:
    """Return log(1 + e^x) without overflow."""
    return np.logaddexp(0.0, x)


def enumerated(weights: Doubles, visible: Doubles, hidden: Doubles, *, softmax: bool, length: int) -> float:
    """Return log Z by summing over all states of one side.

    Args:
        weights: (V, H) W.
        visible: (V,) b.
        hidden: (H,) a.
        softmax: whether the visible units are softmax units.
    """
    if not softmax and weights.shape[0] < weights.shape[1]:
        weights, visible, hidden = weights.T, hidden, visible
    sums = []
    for states in _states(weights.shape[1]):
        scores = states @ weights.T + visible
        other = length * logsumexp(scores, axis=1) if softmax else log_one_plus_exp(scores).sum(1)
        sums.append(logsumexp(length * (states @ hidden) + other))
    return float(logsumexp(sums))


def _states(units: int) -> Any:
    """Yield all states of some units, (n, units) of zeros and ones, in blocks."""
    for start in range(0, 1 << units, BLOCK):
        numbers = np.arange(start, min(start + BLOCK, 1 << units))
        yield ((numbers[:, None] >> np.arange(units)) & 1).astype(np.float64)


def annealed(
    weights: Doubles,
    visible: Doubles,
    hidden: Doubles,
    *,
    base: Doubles,
    softmax: bool,
    length: int,
    chains: int,
    temperatures: int,
    random: np.random.Generator,
) -> PartitionEstimate:
    """Estimate log Z.

    Args:
        weights: (V, H) W.
        visible: (V,) b.
        hidden: (H,) a.
        base: (V,) c: logits of independent units, or logarithms of the words' probabilities.
        softmax: whether the visible units are softmax units.
    """

    def draw(scores: Doubles) -> Doubles:
        if not softmax:
            return (random.random(scores.shape) < expit(scores)).astype(np.float64)
        rates = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        return random.multinomial(length, rates / rates.sum(1, keepdims=True)).astype(np.float64)

    def unnormalised(rows: Doubles, inputs: Doubles, t: float) -> Doubles:
        log_probability: Doubles = rows @ ((1 - t) * base + t * visible) + log_one_plus_exp(t * inputs).sum(1)
        return log_probability

    rows = draw(np.broadcast_to(base, (chains, len(base))))
    weight, before = np.zeros(chains), 0.0
    for t in (np.arange(1, temperatures + 1) / temperatures).tolist():
        inputs = length * hidden + rows @ weights  # (m, H)
        weight += unnormalised(rows, inputs, t) - unnormalised(rows, inputs, before)  # log p*_t(v) / p*_t-1(v)
        states = (random.random(inputs.shape) < expit(t * inputs)).astype(np.float64)
        rows = draw((1 - t) * base + t * (visible + states @ weights.T))
        before = t
    start = length * logsumexp(base) if softmax else log_one_plus_exp(base).sum()  # log Z of the base distribution
    start += len(hidden) * math.log(2)
    highest = weight.max()
    ratios = np.exp(weight - highest)
    mean, error = ratios.mean(), 1.96 * ratios.std(ddof=1) / math.sqrt(chains)
    low = math.log(mean - error) if mean > error else -math.inf
    ends = (math.log(mean), low, math.log(mean + error))
    return PartitionEstimate(*(float(start + highest + end) for end in ends))
