"""Compiled steps of restricted Boltzmann machines: one side given the other, and an epoch of learning.

Rows are (N, V) float32; lengths, (N,) float32, are 1 for binary units and the number of words of a text for softmax
units. The formulas are those of `firth.latent.boltzmann_machine` and `firth.latent.rbm`.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.random import draw

Floats = npt.NDArray[np.float32]

ONE, HALF = np.float32(1), np.float32(0.5)
T3, T4, T5, T6, T7 = (np.float32(1 / math.factorial(n)) for n in range(3, 8))
LOG2_E, HIGHEST = np.float32(1 / math.log(2)), np.float32(87)
LN2_HIGH = np.float32(0.693359375)  # few bits, so that its product with a whole number is exact
LN2_LOW = np.float32(math.log(2) - 0.693359375)
UNIFORM = np.float32(2.0**-24)
DROPPED = np.uint64(40)  # of 64 random bits; 24 are left, as many as float32 has


@njit(nogil=True, inline="always")
def uniform(
    state: npt.NDArray[np.uint64],  # (1,), updated in place
) -> Any:
    """Return a random float32 from 0 to 1, below 1."""
    return np.float32(draw(state) >> DROPPED) * UNIFORM


@njit(nogil=True)
def exponentials(
    row: Floats,  # (n,), updated in place
    powers: npt.NDArray[np.int32],  # (n,), scratch
) -> None:
    """Replace each x by e^x, to 2e-7 of it, x cut at +-87.

    e^x = 2^k e^r with the whole k next to x / ln 2 and the Taylor series of e^r, |r| < 0.35. Loops without calls, which
    the compiler turns into vector instructions.
    """
    for j in range(len(row)):
        x = row[j]
        x = HIGHEST if x > HIGHEST else x
        x = -HIGHEST if x < -HIGHEST else x
        k = math.floor(x * LOG2_E + HALF)
        r = (x - k * LN2_HIGH) - k * LN2_LOW
        series = T6 + r * T7
        series = T5 + r * series
        series = T4 + r * series
        series = T3 + r * series
        series = HALF + r * series
        row[j] = ONE + r * (ONE + r * series)
        powers[j] = (np.int32(k) + np.int32(127)) << np.int32(23)
    factors = powers.view(np.float32)
    for j in range(len(row)):
        row[j] *= factors[j]


@njit(nogil=True)
def hidden_rates(
    visible: Floats,  # (N, V)
    lengths: Floats,  # (N,)
    weights: Floats,  # (V, H)
    bias: Floats,  # (H,)
    rates: Floats,  # (N, H), written
    powers: npt.NDArray[np.int32],  # (H,) or more, scratch
) -> None:
    """Write p(h | v)."""
    np.dot(visible, weights, rates)  # (N, V) (V, H) -> (N, H); p(h = 1 | v) = sigma(v W + n a)
    for i in range(rates.shape[0]):
        row, length = rates[i], lengths[i]
        for j in range(len(row)):
            row[j] = -(row[j] + length * bias[j])
        exponentials(row, powers[: len(row)])
        for j in range(len(row)):
            row[j] = ONE / (ONE + row[j])


@njit(nogil=True)
def visible_rates(
    hidden: Floats,  # (N, H)
    weights: Floats,  # (V, H)
    bias: Floats,  # (V,)
    softmax: bool,
    rates: Floats,  # (N, V), written
    powers: npt.NDArray[np.int32],  # (V,) or more, scratch
) -> None:
    """Write p(v | h), of each word of a text with softmax units."""
    np.dot(hidden, weights.T, rates)  # (N, H) (H, V) -> (N, V); softmax or sigma of h W^T + b
    for i in range(rates.shape[0]):
        row = rates[i]
        highest = np.float32(-np.inf)
        for j in range(len(row)):
            row[j] += bias[j]
            highest = max(highest, row[j])
        for j in range(len(row)):
            row[j] = row[j] - highest if softmax else -row[j]
        exponentials(row, powers[: len(row)])
        if softmax:
            total = 0.0
            for j in range(len(row)):
                total += row[j]
            for j in range(len(row)):
                row[j] /= np.float32(total)
        else:
            for j in range(len(row)):
                row[j] = ONE / (ONE + row[j])


@njit(nogil=True)
def draw_units(
    rates: Floats,  # (N, D)
    units: Floats,  # (N, D), written: 0 or 1
    state: npt.NDArray[np.uint64],  # (1,), updated in place
) -> None:
    """Draw units that are on with given probabilities."""
    for i in range(rates.shape[0]):
        for j in range(rates.shape[1]):
            units[i, j] = ONE if uniform(state) < rates[i, j] else np.float32(0)


@njit(nogil=True)
def draw_words(
    rates: Floats,  # (N, V), each row a distribution
    lengths: Floats,  # (N,)
    units: Floats,  # (N, V), written: counts that add up to the lengths
    state: npt.NDArray[np.uint64],  # (1,), updated in place
) -> None:
    """Draw the words of texts with given probabilities."""
    sums = np.empty(rates.shape[1], np.float64)
    for i in range(rates.shape[0]):
        total = 0.0
        for j in range(rates.shape[1]):
            total += rates[i, j]
            sums[j] = total
            units[i, j] = 0
        for _ in range(int(lengths[i])):
            word = np.searchsorted(sums, (draw(state) >> np.uint64(11)) * 2.0**-53 * total, side="right")
            units[i, min(word, len(sums) - 1)] += ONE


@njit(nogil=True)
def gibbs_step(
    hidden: Floats,  # (N, H) probabilities; written: those given the new rows
    lengths: Floats,  # (N,)
    weights: Floats,  # (V, H)
    visible_bias: Floats,  # (V,)
    hidden_bias: Floats,  # (H,)
    softmax: bool,
    visible: Floats,  # (N, V), written: the new rows
    states: Floats,  # (N, H), scratch
    rates: Floats,  # (N, V), scratch
    powers: npt.NDArray[np.int32],  # (max(V, H),), scratch
    state: npt.NDArray[np.uint64],  # (1,), updated in place
) -> None:
    """Draw hidden units, then visible ones given these."""
    draw_units(hidden, states, state)
    visible_rates(states, weights, visible_bias, softmax, rates, powers)
    if softmax:
        draw_words(rates, lengths, visible, state)
    else:
        draw_units(rates, visible, state)
    hidden_rates(visible, lengths, weights, hidden_bias, hidden, powers)


@compiled
def encode(visible: Floats, lengths: Floats, weights: Floats, bias: Floats, rates: Floats) -> None:
    """Write p(h | v); see `hidden_rates`."""
    hidden_rates(visible, lengths, weights, bias, rates, np.empty(rates.shape[1], np.int32))


@compiled
def decode(hidden: Floats, weights: Floats, bias: Floats, softmax: bool, rates: Floats) -> None:
    """Write p(v | h); see `visible_rates`."""
    visible_rates(hidden, weights, bias, softmax, rates, np.empty(rates.shape[1], np.int32))


@compiled
def run_chains(
    visible: Floats,  # (N, V), updated in place
    lengths: Floats,  # (N,)
    weights: Floats,  # (V, H)
    visible_bias: Floats,  # (V,)
    hidden_bias: Floats,  # (H,)
    softmax: bool,
    steps: int,
    state: npt.NDArray[np.uint64],  # (1,), updated in place
) -> None:
    """Run a chain per row for some steps of Gibbs sampling."""
    hidden = np.empty((visible.shape[0], weights.shape[1]), np.float32)
    states, rates = np.empty_like(hidden), np.empty_like(visible)
    powers = np.empty(max(weights.shape), np.int32)
    hidden_rates(visible, lengths, weights, hidden_bias, hidden, powers)
    for _ in range(steps):
        gibbs_step(
            hidden, lengths, weights, visible_bias, hidden_bias, softmax, visible, states, rates, powers, state
        )  # fmt: skip


@njit(nogil=True)
def momentum_step(
    parameter: Floats,  # (n,), updated in place
    last: Floats,  # (n,) the update before, updated in place
    gradient: Floats,  # (n,)
    decay: Any,
    lr: Any,
    momentum: Any,
) -> None:
    """Add a share of the last update, and of the gradient."""
    for i in range(len(parameter)):
        last[i] = momentum * last[i] + lr * (gradient[i] - decay * parameter[i])
        parameter[i] += last[i]


@njit(nogil=True)
def gradients(
    visible: Floats,  # (N, V) rows of data, then of the model
    hidden: Floats,  # (N, H) probabilities
    lengths: Floats,  # (N,)
    data: int,  # number of rows of data
    weights: Floats,  # (V, H), written, as are the biases
    visible_bias: Floats,  # (V,)
    hidden_bias: Floats,  # (H,)
    signed: Floats,  # (N, V), scratch
) -> None:
    """Write <v h>, <v> and <n h> of the data without those of the model, divided by the mean length of the data."""
    units = np.float32(lengths[:data].sum())  # rows times mean length
    theirs = units * np.float32(len(lengths) - data) / np.float32(data)
    visible_bias[:] = 0
    hidden_bias[:] = 0
    for i in range(visible.shape[0]):
        weight = ONE / units if i < data else -ONE / theirs
        for j in range(visible.shape[1]):
            signed[i, j] = weight * visible[i, j]
            visible_bias[j] += signed[i, j]
        for j in range(hidden.shape[1]):
            hidden_bias[j] += weight * lengths[i] * hidden[i, j]
    np.dot(signed.T, hidden, weights)


@compiled
def learn(
    data: Floats,  # (N, V)
    lengths: Floats,  # (N,)
    order: npt.NDArray[np.int64],  # (N,)
    weights: Floats,  # (V, H), updated in place, as are all up to the chains
    visible_bias: Floats,  # (V,)
    hidden_bias: Floats,  # (H,)
    last_weights: Floats,  # (V, H) last updates
    last_visible: Floats,  # (V,)
    last_hidden: Floats,  # (H,)
    chains: Floats,  # (C, V)
    chain_hidden: Floats,  # (C, H) probabilities given them, by the parameters of the last update
    chain_lengths: Floats,  # (C,)
    softmax: bool,
    persistent: bool,
    steps: int,
    batch: int,
    first_lr: float,
    last_lr: float,
    momentum: float,
    decay: float,
    state: npt.NDArray[np.uint64],  # (1,), updated in place
) -> float:
    """Learn from all rows once; return how much the first steps of the chains have changed visible units."""
    units, width = weights.shape[1], weights.shape[0]
    chained = len(chains) if persistent else batch
    visible, hidden = np.empty((batch + chained, width), np.float32), np.empty((batch + chained, units), np.float32)
    both = np.empty(batch + chained, np.float32)  # lengths
    signed, powers = np.empty_like(visible), np.empty(max(width, units), np.int32)
    states, rates = np.empty((chained, units), np.float32), np.empty((chained, width), np.float32)
    of_weights, of_visible, of_hidden = np.empty_like(weights), np.empty_like(visible_bias), np.empty_like(hidden_bias)
    changed = 0.0
    for begin in range(0, len(order), batch):
        n = min(batch, len(order) - begin)
        for i in range(n):
            visible[i] = data[order[begin + i]]
            both[i] = lengths[order[begin + i]]
        hidden_rates(visible[:n], both[:n], weights, hidden_bias, hidden[:n], powers)
        m = chained if persistent else n
        start, model, model_hidden = visible[:n], visible[n : n + m], hidden[n : n + m]
        if persistent:
            start = chains
            both[n : n + m] = chain_lengths
            model_hidden[:] = chain_hidden
        else:
            both[n : n + m] = both[:n]
            model_hidden[:] = hidden[:n]
        for step in range(steps):
            gibbs_step(
                model_hidden, both[n : n + m], weights, visible_bias, hidden_bias, softmax,
                model, states[:m], rates[:m], powers, state,
            )  # fmt: skip
            if step == 0:
                for i in range(m):
                    for j in range(width):
                        changed += abs(model[i, j] - start[i, j]) * n / m
        if persistent:
            chains[:] = model
            chain_hidden[:] = model_hidden
        gradients(
            visible[: n + m], hidden[: n + m], both[: n + m], n, of_weights, of_visible, of_hidden, signed[: n + m]
        )  # fmt: skip
        lr = np.float32(first_lr + (last_lr - first_lr) * begin / len(order))
        momentum_step(
            weights.reshape(-1), last_weights.reshape(-1), of_weights.reshape(-1),
            np.float32(decay), lr, np.float32(momentum),
        )  # fmt: skip
        momentum_step(visible_bias, last_visible, of_visible, np.float32(0), lr, np.float32(momentum))
        momentum_step(hidden_bias, last_hidden, of_hidden, np.float32(0), lr, np.float32(momentum))
    return changed
