"""Convex hulls and shortest tours: the right answers by other means, and a small network that learns some of them."""

import itertools

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe):
    """Of four points three or four are corners, in one order of many: at random fewer than one in ten is right."""
    results = recipe["main"](["hull", "--toy"])
    assert results[0]["exact"] > 0.2
    assert 0.4 < results[0]["area"] <= 1


def test_hulls(recipe):
    points = np.array([[0.5, 0.5], [0, 0], [1, 0.1], [0.9, 1], [0, 1], [0.4, 0.6]])
    assert recipe["hull_of"](points).tolist() == [1, 2, 3, 4]
    assert recipe["area"](points[[1, 2, 3, 4]]) == pytest.approx(0.905)  # by hand: 1 - 0.05 - 0.05 + 0.005
    assert recipe["covered"](points, [1, 2, 3, 4]) == 1
    assert recipe["covered"](points, [1, 3, 2, 4]) == 0  # two sides cross
    assert recipe["covered"](points, [1, 2]) == 0
    assert recipe["covered"](points, [1, 2, 3]) == pytest.approx(0.455 / 0.905)


def test_tours(recipe):
    random = np.random.default_rng(0)
    points = random.random((20, 5, 2))
    found = recipe["shortest_tours"](points)
    lengths = recipe["lengths_of"](points, found)
    for each, order, length in zip(points, found.tolist(), lengths, strict=True):
        every = [
            sum(np.linalg.norm(each[a] - each[b]) for a, b in itertools.pairwise([*tour, tour[0]]))
            for tour in itertools.permutations(range(5))
        ]
        assert length == pytest.approx(min(every))
        assert order[0] == 0
        assert order[1] < order[-1]
