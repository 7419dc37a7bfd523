import numpy as np
import pytest

from firth.errors import OptionError
from firth.plots import bias_summary

ROWS = [
    {"name": "flowers", "effect": 1.5, "low": 1.1, "high": 1.9, "p": 0.0002},
    {"name": "careers", "effect": 0.5, "low": -0.2, "high": 1.2, "p": 0.2},
    {"name": "weapons", "effect": -0.7},
]


def test_effects_with_their_intervals():
    picture = bias_summary(ROWS)
    _, intervals, points = picture.marks
    np.testing.assert_allclose(points.xy, [[1.5, 2], [0.5, 1], [-0.7, 0]])
    np.testing.assert_allclose(intervals.ends, [[[1.1, 2], [1.9, 2]], [[-0.2, 1], [1.2, 1]]])
    assert list(points.hollow) == [False, True, False]
    assert [text for _, text in picture.y.ticks] == ["flowers (p < 0.001)", "careers (p = 0.200)", "weapons"]
    assert picture.rows[2] == {"name": "weapons", "effect": -0.7, "low": None, "high": None, "p": None}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"effect": 1.0}, "an effect without a name"),
        ({"name": "x"}, "x: effect is None; expected a number"),
        ({"name": "x", "effect": "big"}, "x: effect is 'big'"),
        ({"name": "x", "effect": float("nan")}, "x: effect is nan"),
        ({"name": "x", "effect": 1, "low": 0.5}, "one end of an interval"),
    ],
)
def test_rows_that_are_no_effects_are_refused(row, told):
    with pytest.raises(OptionError, match=told):
        bias_summary([row])


def test_no_rows_are_refused():
    with pytest.raises(OptionError, match="no effects to draw"):
        bias_summary([])


def test_tests_of_the_literature_have_their_titles():
    picture = bias_summary([{"name": "weat-10", "effect": 0.5, "p": 0.01}])
    assert [text for _, text in picture.y.ticks] == [
        "Young and old people's names and pleasantness (WEAT 10) (p = 0.010)"
    ]
    assert picture.rows[0]["name"] == "weat-10"
