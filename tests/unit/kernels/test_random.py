"""SplitMix64 gives its published sequence, and whole numbers below a bound are uniform."""

import numpy as np
import pytest
from numba import njit

from firth.kernels.random import below, draw
from tests.unit.kernels.statistics import p_value

MASK = 2**64 - 1


@njit
def sequence(state, length):
    values = np.empty(length, dtype=np.uint64)
    for i in range(length):
        values[i] = draw(state)
    return values


@njit
def count_below(state, bound, draws):
    counts = np.zeros(bound, dtype=np.int64)
    for _ in range(draws):
        counts[below(draw(state), bound)] += 1
    return counts


@njit
def below_bits(bits, bound):
    return below(bits, bound)


def splitmix(state, length):
    """Steele, Lea and Flood 2014, figure 16, in whole numbers of any size."""
    values = []
    for _ in range(length):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        values.append(z ^ (z >> 31))
    return values


def test_the_published_sequence():
    """The first values for seed 1234567 that the algorithm's test vectors list."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert sequence(np.array([1234567], np.uint64), 4).tolist() == expected


@pytest.mark.parametrize("seed", [0, 1, 42, 2**63, MASK])
def test_agrees_with_whole_numbers(seed):
    state = np.array([seed], np.uint64)
    assert sequence(state, 1000).tolist() == splitmix(seed, 1000)
    assert int(state[0]) == (seed + 1000 * 0x9E3779B97F4A7C15) & MASK


@pytest.mark.parametrize("bound", [1, 2, 5, 7, 1000])
def test_below_is_uniform(bound):
    counts = count_below(np.array([5], np.uint64), bound, 10**6)
    assert counts.sum() == 10**6
    if bound > 1:
        assert p_value(counts, np.full(bound, 1 / bound)) > 1e-3


def test_uneven_numbers_would_be_seen():
    counts = count_below(np.array([5], np.uint64), 7, 10**6)
    wrong = np.array([1.02, 1, 1, 1, 1, 1, 1])
    assert p_value(counts, wrong / wrong.sum()) < 1e-6


@pytest.mark.parametrize("bound", [1, 3, 10**6, 2**31 - 1])
def test_below_reaches_both_ends_and_no_further(bound):
    assert below_bits(np.uint64(0), bound) == 0
    assert below_bits(np.uint64(MASK), bound) == bound - 1
