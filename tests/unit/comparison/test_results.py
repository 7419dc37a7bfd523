"""What a comparison measured, as a table."""

import json
import math

import pytest

from firth.comparison.results import Comparison, quality, shown


def figure(name, value, metric="spearman", covered=10):
    low, high = (None, None) if value is None else (value - 0.05, value + 0.05)
    return {"set": name, "metric": metric, "value": value, "low": low, "high": high, "covered": covered, "total": 10}


def row(model, *figures, peak=250_000_000, counting=0.0):
    told = {
        "seconds": 12.34,
        "counting_seconds": counting,
        "words_per_second": 1_234_567,
        "peak_bytes": peak,
        "file_bytes": 31_000_000,
    }
    return {"model": model, **told, "figures": list(figures)}


@pytest.fixture
def comparison():
    rows = [
        row(
            "cbow",
            figure("pairs", 0.612),
            figure("questions", 0.3, "3cosadd", 8),
            figure("questions", 0.4, "3cosmul"),
            figure("questions/gram1", 0.9, "3cosadd"),
        ),
        row("ppmi", figure("pairs", None), peak=None, counting=5.0),
    ]
    return Comparison(rows, {"tokens": 1_000_000, "threads": 2})


def test_one_figure_a_set_is_shown(comparison):
    assert comparison.sets == ["pairs", "questions"]
    assert str(comparison).splitlines() == [
        "model  seconds  counting    words/s  peak MB  file MB            pairs                questions",
        "cbow      12.3         -  1,234,567      250       31  61.2 (56 to 66)  30.0 (25 to 35) of 80 %",
        "ppmi      12.3       5.0  1,234,567        -       31                -                        -",
    ]
    assert (
        comparison.to_markdown()
        .splitlines()[2]
        .startswith("| cbow | 12.3 | - | 1,234,567 | 250 | 31 | 61.2 (56 to 66) |")
    )
    assert ">61.2 (56 to 66)</td>" in comparison._repr_html_()
    assert [json.loads(line)["model"] for line in comparison.to_json().splitlines()] == ["cbow", "ppmi"]


def test_quality_is_the_mean_over_the_sets(comparison):
    value, low, high = quality(comparison.rows[0])
    assert len(shown(comparison.rows[0])) == 2
    assert (value, low, high) == (pytest.approx(0.456), pytest.approx(0.406), pytest.approx(0.506))
    assert all(math.isnan(number) for number in quality(comparison.rows[1]))
