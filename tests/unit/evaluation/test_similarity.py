import numpy as np
import pytest
from scipy.stats import spearmanr

from firth.evaluation.similarity import spearman
from firth.resampling import RankCorrelation, bootstrap_interval


def spearman_interval(x, y, **options):
    return bootstrap_interval(RankCorrelation(x, y), len(x), **options)


def test_ranks_by_hand():
    """x = 10, 20, 30, 40 has ranks 1 2 3 4; y = 1, 3, 2, 4 has ranks 1 3 2 4.

    d = 0, -1, 1, 0, so that rho = 1 - 6 * 2 / (4 * 15) = 0.8.
    """
    assert spearman([10, 20, 30, 40], [1, 3, 2, 4]) == pytest.approx(0.8, abs=1e-15)


def test_ties_share_the_mean_of_their_ranks():
    """x = 1, 1, 2 has ranks 1.5 1.5 3; y = 1, 2, 3 has ranks 1 2 3.

    About the mean 2: x = -.5 -.5 1, y = -1 0 1; their product sums to 1.5, their squares to 1.5 and 2.
    """
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(1.5 / np.sqrt(1.5 * 2), abs=1e-15)


@pytest.mark.parametrize("values", [2, 5, 1000])
@pytest.mark.parametrize("n", [3, 40, 353])
def test_agrees_with_scipy(n, values):
    random = np.random.default_rng(n + values)
    x, y = random.integers(0, values, n), random.normal(size=n).round(1)
    x[:2] = 0, 1  # never constant, where scipy warns
    assert spearman(x, y) == pytest.approx(spearmanr(x, y)[0], abs=1e-12)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [4, 4, 4])])
def test_no_order_no_figure(x, y):
    assert np.isnan(spearman(x, y))
    assert np.isnan(spearman_interval(x, y)).all()


def test_interval_is_the_percentiles_of_plain_resampling():
    """Cumulative weights against a loop over scipy's figure: the ends differ by sampling error alone."""
    random = np.random.default_rng(5)
    x = random.normal(size=60).round(1)
    y = x + random.normal(size=60).round(1)
    drawn = (random.integers(0, 60, 60) for _ in range(2000))
    plain = np.quantile([spearmanr(x[i], y[i])[0] for i in drawn], [0.025, 0.975])
    assert spearman_interval(x, y, resamples=8000) == pytest.approx(plain, abs=0.02)


def test_interval_holds_the_true_figure_about_as_often_as_it_says():
    """Normal pairs of correlation 0.5 have a rank correlation of 6 / pi * asin(0.25) = 0.4826 (Pearson 1907)."""
    random = np.random.default_rng(3)
    truth = 6 / np.pi * np.arcsin(0.25)
    held = 0
    for trial in range(300):
        x, e = random.normal(size=(2, 80))
        low, high = spearman_interval(x, 0.5 * x + np.sqrt(0.75) * e, resamples=400, seed=trial)
        held += low <= truth <= high
    # 95 % of 300 is 285, with a standard deviation of 3.8; small samples cover a little less.
    assert 268 <= held <= 296


def test_one_seed_one_interval():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 50))
    assert spearman_interval(x, y, seed=3) == spearman_interval(x, y, seed=3)
    assert spearman_interval(x, y, seed=3) != spearman_interval(x, y, seed=4)


def test_interval_does_not_depend_on_how_resamples_are_blocked(monkeypatch):
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 50))
    whole = spearman_interval(x, y)
    monkeypatch.setattr("firth.resampling._CELLS", 175)
    assert spearman_interval(x, y) == whole
