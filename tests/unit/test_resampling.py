import math

import numpy as np
import pytest

from firth import resampling
from firth.evaluation.categorisation import MEASURES, v_measure
from firth.evaluation.qvec import CCA, QVEC
from firth.evaluation.significance import difference
from firth.resampling import Linear, Mean, RankCorrelation, Ratio, Sample, bootstrap_interval, draws, value_of


def test_a_mean_by_hand():
    """Scores 1, 2, 6. Once each: 3. Drawn 2, 1, 0 times: 4/3. Drawn 0, 0, 3 times: 6. Never drawn: none."""
    figures = Mean(np.array([1.0, 2, 6]))(np.array([[1, 1, 1], [2, 1, 0], [0, 0, 3], [0, 0, 0]]))
    assert figures[:3] == pytest.approx([3, 4 / 3, 6], abs=1e-15)
    assert math.isnan(figures[3])


def test_a_ratio_by_hand():
    """2 over 1 and 3 over 4. Once each: 5/5. The first twice: 4/2. Never drawn: none."""
    figures = Ratio(np.array([2.0, 3]), np.array([1.0, 4]))(np.array([[1, 1], [2, 0], [0, 0]]))
    assert figures[:2] == pytest.approx([1, 2], abs=1e-15)
    assert math.isnan(figures[2])


def test_a_linear_figure_by_hand():
    """Value 5 and influences 3, -1, -2: 5 once each; 5 + (6 - 1) / 3 when drawn 2, 1, 0 times."""
    figures = Linear(5, np.array([3.0, -1, -2]))(np.array([[1, 1, 1], [2, 1, 0]]))
    assert figures == pytest.approx([5, 5 + 5 / 3], abs=1e-15)


def test_a_mean_is_its_own_first_order():
    scores = np.random.default_rng(0).random(40)
    linear = Linear(scores.mean(), scores - scores.mean())
    for drawn in draws(40, resamples=50, seed=0):
        assert linear(drawn) == pytest.approx(Mean(scores)(drawn), abs=1e-12)


def test_rank_correlation_of_items_drawn_is_that_of_the_items_written_out():
    random = np.random.default_rng(0)
    x, y = random.integers(0, 6, 15), random.normal(size=15)
    for drawn in next(draws(15, resamples=20, seed=0)):
        again = np.repeat(np.arange(15), drawn)
        written_out = RankCorrelation(x[again], y[again])
        assert RankCorrelation(x, y)(drawn[None])[0] == pytest.approx(value_of(written_out, 15), abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 300])
def test_draws_are_n_of_n_and_each_item_comes_once_on_average(n):
    drawn = np.concatenate(list(draws(n, resamples=4000, seed=0)))
    assert drawn.shape == (4000, n)
    assert (drawn.sum(axis=1) == n).all()
    assert drawn.mean(axis=0) == pytest.approx(np.ones(n), abs=5 / math.sqrt(4000))


def test_draws_are_the_same_kept_or_not(monkeypatch):
    """What is kept as bytes is what is drawn in blocks; of no item more than a byte holds."""
    kept = np.concatenate(list(draws(700, resamples=5000, seed=3)))
    monkeypatch.setattr(resampling, "_CACHE_BYTES", 0)
    assert (np.concatenate(list(draws(700, resamples=5000, seed=3))) == kept).all()


def test_another_seed_gives_other_draws():
    one, other = (next(draws(50, resamples=5, seed=seed)) for seed in (0, 1))
    assert (one != other).any()


def test_some_of_the_items():
    """Five items, of which the second is not counted; of the others, two are shared."""
    counted, shared = np.array([1, 0, 1, 1, 1], dtype=bool), np.array([0, 0, 1, 0, 1], dtype=bool)
    x, y = np.array([1.0, 4, 2, 3]), np.array([1.0, 3, 2, 4])
    for statistic, expected in (
        (Mean(x), Mean(x[[1, 3]])),
        (RankCorrelation(x, y), RankCorrelation(x[[1, 3]], y[[1, 3]])),
    ):
        part = Sample(counted, statistic).among(shared)
        assert value_of(part, 2) == value_of(expected, 2)
        assert Sample(counted, statistic).among(counted) is statistic
    made = Sample(counted, Mean(x), lambda kept: Linear(float(kept.sum()), np.zeros(int(kept.sum()))))
    assert value_of(made.among(np.array([1, 0, 0, 0, 0], dtype=bool)), 1) == 1


# Coverage: of many samples from a population whose figure is known, the share whose 95 % interval holds it. TRIALS of
# them have a standard error of 1.1 %; the tests allow three of these.

TRIALS, REACH = 400, 3 * math.sqrt(0.95 * 0.05 / 400)


def coverage(sample, true):
    """Share of intervals that hold the true figure; `sample` makes a statistic and its items of a generator."""
    held = 0
    for trial in range(TRIALS):
        low, high = bootstrap_interval(*sample(np.random.default_rng(trial)), resamples=400, seed=trial)
        held += low <= true <= high
    return held / TRIALS


def test_intervals_of_means_hold_the_true_mean_as_often_as_they_say():
    assert coverage(lambda random: (Mean(random.normal(3, 1, 80)), 80), 3) == pytest.approx(0.95, abs=REACH)


def test_intervals_of_shares_hold_the_true_share_as_often_as_they_say():
    def sample(random):
        return Mean((random.random(300) < 0.7).astype(float)), 300

    assert coverage(sample, 0.7) == pytest.approx(0.95, abs=REACH)


def test_intervals_of_rank_correlations_hold_the_true_one_as_often_as_they_say():
    """Of two normal variables with correlation r, Spearman's is 6 / pi asin(r / 2) (Pearson 1907)."""

    def sample(random):
        x = random.normal(size=120)
        return RankCorrelation(x, 0.6 * x + 0.8 * random.normal(size=120)), 120

    assert coverage(sample, 6 / math.pi * math.asin(0.3)) == pytest.approx(0.95, abs=REACH)


CELLS = np.array([[0.30, 0.02, 0.03], [0.05, 0.20, 0.05], [0.04, 0.01, 0.30]])  # shares of categories in clusters


@pytest.mark.parametrize("metric", ["purity", "v-measure"])
def test_intervals_of_clusters_hold_the_true_figure_as_often_as_they_say(metric):
    """Purity of the population is .3 + .2 + .3; its V-measure that of ten thousand items in these shares."""
    make = dict(MEASURES)[metric]
    items = np.repeat(np.arange(9), np.round(CELLS.ravel() * 10_000).astype(int))
    true = {"purity": 0.8, "v-measure": v_measure(items // 3, items % 3)}[metric]

    def sample(random):
        cells = random.choice(9, size=500, p=CELLS.ravel())
        return make(cells // 3, cells % 3), 500

    assert coverage(sample, true) == pytest.approx(0.95, abs=REACH)


def test_intervals_of_small_sets_in_many_clusters_are_wide_enough():
    """Forty-five words in nine categories, as in a named set. The V-measure of so few is higher than the population's
    for lack of items; the interval is held against the mean figure of such sets.
    """
    shares = np.full((9, 9), 0.45 / 72) + np.eye(9) * (0.55 / 9 - 0.45 / 72)
    make = dict(MEASURES)["v-measure"]

    def sample(random):
        cells = random.choice(81, size=45, p=shares.ravel() / shares.sum())
        return make(cells // 9, cells % 9), 45

    mean = np.mean([sample(np.random.default_rng(10_000 + trial))[0].value for trial in range(2000)])
    assert coverage(sample, mean) == pytest.approx(0.96, abs=REACH)


def related(random, n):
    """Two columns of features, and three of vectors that hold them in noise."""
    features = np.stack([random.random(n), random.random(n) ** 2 + 0.1], axis=1)
    mix = np.array([[3.0, 0.5, -1], [-0.5, 2, 2]])
    return features @ mix + random.normal(size=(n, 3)), features


@pytest.mark.parametrize("measure", [QVEC, CCA], ids=["qvec", "qvec-cca"])
def test_intervals_of_qvec_hold_the_true_figure_as_often_as_they_say(measure):
    """The figure of the population is that of 400,000 words, known to a thirtieth of the spread of 400."""

    def of(vectors, oracle):
        return measure.linear(measure.prepare(vectors), measure.prepare(oracle))

    true = of(*related(np.random.default_rng(10**6), 400_000)).value
    assert coverage(lambda random: (of(*related(random, 400)), 400), true) == pytest.approx(0.95, abs=REACH)


def test_differences_of_shares_hold_the_true_difference_as_often_as_they_say():
    """Two models right on .7 and .6 of the items, more often on the same ones than chance has it."""
    held = 0
    everything = np.ones(300, dtype=bool)
    for trial in range(TRIALS):
        hardness = np.random.default_rng(trial).random((300, 2)) * 0.5
        hardness[:, 1] = 0.5 * hardness[:, 0] + 0.5 * hardness[:, 1]
        random = np.random.default_rng(TRIALS + trial)
        one = random.random(300) < 0.95 - hardness[:, 0]  # 1 - .05 - .25 = .7 on average
        other = random.random(300) < 0.85 - hardness[:, 1]  # .6
        found = difference(
            Sample(everything, Mean(one.astype(float))), Sample(everything, Mean(other.astype(float))), resamples=400
        )
        held += found.low <= 0.1 <= found.high
    assert held / TRIALS == pytest.approx(0.95, abs=REACH)
