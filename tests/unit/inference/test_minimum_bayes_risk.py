import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import ArgumentTypeError, OptionError, ShapeError
from firth.inference.minimum_bayes_risk import minimum_bayes_risk

TEXTS = st.lists(st.text("ab", max_size=3), min_size=1, max_size=6)


def overlap(text, reference):
    """Share of the words of either text that both have."""
    one, two = set(text.split()), set(reference.split())
    return len(one & two) / len(one | two)


def test_by_hand():
    """The most probable text shares nothing with the others, which share two of four words.

    "a b c" has .3 + .25 x 2/4 = .425, "a b d" .25 + .3 / 2 = .4, "x" has .45 only.
    """
    texts, log_probs = ["x", "a b c", "a b d"], np.log([0.45, 0.3, 0.25])
    found = minimum_bayes_risk(texts, overlap, log_probs=log_probs)
    assert [(each.text, each.index) for each in found] == [("x", 0), ("a b c", 1), ("a b d", 2)]
    assert [each.utility for each in found] == pytest.approx([0.45, 0.425, 0.4])
    log_probs = np.log([0.4, 0.35, 0.25]) - 700  # only their differences matter
    assert [each.text for each in minimum_bayes_risk(texts, overlap, log_probs=log_probs)] == ["a b c", "a b d", "x"]


def test_samples_count_as_often_as_they_come():
    found = minimum_bayes_risk(["x", "a b c", "a b d", "a b c"], overlap)
    assert [(each.text, each.index) for each in found] == [("a b c", 1), ("a b d", 2), ("x", 0)]
    assert [each.utility for each in found] == pytest.approx([0.5 + 0.125, 0.25 + 0.25, 0.25])


@given(TEXTS)
def test_exact_matches_select_the_most_frequent_text(texts):
    best = minimum_bayes_risk(texts, lambda text, reference: float(text == reference))[0]
    assert best.utility == pytest.approx(max(map(texts.count, texts)) / len(texts))
    assert texts.index(best.text) == best.index


@given(TEXTS, st.data())
def test_expected_utility_is_the_sum_over_all_pairs(texts, data):
    log_probs = data.draw(st.lists(st.floats(-9, 0), min_size=len(texts), max_size=len(texts)))

    def utility(text, reference):
        return len(text) - 2 * len(reference) + text.count("a") * reference.count("b")

    for each in minimum_bayes_risk(texts, utility, log_probs=log_probs):
        p = np.exp(log_probs) / np.exp(log_probs).sum()
        assert each.utility == pytest.approx(sum(q * utility(each.text, r) for q, r in zip(p, texts, strict=True)))


def test_what_cannot_be_ranked_is_refused():
    with pytest.raises(OptionError, match="no texts: expected at least one"):
        minimum_bayes_risk([], overlap)
    with pytest.raises(ShapeError, match="1 log-probabilities for 2 texts"):
        minimum_bayes_risk(["a", "b"], overlap, log_probs=[0.0])
    with pytest.raises(OptionError, match="maximum nan: expected finite"):
        minimum_bayes_risk(["a", "b"], overlap, log_probs=[0.0, math.nan])
    with pytest.raises(OptionError, match="utility of 'a': nan; expected a finite number"):
        minimum_bayes_risk(["a", "b"], lambda text, reference: math.nan)


@pytest.mark.parametrize("utility", ["chrf", lambda text, reference: None])
def test_a_utility_is_a_function_of_numbers(utility):
    with pytest.raises(ArgumentTypeError, match=r"utility.*expected a (function|number)"):
        minimum_bayes_risk(["a", "b"], utility)
