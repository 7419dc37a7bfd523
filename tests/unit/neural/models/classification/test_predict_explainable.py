"""A neural classifier's label as a function of its word embeddings."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from tests.planted import planted

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

TRAINING = firth.TrainingOptions(epochs=6, batch_size=10, lr=0.01)


@pytest.fixture(scope="module", params=["tuned", "multichannel"])
def model(request):
    vectors = None
    if request.param == "multichannel":
        words = [*(f"w{i}" for i in range(20)), "key0", "key1"]
        vectors = firth.WordVectors(words, np.random.default_rng(0).normal(size=(22, 8)).astype(np.float32))
    options = firth.CNNClassifier(dim=8, filters=6, embedding=request.param, min_count=1)
    data = [(text, label) for text, label, _ in planted(300, seed=0)]
    return options.train(data, training=TRAINING, vectors=vectors, seed=1, progress=False)


def test_the_answer_is_that_of_predict(model):
    text = model.explainable("w1 key1 w2 w3")
    ((label, probability),) = model.predict("w1 key1 w2 w3")
    assert (text.target, text.tokens) == (label, ["w1", "key1", "w2", "w3"])
    assert np.exp(text.log_prob(text.rows[None])[0]) == pytest.approx(probability, rel=1e-5)
    with pytest.warns(UserWarning, match="1 of 1 texts have more than 1,000 words"):
        assert len(model.explainable("w1 " * 1001).tokens) == 1000
    assert text.rows.shape == (4, 16 if model.options.embedding == "multichannel" else 8)


def test_planted_words_come_first(model):
    for method in ("jacobian", "gradient-x-input", "integrated-gradients", "leave-one-out"):
        first = [firth.explain(model, text, method=method).top(1)[0][0] == key for text, _, key in planted(20, seed=1)]
        assert np.mean(first) >= 0.95, method


def test_integrated_gradients_are_complete(model):
    for text, label, _ in planted(3, seed=2):
        explanation = firth.explain(model, text, target=label)
        assert explanation.scores.sum() == pytest.approx(explanation.difference, abs=1e-3)


def test_leaving_a_word_out_is_the_shorter_text(model):
    text = model.explainable("w1 key1 w2 w3", "label1")
    expected = np.log(model.probabilities("w1 w2 w3")[model.labels.index("label1")])
    assert text.log_probs_without()[1] == pytest.approx(expected, rel=1e-4)
    assert len(model.explainable("key1").log_probs_without()) == 1


def test_what_cannot_be_explained(model):
    with pytest.raises(OptionError, match="expected a label of the model: "):
        firth.explain(model, "w1", target="odd")
    with pytest.raises(OptionError, match="expected at least one word"):
        firth.explain(model, "unknown words")
    with pytest.raises(OptionError, match="has no attention"):
        firth.explain(model, "w1", method="attention")


@pytest.mark.parametrize(
    "options",
    [
        firth.RecurrentClassifier(dim=8, hidden=4, pooling="attention", min_count=1),
        firth.TransformerClassifier(dim=8, width=8, layers=1, heads=2, min_count=1),
    ],
    ids=["pooling", "blocks"],
)
def test_attention_is_a_distribution(options):
    data = [(text, label) for text, label, _ in planted(40, seed=0)]
    model = options.train(data, training=firth.TrainingOptions(epochs=1, batch_size=10), seed=1, progress=False)
    scores = firth.explain(model, "w1 key1 w2 w3", method="attention").scores
    assert scores.sum() == pytest.approx(1, abs=1e-6)
    assert (scores > 0).all()
    text = model.explainable("w1 key1 w2 w3")
    gradient = text.gradient(text.rows[None])[0]
    direction = np.random.default_rng(0).normal(size=text.rows.shape)
    ends = text.log_prob(np.stack([text.rows + 1e-2 * direction, text.rows - 1e-2 * direction]))
    assert (ends[0] - ends[1]) / 2e-2 == pytest.approx((gradient * direction).sum(), rel=0.05, abs=1e-4)


def test_random_parameters_are_others(model):
    random = model.randomised(seed=3)
    assert (random.explainable("w1 w2").rows != model.explainable("w1 w2").rows).any()
