import numpy as np
import pytest

from firth.errors import OptionError
from firth.explanation.explanation import Explanation
from firth.plots import token_scores


def explanation(tokens=("good", "dull"), scores=(0.5, -2.0), method="leave-one-out"):
    return Explanation(" ".join(tokens), tokens, np.array(scores), method, "pos", 0.75, 0.1)


def test_a_bar_per_token_from_the_top():
    picture = token_scores(explanation())
    _, bars, dots = picture.marks
    assert bars.ends.tolist() == [[[0, 1], [0.5, 1]], [[0, 0], [-2, 0]]]
    assert dots.xy.tolist() == [[0.5, 1], [-2, 0]]
    assert picture.y.ticks == [(1.0, "good"), (0.0, "dull")]
    assert picture.rows[1] == {"token": "dull", "method": "leave-one-out", "score": -2.0}


def test_several_methods_have_a_scale_and_colours():
    picture = token_scores([explanation(), explanation(scores=(3.0, 6.0), method="jacobian")])
    assert picture.groups == ["leave-one-out", "jacobian"]
    assert [mark.xy[:, 0].tolist() for mark in picture.marks[2::2]] == [[0.25, -1], [0.5, 1]]


def test_what_cannot_be_drawn():
    with pytest.raises(OptionError, match="no explanation"):
        token_scores([])
    with pytest.raises(OptionError, match="different texts"):
        token_scores([explanation(), explanation(tokens=("a", "b"))])
