"""Choices and confidences of the comparison of active learning."""

from types import SimpleNamespace

import pytest

from benchmarks.active_learning import calibration, most_uncertain, order


def test_the_most_uncertain_are_chosen():
    """Of equally uncertain ones those that come first."""
    assert most_uncertain([0.5, 2, 0.5, 1], [7, 8, 3, 9], 3) == [8, 9, 3]
    assert sorted(order(range(9), 0)) == list(range(9))
    assert order(range(9), 0) != order(range(9), 1)


def test_confidences_are_compared_with_what_is_right():
    """Two entities with the confidences 0.5 and 1, of which the first is right: products are 0.25 and 1."""
    sentence = SimpleNamespace(tags={"tag": ["B-A", "I-A", "O", "B-B"]}, probabilities={"tag": [0.5, 0.5, 0.9, 1.0]})
    result = calibration([sentence], [(["a"] * 4, ["B-A", "I-A", "O", "B-A"])])
    assert result["minimum"] == pytest.approx([(0.5**2 + 1) / 2, (0.5 + 1) / 2])
    assert result["product"] == pytest.approx([(0.75**2 + 1) / 2, (0.75 + 1) / 2], abs=1e-4)
