"""The alias table holds the distribution it was built from, and draws follow it."""

import numpy as np
import pytest
from numba import njit

from firth.kernels.noise import alias_table, draw_alias
from firth.kernels.random import draw
from firth.vocabulary import Vocabulary
from tests.unit.kernels.statistics import p_value


@njit
def count_draws(table, state, draws):
    counts = np.zeros(len(table), dtype=np.int64)
    for _ in range(draws):
        counts[draw_alias(table, draw(state))] += 1
    return counts


@njit
def draw_once(table, bits):
    return draw_alias(table, bits)


def distribution_of(table):
    """The probabilities that a table stands for: what each slot keeps, and what it hands to its alias."""
    kept = (table & np.uint64(0xFFFFFFFF)).astype(np.float64) / 2**32
    alias = (table >> np.uint64(32)).astype(np.int64)
    return (kept + np.bincount(alias, 1 - kept, len(table))) / len(table)


def test_two_words_by_hand():
    """P = (1/4, 3/4): slot 0 is 1/2 high and is filled up by word 1; slot 1 is left with 3/2 - 1/2 = 1."""
    table = alias_table(np.array([0.25, 0.75]))
    assert int(table[0]) == (1 << 32) | 2**31
    assert int(table[1]) == (1 << 32) | (2**32 - 1)
    assert draw_once(table, np.uint64(2**31 - 1)) == 0  # slot 0, coin just below its threshold
    assert draw_once(table, np.uint64(2**31)) == 1  # slot 0, coin at its threshold: the alias
    assert draw_once(table, np.uint64(2**63)) == 1  # slot 1


@pytest.mark.parametrize(
    "weights",
    [
        [1],
        [1, 1],
        [1, 2],
        [1, 10**6],
        [10**6, 1],
        [10**6] + [1] * 999,
        [1] * 999 + [10**6],
        [3, 1, 3, 1, 3, 1],
        [5, 4, 3, 2, 1],
        np.arange(1, 10**5),
        1 / np.arange(1, 10**5),
    ],
    ids=lambda weights: f"{len(weights)} words from {weights[0]:.3g} to {weights[-1]:.3g}",
)
def test_table_holds_the_distribution(weights):
    probabilities = np.asarray(weights, dtype=np.float64) / np.sum(weights, dtype=np.float64)
    assert distribution_of(alias_table(probabilities)) == pytest.approx(probabilities, abs=2**-31)


def assert_holds(weights, name):
    probabilities = weights / weights.sum()
    error = np.abs(distribution_of(alias_table(probabilities)) - probabilities).max()
    assert error <= 2**-31, f"{name}: {error}"


def test_table_holds_random_distributions():
    for seed in range(40):
        random = np.random.default_rng(seed)
        assert_holds(random.pareto(0.5, size=random.integers(1, 2000)) + 1e-9, f"seed {seed}")


def test_table_holds_small_whole_weights():
    """Where one slot gives exactly what others lack, rounding decides ties: the table must hold all the same."""
    for seed in range(300):
        random = np.random.default_rng(seed)
        weights = random.integers(0, 4, size=random.integers(2, 40)) + np.eye(1, dtype=int)[0]
        assert_holds(weights, f"seed {seed}")


def test_equal_words_whatever_rounding_makes_of_them():
    """49 / 49 is below 1 in float64: no slot is high enough to give, and none lacks anything."""
    for words in range(1, 200):
        assert_holds(np.ones(words), f"{words} words")


def test_words_without_probability_are_never_drawn():
    table = alias_table(np.array([0.0, 0.5, 0.0, 0.5, 0.0]))
    assert count_draws(table, np.array([3], np.uint64), 10**5)[[0, 2, 4]].tolist() == [0, 0, 0]


def zipf(words):
    return Vocabulary([f"w{i}" for i in range(words)], 10**6 // np.arange(1, words + 1), 10**7)


@pytest.mark.parametrize("exponent", [0.75, 1.0, 0.0, -0.5])
def test_draws_follow_the_counts_to_the_exponent(exponent):
    wanted = zipf(300).noise_probabilities(exponent)
    counts = count_draws(alias_table(wanted), np.array([11], np.uint64), 4 * 10**6)
    assert p_value(counts, wanted) > 1e-3


@pytest.mark.parametrize("wrong", [0.74, 0.76, 1.0])
def test_another_exponent_would_be_seen(wrong):
    counts = count_draws(alias_table(zipf(300).noise_probabilities(0.75)), np.array([11], np.uint64), 4 * 10**6)
    assert p_value(counts, zipf(300).noise_probabilities(wrong)) < 1e-12
