"""One query for every measure."""

import itertools

import numpy as np
import pytest

from firth.bias import METRICS, Query, ect, measure, rnd, sc_weat, weat
from firth.errors import OptionError, UnknownWordError
from firth.vectors.word_vectors import WordVectors

VECTORS = WordVectors([f"w{i}" for i in range(24)], np.random.default_rng(0).normal(size=(24, 8)))
WORDS = VECTORS.words
SETS = {name: WORDS[start : start + 6] for name, start in zip("xyab", (0, 6, 12, 18), strict=True)}
QUERY = Query({"x": SETS["x"], "y": SETS["y"]}, {"a": SETS["a"], "b": SETS["b"]}, "all four")


@pytest.mark.parametrize("metric", METRICS)
def test_a_query_of_four_sets_is_asked_in_parts(metric):
    found = measure(VECTORS, QUERY, metric)
    parts = 2 if metric in ("sc-weat", "rnd", "ripa", "ect") else 1
    assert [one.query for one in found] == (["all four"] if parts == 1 else [one.query for one in found])
    assert len({one.query for one in found}) == len(found) == parts
    assert all(one.metric == metric and np.isfinite(one.value) for one in found)


def test_the_parts_are_those_of_the_function():
    targets = {name: SETS[name] for name in "xy"}
    for function in (rnd, ect):
        alone = [function(VECTORS, Query(targets, {name: SETS[name]})).value for name in "ab"]
        assert [one.value for one in measure(VECTORS, QUERY, function.__name__)] == alone
    alone = sc_weat(VECTORS, Query({"y": SETS["y"]}, {name: SETS[name] for name in "ab"})).value
    assert measure(VECTORS, QUERY, "sc-weat")[1].value == alone
    assert measure(VECTORS, QUERY, "sc-weat")[1].query == "all four: y"


def test_no_such_metric():
    with pytest.raises(OptionError, match="metric 'weet': expected one of weat, sc-weat"):
        measure(VECTORS, QUERY, "weet")


def test_runs_have_an_interval(runs):
    """The value is the mean over runs, and the rest that of the consensus."""
    words = runs.words
    query = Query({"x": words[:4], "y": words[4:8]}, {"a": words[8:12], "b": words[12:16]})
    (score,) = measure(runs, query, "weat")
    estimate = runs.estimate(lambda v: weat(v, query).value)
    assert (score.value, score.low, score.high) == (estimate.value, estimate.low, estimate.high)
    assert score.p == weat(runs.consensus, query).p
    assert score.notes[-1] == "mean and interval of 3 runs; p is that of their consensus"


def test_runs_without_some_of_the_words_are_left_out(runs):
    """The sets of words have to be the same in all runs."""
    single = next(word for word in runs.words if sum(word in run for run in runs) == 1)
    words = [word for word in runs.words[:20] if word != single]
    query = Query({"x": [*words[:4], single], "y": words[4:8]}, {"a": words[8:12], "b": words[12:16]})
    (score,) = measure(runs, query, "weat")
    assert np.isfinite(score.value)
    assert (score.low, score.high) == (None, None)
    assert score.notes[-1].startswith("mean and interval of 1 runs")


def test_words_that_no_run_has_together(runs):
    present = {word: [word in run for run in runs] for word in runs.words if word in runs}
    apart = next(
        (a, b) for a, b in itertools.combinations(present, 2) if not np.logical_and(present[a], present[b]).any()
    )
    words = [word for word in runs.words[:20] if word not in apart]
    query = Query({"x": [*words[:4], apart[0]], "y": [*words[4:8], apart[1]]}, {"a": words[8:12], "b": words[12:16]})
    with pytest.raises(
        UnknownWordError, match=r"no run has all of its words, and 2 of 3 runs lack '\w+'; expected words"
    ):
        measure(runs, query, "weat")
