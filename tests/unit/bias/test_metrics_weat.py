"""The association test against arithmetic by hand, loops over cosines, and every split written out."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.bias.metrics import sc_weat, weat
from firth.bias.permutation import permutation_tests
from firth.bias.query import Query
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

PLANE = WordVectors(
    ["x1", "x2", "y1", "y2", "a", "b", "a2", "b2"],
    np.array([[2, 0], [0.8, 0.6], [0, 3], [0.6, 0.8], [1, 0], [0, 1], [3, 4], [-3, 4]], dtype=np.float64),
)


def query(x, y, a, b) -> Query:
    return Query.of([x, y], [a, b])


def random_space(n: int, seed: int = 0) -> WordVectors:
    rows = np.random.default_rng(seed).normal(size=(n, 6))
    return WordVectors([f"w{i}" for i in range(n)], rows)


def naive_s(vectors, word, a, b) -> float:
    def cosine(one, other):
        u, v = vectors.get_vector(one), vectors.get_vector(other)
        return float(u @ v) / float(np.sqrt(u @ u) * np.sqrt(v @ v))

    return sum(cosine(word, c) for c in a) / len(a) - sum(cosine(word, c) for c in b) / len(b)


def test_effect_by_hand():
    """s of x1, x2, y1, y2 with A = (1, 0), B = (0, 1) is 1, .2, -1, -.2: means .6 and -.6, variance 2.08/4 = .52.

    d = 1.2 / sqrt(.52); s(X, Y, A, B) = 2.4; of the 6 splits into pairs only the given one has a sum of 1.2: p = 1/6.
    Divided by 3 instead, the variance is .6933.
    """
    found = weat(PLANE, query(["x1", "x2"], ["y1", "y2"], ["a"], ["b"]))
    assert found.value == pytest.approx(1.2 / np.sqrt(0.52))
    assert found.by_word == pytest.approx({"x1": 1, "x2": 0.2, "y1": -1, "y2": -0.2})
    assert found.facts["statistic"] == pytest.approx(2.4)
    assert found.p == pytest.approx(1 / 6)
    assert (found.facts["splits"], found.facts["splits_greater"], found.facts["splits_equal"]) == (6, 0, 1)
    assert found.facts["p_exact"]
    sample = weat(PLANE, query(["x1", "x2"], ["y1", "y2"], ["a"], ["b"]), ddof=1)
    assert sample.value == pytest.approx(1.2 / np.sqrt(2.08 / 3))


def test_a_single_word_by_hand():
    """Cosines of (2, 0) with (1, 0), (.6, .8), (0, 1), (-.6, .8): 1, .6, 0, -.6; .8 less -.3 is 1.1.

    Their mean is .25 and their variance (.5625 + .1225 + .0625 + .7225)/4 = .3675; no other split of 4 does as much.
    """
    found = sc_weat(PLANE, Query.of([["x1"]], [["a", "a2"], ["b", "b2"]]))
    assert found.value == pytest.approx(1.1 / np.sqrt(0.3675))
    assert found.facts["p_by_word"] == pytest.approx({"x1": 1 / 6})


@pytest.mark.parametrize(("nx", "ny"), [(4, 4), (5, 3), (1, 6)])
def test_effect_and_p_by_loops(nx, ny):
    vectors = random_space(nx + ny + 7, seed=nx)
    words = vectors.words
    x, y, a, b = words[:nx], words[nx : nx + ny], words[nx + ny : nx + ny + 4], words[nx + ny + 4 :]
    found = weat(vectors, query(x, y, a, b))
    s = {word: naive_s(vectors, word, a, b) for word in [*x, *y]}

    def gap(some):
        return np.mean([s[w] for w in some]) - np.mean([s[w] for w in s if w not in some])

    splits = [gap(some) for some in combinations([*x, *y], nx)]
    assert found.value == pytest.approx(gap(x) / np.std(list(s.values())))
    assert found.p == pytest.approx(np.mean([one >= gap(x) - 1e-12 for one in splits]))
    assert bool([note for note in found.notes if "equal ones" in note]) == (nx != ny)


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=10), st.data())
def test_counting_is_enumeration(numbers, data):
    """Small whole numbers, which tie often."""
    size = data.draw(st.integers(1, len(numbers) - 1))
    values = np.array(numbers, dtype=np.float64) / 10
    found = permutation_tests(values[:, None], size)[0]
    sums = np.array([values[list(some)].sum() for some in combinations(range(len(values)), size)])
    assert found.splits == len(sums)
    assert found.greater == (sums > values[:size].sum() + 1e-9).sum()
    assert found.equal == (np.abs(sums - values[:size].sum()) < 1e-9).sum()
    assert found.p == (found.greater + found.equal) / len(sums)


def test_the_classical_size_is_counted_exactly():
    """8 and 8 words have 12,870 splits, 18 and 18 have 9,075,135,300; 25 and 25 are drawn."""
    for size, exact in ((8, 12_870), (18, 9_075_135_300), (25, 0)):
        values = np.arange(2.0 * size)[::-1, None]  # the first half is the greater: no split does more
        found = permutation_tests(values, size, draws=500)[0]
        assert (found.greater, found.exact) == (0, bool(exact))
        if exact:
            assert (found.splits, found.p) == (exact, 1 / exact)
        else:
            assert found.p == 1 / 501
            assert found.error > 0


@pytest.mark.parametrize("seed", range(3))
def test_drawn_splits_estimate_the_counted(seed):
    values = np.random.default_rng(seed).normal(size=(16, 3))
    exact = permutation_tests(values, 8)
    drawn = permutation_tests(values, 8, draws=20_000, seed=seed, max_exact=4)
    for one, other in zip(exact, drawn, strict=True):
        assert one.error == 0
        assert abs(one.p - other.p) < 4 * other.error


def test_without_difference_there_is_no_effect():
    """Every target has the same cosines: 0/0 is no effect, not a great one made of rounding."""
    same = np.tile([[0.3, 0.4, 0.5]], (4, 1)) * np.array([[1], [2], [3], [4]])
    vectors = WordVectors(["x1", "x2", "y1", "y2", "a", "b"], np.vstack([same, np.eye(3)[:2]]).astype(np.float32))
    found = weat(vectors, query(["x1", "x2"], ["y1", "y2"], ["a"], ["b"]))
    assert (found.value, found.p, found.low, found.high) == (0, 1, 0, 0)
    assert "no effect" in found.notes[0]
    assert sc_weat(vectors, Query.of([["x1"]], [["x2", "y1"], ["y2"]])).value == 0


def test_the_interval_holds_the_effect_and_is_the_same_for_a_seed():
    vectors = random_space(40)
    words = vectors.words
    asked = query(words[:12], words[12:24], words[24:32], words[32:])
    one, same, other = (weat(vectors, asked, seed=seed) for seed in (0, 0, 1))
    assert one.low < one.value < one.high
    assert (one.low, one.high) == (same.low, same.high) != (other.low, other.high)


def test_exchanged_sets_turn_the_sign():
    vectors = random_space(20)
    words = vectors.words
    x, y, a, b = words[:5], words[5:10], words[10:15], words[15:]
    value = weat(vectors, query(x, y, a, b)).value
    assert weat(vectors, query(y, x, a, b)).value == pytest.approx(-value)
    assert weat(vectors, query(x, y, b, a)).value == pytest.approx(-value)


@pytest.mark.parametrize("options", [{"ddof": 2}, {"draws": 0}, {"resamples": 0}])
def test_options_out_of_range(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        weat(PLANE, query(["x1"], ["y1"], ["a"], ["b"]), **options)
    with pytest.raises(OptionError, match="first part of 0"):
        permutation_tests(np.ones((3, 1)), 0)
