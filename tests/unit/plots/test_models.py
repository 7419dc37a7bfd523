import json
import math

import numpy as np
import pytest

from firth.comparison.results import Comparison
from firth.errors import OptionError
from firth.evaluation.evaluate import evaluate
from firth.plots import models_by_set, models_by_time
from firth.vectors.word_vectors import WordVectors


def figure(vectors, name, value, metric="spearman"):
    low, high = (None, None) if value is None else (value - 0.05, value + 0.1)
    return {"vectors": vectors, "set": name, "metric": metric, "value": value, "low": low, "high": high}


ROWS = [
    figure("cbow", "men", 0.6),
    figure("cbow", "google", 0.3, "3cosadd"),
    figure("cbow", "google", 0.4, "3cosmul"),
    figure("cbow", "google/gram1", 0.9, "3cosadd"),
    figure("glove", "men", 0.5),
    figure("glove", "google", None, "3cosadd"),
]


def test_figures_and_their_intervals_are_where_they_should_be():
    """Two models: a set takes three lines, the second begins at -3, and a name stands between its two lines."""
    picture = models_by_set(ROWS)
    intervals, points = picture.marks
    np.testing.assert_allclose(points.xy, [[0.6, 0], [0.3, -3], [0.5, -1]])
    np.testing.assert_allclose(intervals.ends[0], [[0.55, 0], [0.7, 0]])
    assert list(points.groups) == list(intervals.groups) == [0, 0, 1]
    assert list(picture.groups) == ["cbow", "glove"]
    assert list(picture.y.ticks) == [(-0.5, "men (spearman)"), (-3.5, "google (3cosadd)")]
    assert list(picture.rows) == [ROWS[0], ROWS[1], ROWS[4]]
    assert list(picture.notes) == ["1 figure could not be measured"]
    assert picture.title == "2 models on 2 sets, with 95 % intervals"


def test_every_line_that_evaluate_writes_is_accepted(tmp_path):
    """Its report on several models has lines that compare two of them: no figures of a model."""
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("a\tb\t1\nb\tc\t2\nc\td\t3\na\td\t4\n", encoding="utf-8")
    rows = np.random.default_rng(0).normal(size=(2, 4, 3))
    two = {name: WordVectors(list("abcd"), some) for name, some in zip(("one", "two"), rows, strict=True)}
    lines = [json.loads(line) for line in evaluate(two, similarity=pairs).to_json().splitlines()]
    assert [line.get("vectors") for line in lines] == ["one", "two", None]
    assert list(models_by_set(lines).groups) == ["one", "two"]


def test_figures_that_are_none_are_refused():
    with pytest.raises(OptionError, match="a figure without metric, value"):
        models_by_set([{"vectors": "cbow", "set": "men", "low": 0, "high": 1}])
    with pytest.raises(OptionError, match="no figures to draw"):
        models_by_set([])


@pytest.fixture
def comparison():
    rows = [
        {"model": "cbow", "seconds": 10.0, "figures": [figure("cbow", "men", 0.6), figure("cbow", "rare", 0.2)]},
        {"model": "ppmi", "seconds": 20.0, "figures": [figure("ppmi", "men", None)]},
    ]
    return Comparison(rows, {"tokens": 1_500_000, "threads": 2})


def test_quality_against_time(comparison):
    """The mean of 60 and 20 % is 40, of the lower ends 35, of the upper 50."""
    picture = models_by_time(comparison)
    intervals, points = picture.marks
    np.testing.assert_allclose(points.xy, [[10, 40]])
    np.testing.assert_allclose(intervals.ends, [[[10, 35], [10, 50]]])
    assert picture.x.log
    assert [text for _, text in picture.x.ticks] == ["10", "20"]
    assert list(picture.notes) == ["without a figure: ppmi"]
    assert picture.title == "1 model, 1.5 M words, 2 threads"
    assert not math.isnan(picture.rows[0]["value"])


def test_a_comparison_without_figures_is_refused(comparison):
    with pytest.raises(OptionError, match="no figures to draw"):
        models_by_time(Comparison(comparison.rows[1:], comparison.run))
