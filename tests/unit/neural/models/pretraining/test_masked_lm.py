"""Masked language models: the loss at hidden positions, gradients, what is learned."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from tests.unit.neural.models.pretraining.encoders import NETWORK, objective, pieces, trained, training, window
from tests.unit.neural.models.sentences.encoders import sentences


def test_it_reports_beside_the_frequencies_of_pieces():
    """Before it has learned more, it is as good as they are: the biases of its head begin there."""
    facts = trained("masked").metadata["training"]
    assert [row["epoch"] for row in facts["rows"]] == [1, 2]
    assert facts["rows"][0]["held_out_loss"] == pytest.approx(facts["unigram_loss"], rel=0.1)
    assert 0 <= facts["rows"][-1]["held_out_accuracy"] <= 1


def test_it_learns_a_batch_by_heart():
    model, ids = objective("masked", dim=32), window()
    optimiser, losses = torch.optim.Adam(model.parameters(), lr=0.01), []
    for _ in range(60):
        torch.manual_seed(1)
        loss, _ = model.loss(ids)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 < 3 < losses[0]


@pytest.mark.slow
def test_context_tells_more_than_frequencies():
    lines = sentences()
    how = training(epochs=30, batch_size=8, lr=0.003, warmup=20, clip_norm=1.0)
    model = firth.MaskedLM(**{**NETWORK, "dim": 32}, dropout=0.0).train(
        lines, held_out=lines[:20], training=how, max_size=120
    )
    facts = model.metadata["training"]
    assert facts["rows"][-1]["held_out_loss"] < 0.8 * facts["unigram_loss"]
    assert facts["rows"][-1]["held_out_accuracy"] > 1.5 * facts["unigram_accuracy"]


def test_only_hidden_tokens_carry_loss():
    """The loss is the mean over hidden tokens of what all states, computed everywhere, give."""
    model, ids = objective("masked").eval(), window()
    torch.manual_seed(0)
    loss, count = model.loss(ids)
    torch.manual_seed(0)
    replaced, hidden = model.masking(ids)
    losses = model.prediction.loss(model.encoder(replaced).flatten(0, 1), ids.flatten())
    torch.testing.assert_close(loss, losses[hidden.flatten()].mean())
    assert 0 < count == int(hidden.sum()) < hidden.numel() / 2


def test_the_original_is_not_seen_under_the_mask():
    """What is predicted does not change with the tokens that masks hide."""
    model, ids = objective("masked", mask_rate=0.5).eval(), window(1)
    model.masking.masking = type(model.masking.masking)(
        mask_id=pieces().mask_id, words=1, rate=0.5, masked=1.0, random=0.0
    )
    torch.manual_seed(0)
    hidden = model.masking(ids)[1]
    other = torch.where(hidden, 5 + (ids + 1) % 20, ids)
    predicted = []
    for text in (ids, other):
        torch.manual_seed(0)
        replaced, again = model.masking(text)
        assert torch.equal(again, hidden)
        predicted.append(model.prediction(model.encoder(replaced, at=hidden)))
    assert not torch.equal(ids, other)
    assert torch.equal(*predicted)


def test_gradients_against_differences():
    model, ids = objective("masked").double(), window()

    def loss():
        torch.manual_seed(5)
        return model.loss(ids)[0]

    loss().backward()
    named = dict(model.named_parameters())
    for name in (
        "encoder.embeddings.word.weight",
        "encoder.blocks.blocks.0.attention.in_proj.weight",
        "prediction.output.bias",
    ):
        parameter = named[name]
        place = tuple(int(i) for i in (parameter.grad.abs() == parameter.grad.abs().max()).nonzero()[0])
        with torch.no_grad():
            parameter[place] += 1e-5
            above = loss().item()
            parameter[place] -= 2e-5
            below = loss().item()
            parameter[place] += 1e-5
        assert parameter.grad[place].item() == pytest.approx((above - below) / 2e-5, rel=1e-5)


def test_it_predicts_what_fits():
    best = trained("masked").substitutes("The cat eats bread near the dog's house .", 2, n=5)
    assert len(best) == 5
    assert [score for _, score in best] == sorted((score for _, score in best), reverse=True)
    assert not {piece for piece, _ in best} & {"[MASK]", "[UNK]"}
    for mark in ("[]", "[MASK]"):
        assert trained("masked").substitutes(f"The cat {mark} bread near the dog's house .", n=5) == best
    for arguments in (("The cat",), ("The cat", "cat"), ("The cat", True), ("The [] cat", 1), ("", 0), ("a [] b []",)):
        with pytest.raises(OptionError, match=r"expected|which word"):
            trained("masked").substitutes(*arguments)
    with pytest.raises(OptionError, match="n=0: expected a whole number"):
        trained("masked").substitutes("The []", n=0)


@pytest.mark.parametrize("options", [{"mask_rate": 0.0}, {"mask_rate": 1.0}, {"heads": 3}, {"masking": "letters"}])
def test_bad_options(options):
    with pytest.raises(OptionError, match="expected"):
        firth.MaskedLM(**{**NETWORK, **options})


@pytest.mark.parametrize("rate", [1, 1.5])
def test_a_text_is_never_hidden_whole(rate):
    with pytest.raises(OptionError, match=f"mask_rate={rate}: expected a finite number above 0 and at most 0.99"):
        firth.MaskedLM(mask_rate=rate)


def test_options_of_masks_reach_them():
    model = objective("masked", masking="spans", mask_rate=0.3)
    assert (model.masking.unit, model.masking.masking.rate) == ("spans", 0.3)
