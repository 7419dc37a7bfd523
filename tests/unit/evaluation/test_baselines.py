"""The most frequent label, and the warning about a training that ends no better."""

import pytest

from firth.evaluation.baselines import most_frequent, most_frequent_of_texts, the_label, warn_if_trivial

ABOUT = {"measure": "accuracy", "data": "20 held-out texts", "remedy": "give more labelled texts"}


def test_the_most_frequent_label():
    assert most_frequent(["a", "b", "b", "a", "c"]) == ("a", 0.4)
    assert most_frequent([]) == ("", 0.0)


def test_the_label_that_most_texts_have_may_be_first_in_none():
    assert most_frequent_of_texts([["a", "z"], ["b", "z", "z"], ["c"]]) == ("z", 2 / 3)
    assert most_frequent_of_texts([]) == ("", 0.0)


@pytest.mark.parametrize("score", [0.105, 0.106])
def test_a_training_that_taught_nothing_is_told_of(score):
    with pytest.warns(UserWarning, match="no better than") as caught:
        assert warn_if_trivial(score, 0.106, baseline=the_label("comp.graphics"), **ABOUT)
    assert str(caught[0].message) == (
        "training ended no better than the most frequent label, 'comp.graphics': accuracy "
        f"{100 * score:.1f} on 20 held-out texts, without a model 10.6; give more labelled texts"
    )
    assert caught[0].filename == __file__


def test_a_better_one_is_not(recwarn):
    assert not warn_if_trivial(0.107, 0.106, baseline=the_label("x"), **ABOUT)
    assert not recwarn.list
