"""Learning curves by size: draws, intervals, and the picture."""

import numpy as np
import pytest

from firth import plots
from firth.comparison.learning_curve import Measured, learning_curve, share
from firth.errors import OptionError
from firth.evaluation.significance import wilson_interval


def judge(rows, seed):
    """A model that is as good as its examples are many, and as its draw is lucky."""
    assert (np.diff(rows) > 0).all()
    return Measured(len(rows) / 1000 + seed / 100, 0.0, 1.0)


def curve(**options):
    return learning_curve(judge, 500, name="linear", measure="accuracy", unit="texts", progress=False, **options)


def test_sizes_up_to_all_of_them_and_small_ones_drawn_three_times():
    points = curve().points
    assert [(point.examples, len(point.draws)) for point in points] == [(50, 3), (100, 3), (300, 3), (500, 1)]
    assert points[-1] == type(points[-1])(500, 0.5, 0.0, 1.0, (0.5,))


def test_interval_of_three_draws_is_that_of_student():
    """0.05, 0.06 and 0.07: mean 0.06, standard error 0.01 / sqrt 3, and t of two degrees of freedom is 4.303."""
    (point,) = curve(sizes=[50]).points
    assert point.value == pytest.approx(0.06)
    assert point.high - point.value == pytest.approx(4.30265 * 0.01 / 3**0.5, rel=1e-5)


def test_draws_are_nested():
    """What 50 examples hold, the 100 of the same draw hold, too; other draws hold others."""
    seen: dict[tuple[int, int], set[int]] = {}

    def note(rows, seed):
        seen[len(rows), seed] = set(rows.tolist())
        return Measured(0.5, 0.0, 1.0)

    learning_curve(note, 500, name="m", measure="accuracy", unit="texts", sizes=[50, 100], progress=False)
    assert seen[50, 0] < seen[100, 0]
    assert seen[50, 0] != seen[50, 1]


def test_interval_of_a_share():
    """Wilson's interval of 8 of 10: from 0.490 to 0.943."""
    found = share(8, 10)
    assert (found.low, found.high) == wilson_interval(8, 10)
    assert (round(found.low, 3), found.value, round(found.high, 3)) == (0.490, 0.8, 0.943)
    assert share(10, 10).high == pytest.approx(1.0)


@pytest.mark.parametrize("sizes", [[0], [501], []])
def test_sizes_that_are_not_there(sizes):
    with pytest.raises(OptionError, match="from 1 to 500, the texts that there are"):
        curve(sizes=sizes)


def test_text_json_and_picture_hold_the_same_figures():
    found = curve(sizes=[50, 500])
    assert str(found).splitlines()[1] == "   50  0.0600 [0.0352, 0.0848]  mean of 3 draws"
    assert found.described()["points"][1] == {
        "examples": 500, "value": 0.5, "low": 0.0, "high": 1.0, "draws": [0.5]
    }  # fmt: skip
    picture = plots.scores_by_size([found])
    assert [row["accuracy"] for row in picture.rows] == [pytest.approx(0.06), 0.5]
    assert [name for _, name in picture.x.ticks] == ["50", "500"]
    with pytest.raises(OptionError, match="expected one measure"):
        plots.scores_by_size([found, type(found)("other", "F1", "texts", found.points)])
