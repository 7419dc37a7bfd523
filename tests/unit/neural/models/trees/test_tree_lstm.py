"""Options of Tree-LSTM classifiers, and what each kind can tell apart."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError, ShapeError
from tests.unit.neural.models.trees.tiny import SIZES, TRAINING, related, sentiments


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"kind": "binary"}, "kind='binary'"),
        ({"merge": "bad"}, "expected NAME=LABEL,LABEL"),
        ({"merge": "bad=0,1"}, "one label is left"),
        ({"merge": "a=0 b=1", "pairs": "paraphrase"}, "only labels of nodes are merged"),
        ({"lowest": 5}, "expected lowest to be below highest"),
        ({"dropout": 1.0}, "dropout=1.0"),
    ],
)
def test_options_are_checked(options, problem):
    with pytest.raises(OptionError, match=problem):
        firth.TreeLSTMClassifier(**options)


@pytest.mark.parametrize("kind", ["child-sum", "lstm"])
def test_every_kind_learns_negation(kind):
    options = firth.TreeLSTMClassifier(**SIZES, kind=kind, merge="bad=0,1 good=3,4")
    model = options.train(sentiments(60), held_out=sentiments(20, 1), training=TRAINING, progress=False)
    assert model.test(sentiments(30, 2), progress=False).f1 == 1


def test_relatedness_of_pairs_is_learned_and_symmetric():
    options = firth.TreeLSTMClassifier(**SIZES, kind="child-sum", pairs="relatedness")
    model = options.train(related(60), held_out=related(20, 1), training=TRAINING, progress=False)
    pairs = [pair for pair, _ in related(30, 2)]
    scores = model.relatedness(pairs)
    assert abs(scores - [score for _, score in related(30, 2)]).mean() < 0.5
    assert scores == pytest.approx(model.relatedness([(b, a) for a, b in pairs]), abs=1e-6)
    with pytest.raises(OptionError, match="gives scores, no labels"):
        model.test(related(3))
    with pytest.raises(OptionError, match="labels pairs, not nodes"):
        model.node_probabilities([pairs[0][0]])


def test_too_many_children_are_an_error_that_says_what_to_do():
    options = firth.TreeLSTMClassifier(**SIZES)
    with pytest.raises(ShapeError, match="3 children, expected at most 2"):
        options.train(["(1 (0 a) (0 b) (0 c))"] * 3, training=TRAINING, progress=False)
