import numpy as np
import pytest

from firth.alignment.chance import Chance, _false_share, _pooled, _Spread, _step_down, against_chance, corrected

K, V = 20, 400


def study(random, shift=0.0, rows=()):
    """Distances of words by chance, with a mean and spread of their own; some words move by a shift in spreads."""
    mean, spread = 0.4 + 0.1 * random.random(V), 0.03 * np.sqrt(random.gamma(10, 0.1, V))
    roots = mean + spread * random.standard_normal((K + 1, V))
    roots[0, list(rows)] += shift * spread[list(rows)]
    counts = np.broadcast_to(random.integers(5, 200, V), (K + 1, 2, V))
    return roots[0] ** 2, counts[0], roots[1:] ** 2, counts[1:]


def test_random_divisions_are_significant_as_often_as_said():
    """Of 60 studies without any change, 5 % of the words have p <= 0.05, and 1 in 21 studies has a significant word."""
    random = np.random.default_rng(1)
    found = [against_chance(*study(random)) for _ in range(60)]
    assert 0.045 < np.mean([chance.p <= 0.05 for chance in found]) < 0.055
    assert np.mean([(chance.adjusted <= 0.05).any() for chance in found]) < 0.11  # 3 standard errors above


def test_words_that_moved_are_found():
    random = np.random.default_rng(2)
    chance = against_chance(*study(random, 8.0, range(10)))
    assert (chance.adjusted[:10] <= 0.05).sum() >= 8
    assert (chance.adjusted[10:] > 0.05).all()
    assert np.argsort(-chance.z)[:10].max() < 10


def test_pooled_p():
    """Null values 0 1 2 3: none is above 4, two are above or equal to 2, so p is 1 / 5 and 3 / 5."""
    null = np.array([[0.0, 1.0], [np.nan, 2.0], [3.0, np.nan]])
    assert _pooled(np.array([4.0, 2.0, np.nan]), null).tolist() == [0.2, 0.6, pytest.approx(np.nan, nan_ok=True)]


def test_step_down():
    """Three words and three permutations.

    The greatest z, 5, is above all values: 1 / 4. For 2 the first word does not count; the maxima over the others are
    1, 3 and 0, one of which is above: 2 / 4. For 0 the values of the last word alone count, 1, -1 and 0, two of which
    are at least 0: 3 / 4.
    """
    null = np.array([[4.0, 0.0, 1.0], [0.0, 3.0, -1.0], [1.0, -2.0, 0.0]])
    assert _step_down(np.array([5.0, 2.0, 0.0]), null).tolist() == [0.25, 0.5, 0.75]


def test_share_of_false_ones():
    """Of four words 4 x .01 are expected with p <= .01, where one is, and 4 x .04 with p <= .04, where two are."""
    q = _false_share(np.array([0.04, 0.5, np.nan, 0.01, 0.4]))
    assert q == pytest.approx([0.08, 0.5, np.nan, 0.04, 0.5], nan_ok=True)


def test_step_down_never_gives_a_smaller_p_to_a_smaller_z():
    random = np.random.default_rng(3)
    z = random.standard_normal(50)
    adjusted = _step_down(z, random.standard_normal((9, 50)))
    assert (np.diff(adjusted[np.argsort(-z)]) >= 0).all()


def test_each_permutation_is_compared_with_the_others():
    """The z of a permutation is what its value has if it is observed, and the others are the permutations."""
    random = np.random.default_rng(4)
    r, h = random.standard_normal((6, 5)), np.zeros(5)
    r[2, 3] = np.nan
    spread = _Spread.of(r, h)
    rest = np.delete(r, 1, axis=0)
    expected = _Spread.of(rest, h)._replace(common=spread.common, weight=spread.weight).z(r[1])
    assert spread.left_out()[1] == pytest.approx(expected)


def test_a_word_that_is_rare_in_one_group_may_move_further():
    """Words move by chance as sqrt(1 / n + 1 / n'); the groups have a word 5 and 395 times, random ones 200 times."""
    random = np.random.default_rng(5)
    half = random.integers(3, 300, V)
    counts = np.broadcast_to(np.stack([half, half]), (K + 1, 2, V)).copy()
    counts[:, :, 0] = 200
    counts[0, :, 0] = 5, 395
    rarity = np.sqrt((1 / counts).sum(axis=1))
    distance = (rarity * (1 + 0.1 * random.standard_normal((K + 1, V)))) ** 2
    chance = against_chance(distance[0], counts[0], distance[1:], counts[1:])
    assert distance[0, 0] > 5 * distance[1:, 0].max()
    assert chance.level[0] > 5 * distance[1:, 0].max()
    assert chance.adjusted[0] > 0.05


def test_a_word_that_few_divisions_have_has_no_p():
    observed, counts, null, null_counts = study(np.random.default_rng(6))
    null[2:, 7] = np.nan
    chance = against_chance(observed, counts, null, null_counts)
    assert [np.isnan(part[..., 7]).all() for part in chance] == [True] * 6
    assert np.isfinite(np.delete(chance.p, 7)).all()


def test_pairs_of_groups_have_one_correction():
    """Maxima over the words of both pairs: 2 and 4. Of the first pair alone they are 1 and 0.7."""
    nothing = np.full(2, np.nan)
    one = Chance(np.array([3.0, 0.5]), np.array([[1.0, 0.0], [0.0, 0.7]]), np.array([0.01, 0.4]), *(nothing,) * 3)
    other = Chance(np.array([1.0]), np.array([[2.0], [4.0], [9.0]]), np.array([0.04]), *(nothing[:1],) * 3)
    alone, (first, second) = corrected([one])[0], corrected([one, other])
    assert alone.adjusted == pytest.approx([1 / 3, 1 / 1.5])
    assert first.adjusted == pytest.approx([2 / 3, 1])
    assert second.adjusted == pytest.approx([1])
    assert alone.q == pytest.approx([0.02, 0.4])
    assert first.q == pytest.approx([0.03, 0.4])
    assert second.q == pytest.approx([0.06])
