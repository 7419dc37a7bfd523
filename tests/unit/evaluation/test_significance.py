import math

import pytest
from scipy.stats import binomtest

from firth.evaluation.significance import wilson_interval


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 7), (506, 19544), (1, 1)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_agrees_with_scipy(successes, trials, level):
    expected = binomtest(successes, trials).proportion_ci(level, method="wilson")
    assert wilson_interval(successes, trials, level=level) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_trials_no_interval():
    assert all(math.isnan(end) for end in wilson_interval(0, 0))
