"""The word mover's distance by hand, and against another solver's problem statement."""

import itertools

import numpy as np
import pytest

from firth.vectors.distance import shares, transport_cost


def test_shares():
    words, weights = shares(["b", "a", "b", "b"])
    assert words == ["b", "a"]
    assert weights.tolist() == [0.75, 0.25]


def test_by_hand():
    """Half of the first supply stays (cost 0), its other quarter goes on for 2; the second supply goes for 1.

    Supplies 3/4 and 1/4, demands 1/2 and 1/2, costs [[0, 2], [5, 1]]: 1/2 * 0 + 1/4 * 2 + 1/4 * 1 = 0.75.
    """
    costs = np.array([[0.0, 2.0], [5.0, 1.0]])
    assert transport_cost(costs, np.array([0.75, 0.25]), np.array([0.5, 0.5])) == pytest.approx(0.75, abs=1e-9)


def test_one_word_each():
    assert transport_cost(np.array([[3.0]]), np.ones(1), np.ones(1)) == 3


@pytest.mark.parametrize("n", [2, 3, 4])
def test_equal_shares_are_an_assignment(n):
    """The two ways agree, and both with trying every assignment."""
    costs = np.random.default_rng(n).uniform(size=(n, n))
    equal = np.full(n, 1 / n)
    every = min(costs[range(n), order].mean() for order in itertools.permutations(range(n)))
    nearly = equal + np.array([1e-9, -1e-9, *[0] * (n - 2)])
    assert transport_cost(costs, equal, equal) == pytest.approx(every, abs=1e-12)
    assert transport_cost(costs, nearly, equal) == pytest.approx(every, abs=1e-7)
