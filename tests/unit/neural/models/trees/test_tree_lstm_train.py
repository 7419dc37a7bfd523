"""Training on trees: what determines it, and what it refuses."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, OptionError
from tests.unit.neural.models.trees.tiny import SIZES, TRAINING, related, sentiments


def trained(source, *, seed=0, **how):
    options = firth.TreeLSTMClassifier(**SIZES, **how)
    return options.train(source, training=firth.TrainingOptions(epochs=1, batch_size=5), seed=seed, progress=False)


def test_the_seed_determines_the_result():
    one, same, other = (trained(sentiments(20), seed=seed) for seed in (1, 1, 2))
    trees = sentiments(5, 3)
    assert np.array_equal(one.probabilities(trees), same.probabilities(trees))
    assert not np.array_equal(one.probabilities(trees), other.probabilities(trees))


def test_given_vectors_decide_the_width_and_static_ones_stay():
    words = ["not", "so", "very", "good", "bad", "."]
    vectors = firth.WordVectors(words, np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32))
    options = firth.TreeLSTMClassifier(**SIZES, embedding="static")
    model = options.train(sentiments(20), vectors=vectors, training=TRAINING, progress=False)
    row = model.words.index("good") + 2
    assert model.options.dim == 5
    assert np.array_equal(model.module.encoder.embedding.weight[row].numpy(), vectors.get_vector("good"))
    with pytest.raises(OptionError, match="'static' without vectors"):
        options.train(sentiments(20))


def test_held_out_trees_without_a_known_label_are_refused_by_name():
    options = firth.TreeLSTMClassifier(**SIZES)
    with pytest.raises(CorpusError, match=r"held_out: none of its labels \('x', 'y'\) is one of the training examples"):
        options.train(sentiments(20), held_out=["(x (y good) (y bad))"], training=TRAINING, progress=False)


@pytest.mark.parametrize(
    ("source", "how", "problem"),
    [
        (["(2 a)", "(2 b)"], {}, "one label only, '2'"),
        (["(2 a)"], {}, "1 example; expected at least two"),
        ([(pair, 9) for pair, _ in related(3)], {"pairs": "relatedness"}, "score 9 .*: expected a number from 1 to 5"),
        ([(pair, "x") for pair, _ in related(3)], {"pairs": "relatedness"}, "expected a score per pair, such as 3.6"),
    ],
)
def test_what_is_refused(source, how, problem):
    with pytest.raises(CorpusError, match=problem):
        trained(source, **how)
