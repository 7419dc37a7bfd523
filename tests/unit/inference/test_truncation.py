import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firth.inference.generation_options import GenerationOptions
from firth.inference.truncation import largest, nucleus, sampling_distribution, softmax

LOGS = np.log(np.array([[0.5, 0.1, 0.25, 0.15]]))
ROWS = arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 7)), elements=st.integers(-4, 4).map(float))


def shape(**options):
    return sampling_distribution(LOGS, GenerationOptions(**options)).tolist()[0]


def test_by_hand():
    """Probabilities .5 .1 .25 .15.

    Temperature 1/2 squares them: .25 .01 .0625 .0225, sum .345. The two likeliest: .5 and .25 of .75. A nucleus of .7
    needs .5 and .25, one of .75 no more, one of .76 also .15. At least .3 of the likeliest: .15 and above, sum .9.
    """
    assert shape() == pytest.approx([0.5, 0.1, 0.25, 0.15], abs=1e-15)
    assert shape(temperature=0.5) == pytest.approx([0.25 / 0.345, 0.01 / 0.345, 0.0625 / 0.345, 0.0225 / 0.345])
    assert shape(top_k=2) == pytest.approx([2 / 3, 0, 1 / 3, 0])
    assert shape(top_p=0.7) == shape(top_p=0.75) == shape(top_k=2)
    assert shape(top_p=0.76) == pytest.approx([0.5 / 0.9, 0, 0.25 / 0.9, 0.15 / 0.9])
    assert shape(min_p=0.3) == shape(top_p=0.76)
    assert shape(min_p=0.31) == shape(top_k=2)
    assert shape(temperature=1e-300) == [1, 0, 0, 0]


def test_rounding_adds_no_word_to_the_nucleus():
    """Eight times .1 add up to .7999999999999999, which is .8 for all that matters."""
    assert np.cumsum(np.full(8, 0.1))[-1] < 0.8
    assert nucleus(np.full((1, 10), 0.1), 0.8).tolist() == [[True] * 8 + [False] * 2]


def test_each_rule_looks_at_what_the_one_before_left():
    """Of .5 .25 .15 .1 the two likeliest become 2/3 and 1/3; a nucleus of .6 is then the first alone."""
    assert shape(top_k=2, top_p=0.6) == [1, 0, 0, 0]
    assert shape(top_p=0.6) == shape(top_k=2)


@given(ROWS, st.integers(1, 7))
def test_top_k_leaves_exactly_k_and_none_better_out(values, k):
    k = min(k, values.shape[1])
    kept = largest(values, k)
    assert (kept.sum(axis=1) == k).all()
    for row, chosen in zip(values, kept, strict=True):
        assert np.flatnonzero(chosen).tolist() == sorted(np.argsort(-row, kind="stable")[:k].tolist())


@given(ROWS, st.floats(0.01, 0.99))
def test_the_nucleus_is_the_smallest_set(values, total):
    """Of all sets with as many words less one, the likeliest does not reach the sum; the kept set does."""
    found = softmax(values)
    for row, kept in zip(found, nucleus(found, total), strict=True):
        assert row[kept].sum() >= total - 1e-9
        assert np.sort(row)[::-1][: kept.sum() - 1].sum() < total
        assert row[kept].min() >= row[~kept].max(initial=0)


@given(ROWS)
def test_rows_sum_to_one_and_do_not_touch_each_other(values):
    options = GenerationOptions(temperature=0.7, top_k=3, top_p=0.8, min_p=0.2)
    found = sampling_distribution(values, options)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(values)), abs=1e-12)
    for i, row in enumerate(values):
        np.testing.assert_array_equal(sampling_distribution(row[None], options)[0], found[i])


def test_words_that_may_not_come_stay_out():
    scores = np.array([[-np.inf, -1.0, -np.inf, -2.0]])
    for options in (
        GenerationOptions(),
        GenerationOptions(top_k=3),
        GenerationOptions(top_p=0.999),
        GenerationOptions(temperature=5.0),
    ):
        found = sampling_distribution(scores, options)
        assert (found[0, [0, 2]] == 0).all()
        assert (found[0, [1, 3]] > 0).all()
