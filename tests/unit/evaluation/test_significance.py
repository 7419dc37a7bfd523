import math

import numpy as np
import pytest
from scipy.stats import binomtest

from firth.evaluation.significance import difference, equality_p, holm, steiger, wilson_interval
from firth.resampling import F1, Linear, Mean, RankCorrelation, Sample, value_of


def everything(n):
    return np.ones(n, dtype=bool)


def of_mean(scores):
    return Sample(everything(len(scores)), Mean(np.asarray(scores, dtype=float)))


def of_ranks(x, y):
    return Sample(everything(len(x)), RankCorrelation(x, y))


# Wilson's interval


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 7), (506, 19544), (1, 1)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_agrees_with_scipy(successes, trials, level):
    expected = binomtest(successes, trials).proportion_ci(level, method="wilson")
    assert wilson_interval(successes, trials, level=level) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_trials_no_interval():
    assert all(math.isnan(end) for end in wilson_interval(0, 0))


# Steiger's test


def test_steigers_own_example():
    """Case A of the paper (page 249): correlations .4 and .5 with one variable, .1 between, 103 cases.

    The pooled correlation is .45; psi = .1 (1 - .405) - .2025 / 2 (1 - .405 - .01) = .0595 - .05923 = .00027;
    s = .00027 / (1 - .2025)^2 = .00042; Z = (.42365 - .54931) sqrt(100 / (2 - 2 s)) = -.8887. The paper has -.891 from
    rounded steps; the package cocor 1.1 has -0.8887185.
    """
    z, p = steiger(0.4, 0.5, 0.1, 103)
    assert z == pytest.approx(-0.8887185, abs=5e-8)
    assert z == pytest.approx(-0.891, abs=0.003)
    assert p == pytest.approx(0.3742, abs=5e-5)


def test_silver_hittner_and_mays_example():
    """Their program depcor (Applied Psychological Measurement 30, 2006): .3, .4, .5 and 100 give -1.0718, .2838."""
    assert steiger(0.3, 0.4, 0.5, 100) == pytest.approx((-1.0718, 0.2838), abs=5e-5)


def test_steigers_test_knows_no_order():
    z, p = steiger(0.6, 0.5, 0.3, 50)
    assert steiger(0.5, 0.6, 0.3, 50) == (pytest.approx(-z), pytest.approx(p))
    assert steiger(0.5, 0.5, 0.3, 50) == (0, 1)


def test_rank_correlations_vary_more():
    """Pooled .45: Z / sqrt(1 + .2025 / 2) = -.8887 / 1.0494."""
    assert steiger(0.4, 0.5, 0.1, 103, ranks=True)[0] == pytest.approx(-0.8887185 / math.sqrt(1.10125), abs=1e-7)


@pytest.mark.parametrize("case", [(0.5, 0.4, 0.1, 3), (1, 0.5, 0.5, 9), (0.5, -1, 0.5, 9), (0.5, 0.4, 1 + 1e-15, 9)])
def test_where_fishers_z_is_infinite_there_is_no_z(case):
    assert all(math.isnan(one) for one in steiger(*case))


def test_a_correlation_of_one_is_tested_by_the_bootstrap():
    """Its z is infinite: no error, and no p of zero. Five pairs can be exchanged in 2^5 ways: p is at least 1/16."""
    y = np.arange(5.0)
    found = difference(of_ranks(y, y), of_ranks(y[::-1], y))
    assert (found.value, found.test) == (2, "paired bootstrap")
    assert found.p == pytest.approx(1 / 16)


# Corrections


def test_corrections_by_hand():
    """p = .01 .04 .03 .005, in order .005 .01 .03 .04.

    4 * .005 = .02, 3 * .01 = .03, 2 * .03 = .06, and .04 no less than that.
    """
    p = [0.01, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_what_could_not_be_tested_is_no_test():
    one, none, other = holm([0.01, math.nan, 0.04])
    assert [one, other] == holm([0.01, 0.04])
    assert math.isnan(none)
    assert holm([]) == []
    assert math.isnan(holm([math.nan])[0])


@pytest.mark.parametrize("m", [1, 2, 7, 50])
def test_corrections_agree_with_loops(m):
    p = np.random.default_rng(m).random(m) ** 3
    p[m // 2] = p[0]  # a tie
    order, highest, slow = np.argsort(p), 0.0, np.empty(m)
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (m - rank) * p[i]))
        slow[i] = highest
    assert holm(p.tolist()) == pytest.approx(slow.tolist(), abs=1e-15)


def test_holms_correction_keeps_its_promise():
    """Ten tests of nothing, a thousand times: in at most 5 % any is found. Uncorrected it would be 40 %."""
    p = np.random.default_rng(0).random((1000, 10))
    assert np.mean([min(holm(row.tolist())) < 0.05 for row in p]) == pytest.approx(0.05, abs=0.02)
    assert np.mean([row.min() < 0.05 for row in p]) > 0.35


# Two models on the same items


def test_difference_by_hand_over_the_items_that_both_count():
    """One counts items 0 1 2 3 with 1 1 0 1, the other 1 2 3 4 with 0 0 1 1: over 1 2 3, 2/3 less 1/3."""
    one = Sample(np.array([1, 1, 1, 1, 0], dtype=bool), Mean(np.array([1.0, 1, 0, 1])))
    other = Sample(np.array([0, 1, 1, 1, 1], dtype=bool), Mean(np.array([0.0, 0, 1, 1])))
    found = difference(one, other)
    assert (found.value, found.items) == (pytest.approx(1 / 3), 3)
    turned = difference(other, one)
    assert (turned.value, turned.p) == (pytest.approx(-1 / 3), found.p)


def test_few_items_are_never_enough():
    """Three items, all won: each resample says so, and yet the sides of three items fall alike one time in four."""
    assert difference(of_mean([1, 1, 1]), of_mean([0, 0, 0])).p == 0.25
    assert difference(of_mean([1] * 10), of_mean([0] * 10)).p == pytest.approx(2 / 2001, abs=1e-3)


def test_a_model_does_not_differ_from_itself():
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 50))
    for sample in (of_mean(x), of_ranks(x, y), Sample(everything(50), Linear(1, x - x.mean()))):
        found = difference(sample, sample)
        assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_both_models_are_resampled_alike():
    """One model finds the same and two items more of two hundred: a small difference, and no resample reverses it."""
    true, found = np.arange(200) < 100, np.arange(200) % 2 == 0
    more = found | (np.arange(200) == 1) | (np.arange(200) == 3) | (np.arange(200) == 5)
    one, other = (Sample(everything(200), F1(each, true)) for each in (more, found))
    assert equality_p(one, other) < 0.2
    assert equality_p(one, other) == pytest.approx(difference(one, other).p)


def test_nothing_shared_is_no_difference():
    half = np.arange(6) < 3
    found = difference(Sample(half, Mean(np.ones(3))), Sample(~half, Mean(np.zeros(3))))
    assert found.items == 0
    assert all(math.isnan(one) for one in (found.value, found.low, found.high, found.p))


def test_steigers_p_is_of_the_shared_items():
    random = np.random.default_rng(0)
    y = random.normal(size=60)
    x, z = y + random.normal(size=60), y + 2 * random.normal(size=60)
    counted = np.arange(60) >= 20
    found = difference(of_ranks(x, y), Sample(counted, RankCorrelation(z[20:], y[20:])))
    r, s, between = (value_of(RankCorrelation(a[20:], b[20:]), 40) for a, b in ((x, y), (z, y), (x, z)))
    assert (found.value, found.test, found.items) == (pytest.approx(r - s), "Steiger", 40)
    assert found.p == pytest.approx(steiger(r, s, between, 40, ranks=True)[1])


def rate(pair, trials, resamples=200):
    """Share of simulated pairs of models that differ at the level of 5 %."""
    found = [
        difference(*pair(np.random.default_rng(trial)), resamples=resamples, seed=trial) for trial in range(trials)
    ]
    return np.mean([one.p < 0.05 for one in found])


def shares(random, gain, n=300):
    """Two models that find the same items hard; the first is right more often by `gain`."""
    hardness = random.random(n) * 0.5
    return tuple(of_mean(random.random(n) < 0.8 + extra - hardness) for extra in (gain, 0))


def ranks(random, gain, n=150):
    """Two models whose scores follow people's with noise, the second with more of it by `gain`."""
    y = random.normal(size=n)
    common = random.normal(size=n)
    return tuple(of_ranks(y + 0.5 * common + noise * random.normal(size=n), y) for noise in (0.7, 0.7 + gain))


def close_ranks(random, gain, n=150):
    """Scores that follow people's at .9, where ranks differ most from normal numbers."""
    y, common = random.normal(size=(2, n))
    return tuple(of_ranks(y + 0.3 * common + noise * random.normal(size=n), y) for noise in (0.3, 0.3 + gain))


def linears(random, gain, n=300):
    """Two figures to first order whose items' influences go together."""
    x, noise = random.normal(size=(2, n))
    figures = (x + gain, 0.6 * x + 0.8 * noise)
    return tuple(Sample(everything(n), Linear(one.mean(), one - one.mean())) for one in figures)


@pytest.mark.parametrize("pair", [shares, ranks, close_ranks, linears])
def test_equal_models_differ_as_rarely_as_the_level_says(pair):
    """Of 600 pairs of equals 5 %, with a standard error of .9 %."""
    assert rate(lambda random: pair(random, 0), 600) == pytest.approx(0.05, abs=0.027)


@pytest.mark.parametrize(("pair", "gain"), [(shares, 0.15), (ranks, 0.7), (close_ranks, 0.3), (linears, 0.25)])
def test_a_real_difference_is_found(pair, gain):
    assert rate(lambda random: pair(random, gain), 100) > 0.8
