"""Means and percentile intervals; Hyndman and Fan's definition 6 worked by hand."""

import numpy as np
import pytest

from firth.errors import OptionError
from firth.runs.estimates import Estimate, interval, summarised


def test_below_39_figures_the_ends_are_the_least_and_the_greatest():
    figures = np.random.default_rng(0).normal(size=20)
    assert interval(figures) == (figures.min(), figures.max())


def test_ends_between_two_figures():
    """Of 1 .. 59, (59 + 1) 0.025 = 1.5: halfway from the first to the second; (59 + 1) 0.975 = 58.5."""
    low, high = interval(np.arange(1.0, 60))
    assert (float(low), float(high)) == pytest.approx((1.5, 58.5))


def test_an_interval_holds_a_further_figure_as_often_as_it_says():
    """Of R figures and a further one, each order is as likely: the least of 20 is undercut in 1 of 21 cases."""
    random = np.random.default_rng(1)
    for size, expected in ((20, 19 / 21), (39, 0.95), (99, 0.95)):
        draws = random.normal(size=(size + 1, 20_000))
        low, high = interval(draws[:-1])
        assert ((low <= draws[-1]) & (draws[-1] <= high)).mean() == pytest.approx(expected, abs=0.006)


def test_a_mapping_and_an_array():
    results = [{"a": 1, "b": np.array([1.0, 5.0])}, {"a": 3, "b": np.array([3.0, np.nan])}]
    together = summarised(results)
    assert together["a"] == Estimate(2.0, 1.0, 3.0, 2)
    assert together["b"].value.tolist() == [2, 5]
    assert together["b"].low.tolist()[0] == 1
    assert np.isnan(together["b"].low[1])  # one figure has no interval


def test_figures_that_are_nan_are_left_out():
    assert summarised([1.0, float("nan"), 3.0]) == Estimate(2.0, 1.0, 3.0, 2)


def test_a_single_run_has_no_interval():
    estimate = summarised([0.5])
    assert (estimate.value, estimate.runs) == (0.5, 1)
    assert estimate.described() == {"value": 0.5, "low": None, "high": None, "runs": 1}


def test_as_text():
    assert str(Estimate(0.5, 0.25, 0.75, 20)) == "0.5000 [0.2500, 0.7500]"


@pytest.mark.parametrize(
    "results", [["a", "b"], ["1", "2"], [None, None], [1.0, None], [[1, 2], [1]], [{"a": 1}, {"b": 1}], [{"a": 1}, 2]]
)
def test_what_is_no_figure(results):
    with pytest.raises(OptionError, match="the function returns"):
        summarised(results)


@pytest.mark.parametrize("level", [0, 1, 95, "0.9", True])
def test_levels(level):
    with pytest.raises(OptionError, match="between 0 and 1"):
        summarised([1, 2], level)
