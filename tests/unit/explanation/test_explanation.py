"""An explanation as text, values and HTML."""

import numpy as np
import pytest

from firth.explanation.explanation import Explanation, html_page

TOKENS = ["<b>", "fine", "dull"]


def explanation(scores=(0.5, 1.0, -2.0), method="integrated-gradients"):
    return Explanation("<b> fine dull", TOKENS, np.array(scores), method, "pos", 0.75, -0.5)


def test_as_text():
    assert str(explanation()).splitlines() == [
        "pos (p = 0.7500), integrated-gradients",
        "<b>     0.5000",
        "fine    1.0000",
        "dull   -2.0000",
    ]
    assert repr(explanation()) == "<Explanation of 'pos' by integrated-gradients: 3 tokens>"


def test_the_largest_come_first():
    assert explanation().top(2) == [("dull", -2.0), ("fine", 1.0)]


def test_strengths_are_shares_of_the_largest():
    assert explanation().strengths.tolist() == [0.25, 0.5, -1.0]
    assert explanation((0, 0, 0)).strengths.tolist() == [0, 0, 0]


def test_as_values():
    described = explanation().described()
    assert described["tokens"][2] == {"token": "dull", "score": -2.0}
    assert (described["target"], described["probability"]) == ("pos", 0.75)


@pytest.mark.parametrize("method", ["integrated-gradients", "attention"])
def test_html_escapes_and_colours(method):
    html = explanation(method=method)._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert ("rgba(215,48,39,0.750)" in html) == (method != "attention")  # which has no sign
    page = html_page([explanation(), explanation()])
    assert page.count("dull") == 2
    assert page.startswith("<!doctype html>")
