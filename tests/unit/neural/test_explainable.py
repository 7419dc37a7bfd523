"""A language model's next word as a function of its word embeddings: answers, gradients, attention."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.explanation.method_agreement import agreement

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.explainable import _recorded_attention

MODELS = {
    "lstm": firth.RecurrentLM(cell="lstm", dim=8, hidden=8, layers=1),
    "qrnn": firth.RecurrentLM(cell="qrnn", dim=8, hidden=8, layers=1),
    "characters": firth.RecurrentLM(embedding="char-cnn", hidden=8, layers=1),
    "transformer": firth.TransformerLM(dim=8, layers=2, heads=2),
    "feedforward": firth.FeedForwardLM(dim=8, hidden=8),
}
TRAINING = firth.TrainingOptions(epochs=2, batch_size=4, lr=0.02)
LINES = [f"the {animal} eats {food} ." for animal in ("cat", "dog", "hen") for food in ("fish", "corn", "meat")] * 4


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    options = {"tokens": "whitespace", "min_count": 1, "progress": False}
    return MODELS[request.param].train(LINES, training=TRAINING, seed=1, threads=1, **options)


def test_the_answer_is_that_of_next_words(model):
    text = model.explainable("the cat eats")
    (word, probability), *_ = model.next_words("the cat eats", topn=1)
    assert (text.target, list(text.tokens[1:])) == (word, ["the", "cat", "eats"])
    assert np.exp(text.log_prob(text.rows[None])[0]) == pytest.approx(probability, rel=1e-5)
    assert (text.shares[:, -4:] == np.eye(4)).all()  # rows of padding, which come first, are the first token's


def test_gradients_are_finite_differences(model):
    model.module.double()
    try:
        text = model.explainable("the cat eats", "fish")
        gradient = text.gradient(text.rows[None])[0]
        direction = np.random.default_rng(0).normal(size=text.rows.shape)
        ends = text.log_prob(np.stack([text.rows + 1e-5 * direction, text.rows - 1e-5 * direction]))
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx((gradient * direction).sum(), rel=1e-5)
    finally:
        model.module.float()


def test_integrated_gradients_are_complete(model):
    explanation = firth.explain(model, "the cat eats", target="fish")
    assert explanation.scores.sum() == pytest.approx(explanation.difference, abs=1e-3)


def test_leaving_a_word_out_is_the_shorter_text(model):
    text = model.explainable("the cat eats", "fish")
    shorter = model.explainable("the eats", "fish")
    assert text.log_probs_without()[2] == pytest.approx(shorter.log_prob(shorter.rows[None])[0], rel=1e-5)


def test_nothing_stays_behind(model):
    before, gradients = model.next_words("the cat"), [parameter.grad for parameter in model.module.parameters()]
    firth.explain(model, "the cat eats", method="gradient-x-input")
    assert model.next_words("the cat") == before
    after = [parameter.grad for parameter in model.module.parameters()]
    assert all(one is other for one, other in zip(gradients, after, strict=True))


def test_attention_is_a_distribution(model):
    if not isinstance(model.options, firth.TransformerLM):
        with pytest.raises(OptionError, match="has no attention"):
            firth.explain(model, "the cat eats", method="attention")
        return
    scores = firth.explain(model, "the cat eats", method="attention").scores
    assert scores.sum() == pytest.approx(1, abs=1e-6)
    assert (scores > 0).all()
    text = model.explainable("the cat eats")
    with torch.no_grad(), _recorded_attention(model.module) as weights:
        text.log_prob(text.rows[None])
    last = [each[0, :, -1].mean(0) for each in weights]  # (T,) of each block
    assert scores == pytest.approx(torch.stack(last).mean(0).double().numpy(), abs=1e-6)
    assert not any("attend" in vars(module) for module in model.module.modules())


def test_what_cannot_be_explained(model):
    with pytest.raises(OptionError, match="target='fowl': not one of the model's"):
        firth.explain(model, "the cat", target="fowl")
    with pytest.raises(OptionError, match="expected at least one word"):
        firth.explain(model, "")


def test_random_parameters_are_others(model):
    random = model.randomised(seed=3)
    assert (random.explainable("the cat").rows != model.explainable("the cat").rows).any()
    assert (random.explainable("the cat").rows == model.randomised(seed=3).explainable("the cat").rows).all()
    table = agreement(model, ["the cat eats", "the dog eats", "the"], ["gradient-x-input", "leave-one-out"], seed=0)
    assert table.texts == 2  # one is too short
    assert np.allclose(np.diag(table.tau), 1)
    assert table.tau[0, 1] == table.tau[1, 0]
    assert torch.is_grad_enabled()
