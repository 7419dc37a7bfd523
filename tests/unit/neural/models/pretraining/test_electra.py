"""ELECTRA: labels, gradients, the area under the curve."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from tests.unit.neural.models.pretraining.encoders import objective, spread, trained, window


def test_no_gradient_reaches_the_generator_from_the_discriminator():
    """With a weight of 50 or of 500 the generator has the same gradients; the shared vectors have others."""
    gradients = {}
    for weight in (50.0, 500.0):
        model = objective("electra", weight=weight)
        torch.manual_seed(1)
        model.loss(window())[0].backward()
        gradients[weight] = {name: part.grad for name, part in model.named_parameters()}
    generator = [name for name in gradients[50.0] if name.startswith("corruption.") and "embeddings" not in name]
    assert any("generator.blocks" in name for name in generator)
    assert all(torch.equal(gradients[50.0][name], gradients[500.0][name]) for name in generator)
    assert not torch.equal(gradients[50.0]["prediction.score.weight"], gradients[500.0]["prediction.score.weight"])
    shared = "encoder.embeddings.word.weight"
    assert not torch.equal(gradients[50.0][shared], gradients[500.0][shared])


def test_the_loss_by_hand():
    """The generator's mean loss, and 50 times the mean cross entropy over all tokens."""
    model, ids = objective("electra"), window()
    torch.manual_seed(1)
    loss, count = model.loss(ids)
    torch.manual_seed(1)
    corrupted = model.corruption(ids)
    chances = model.prediction(model.encoder(corrupted.ids)).sigmoid()
    right = torch.where(corrupted.replaced, chances, 1 - chances)
    by_hand = corrupted.losses.mean() - 50 * right.log().mean()
    assert loss.item() == pytest.approx(by_hand.item(), rel=1e-5)
    assert count == int(corrupted.hidden.sum())


@torch.no_grad()
def test_measures_and_figures_by_hand():
    """The generator's loss, the cross entropy over all tokens, and the area over ordinary ones as a share of pairs."""
    model, ids = spread(objective("electra", mask_rate=0.5)).eval(), window()
    torch.manual_seed(1)
    found = model.measure(ids)
    torch.manual_seed(1)
    corrupted = model.corruption(ids)
    scores = model.prediction(model.encoder(corrupted.ids))
    replaced, ordinary = corrupted.ids != ids, ids > 4
    losses = -torch.where(replaced, scores.sigmoid(), 1 - scores.sigmoid()).log().flatten()
    torch.testing.assert_close(found["generator"], corrupted.losses)
    torch.testing.assert_close(found["losses"], losses, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found["scores"], scores[ordinary])
    assert torch.equal(found["replaced"], replaced[ordinary])
    figures = model.figures({name: values.double() for name, values in found.items()})
    generator, own = float(corrupted.losses.mean()), float(losses.mean())
    high, low = (scores[ordinary & each][:, None] for each in (replaced, ~replaced))
    area = float((high > low.T).double().mean() + (high == low.T).double().mean() / 2)
    assert figures == pytest.approx(
        {"loss": generator + 50 * own, "generator_loss": generator, "replaced_loss": own, "replaced_auc": area},
        rel=1e-4,
    )


def test_it_reports_all_parts():
    row = trained("electra").metadata["training"]["rows"][-1]
    assert row["held_out_loss"] == pytest.approx(row["held_out_generator_loss"] + 50 * row["held_out_replaced_loss"])
    assert 0 <= row["held_out_replaced_auc"] <= 1


@pytest.mark.parametrize("kind", [firth.Electra, firth.CocoLM])
def test_a_generator_has_a_width(kind):
    with pytest.raises(OptionError, match="generator=0: expected a finite number above 0 and at most 1"):
        kind(generator=0)


def test_chances_of_words():
    model = trained("electra")
    chances = model.replaced(["The", "cat", "eats", "bread"])
    assert chances.shape == (4,)
    assert ((chances > 0) & (chances < 1)).all()
    with pytest.raises(OptionError, match=r"firth\.MaskedLM"):
        model.substitutes("The cat", 0)
    with pytest.raises(OptionError, match=r"firth\.Electra"):
        trained("masked").replaced("The cat")
