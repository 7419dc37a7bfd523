"""COCO-LM: corrective language modelling, crops, contrasts."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from tests.unit.neural.models.pretraining.encoders import objective, pieces, spread, trained, window


def test_corrective_probabilities_by_hand():
    """Where the sample is the original, p = g + (1 - g) softmax; elsewhere p = (1 - g) softmax."""
    model, ids = objective("coco", mask_rate=0.5), window()
    corrupted = model.corruption(ids)
    states = model.encoder(corrupted.ids)
    gates = model.copy(states)[..., 0]
    gate = gates.sigmoid()[corrupted.hidden]
    softmax = model.prediction.loss(states[corrupted.hidden], ids[corrupted.hidden]).neg().exp()
    same = ~corrupted.replaced[corrupted.hidden]
    expected = torch.where(same, gate, torch.zeros(())) + (1 - gate) * softmax
    torch.testing.assert_close(model.corrective(states, gates, ids, corrupted), -expected.log())


def test_the_gate_learns_from_copying_alone():
    model, ids = objective("coco", weight=0.0), window()
    model.loss(ids)[0].backward()
    assert float(model.copy.weight.grad.abs().max()) == 0.0


@pytest.mark.parametrize(("crop", "length"), [(0.5, 6), (0.9, 11), (0.01, 1)])
def test_crops_are_pieces_of_windows(crop, length):
    """Of 12 tokens between the first and the last."""
    model, ids = objective("coco", crop=crop), window()
    views = model.cropped(ids)
    assert views.shape == (3, length + 2)
    assert bool((views[:, 0] == pieces().cls_id).all())
    assert bool((views[:, -1] == pieces().sep_id).all())
    for row, view in zip(ids, views, strict=True):
        assert any(torch.equal(row[first : first + length], view[1:-1]) for first in range(1, 14 - length))


def test_windows_and_crops_are_compared_with_all_others():
    """By hand, with crops of everything and without dropout: 2 N states, each without itself."""
    model, ids = spread(objective("coco", crop=1.0, temperature=0.5)), window()
    corrupted = model.corruption(ids)
    states = model.encoder(corrupted.ids)
    both = torch.nn.functional.normalize(torch.cat((states[:, 0], model.encoder(ids)[:, 0])), dim=1)
    powers = (both @ both.T / 0.5).exp()
    n = len(ids)
    expected = [-(powers[i, (i + n) % (2 * n)] / (powers[i].sum() - powers[i, i])).log().item() for i in range(2 * n)]
    assert model.contrastive(states, ids).tolist() == pytest.approx(expected, rel=1e-4)


def test_the_loss_by_hand():
    """Of the generator, of correcting, 50 times that of copying, and of the contrast."""
    model, ids = spread(objective("coco", mask_rate=0.5, crop=1.0, contrast=2.0)), window()
    torch.manual_seed(1)
    loss, count = model.loss(ids)
    torch.manual_seed(1)
    corrupted = model.corruption(ids)
    states = model.encoder(corrupted.ids)
    gates = model.copy(states)[..., 0]
    right = torch.where(corrupted.replaced, 1 - gates.sigmoid(), gates.sigmoid())
    corrective = model.corrective(states, gates, ids, corrupted).mean()
    contrast = model.contrastive(states, ids).mean()
    by_hand = corrupted.losses.mean() + corrective - 50 * right.log().mean() + 2 * contrast
    assert loss.item() == pytest.approx(by_hand.item(), rel=1e-5)
    assert count == int(corrupted.hidden.sum())


def test_crops_begin_anywhere():
    model, ids = objective("coco", crop=0.5), window()
    starts = {model.cropped(ids)[0, 1:-1].tolist().__repr__() for _ in range(60)}
    assert len(starts) == 7


@torch.no_grad()
def test_measures_and_figures_by_hand():
    """With crops of everything: the formulas of the module's docstring, and the area as a share of pairs."""
    model, ids = spread(objective("coco", mask_rate=0.5, crop=1.0, contrast=3.0, temperature=0.5)).eval(), window()
    for head in (model.corruption.prediction, model.prediction):  # often the original
        head.output.bias[ids[ids > 4].mode().values] = 10
    torch.manual_seed(1)
    found = model.measure(ids)
    torch.manual_seed(1)
    corrupted = model.corruption(ids)
    states, whole = model.encoder(corrupted.ids), model.encoder(ids)
    replaced, hidden, ordinary = corrupted.ids != ids, corrupted.hidden, ids > 4
    gates = (states @ model.copy.weight[0]).sigmoid()
    softmax = model.prediction.output.log_prob(model.prediction(states[hidden])).exp()
    own = softmax.gather(1, ids[hidden][:, None])[:, 0]
    both = torch.nn.functional.normalize(torch.cat((states[:, 0], whole[:, 0])), dim=1)
    powers = (both @ both.T / 0.5).exp().fill_diagonal_(0)
    expected = {
        "generator": corrupted.losses,
        "corrected": -((~replaced * gates)[hidden] + (1 - gates[hidden]) * own).log(),
        "losses": -torch.where(replaced, 1 - gates, gates).log().flatten(),
        "contrast": -(torch.cat((powers.diagonal(3), powers.diagonal(-3))) / powers.sum(1)).log(),
        "hits": softmax.argmax(1) == ids[hidden],
        "replaced": replaced[ordinary],
    }
    for name, values in expected.items():
        torch.testing.assert_close(found[name].double(), values.double(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found["scores"].sigmoid(), 1 - gates[ordinary])
    assert 0 < int(replaced.sum()) < int(hidden.sum())
    figures = model.figures({name: values.double() for name, values in found.items()})
    means = {name: float(values.double().mean()) for name, values in expected.items()}
    loss = means["generator"] + means["corrected"] + 50 * means["losses"] + 3 * means["contrast"]
    low, high = (gates[ordinary & each][:, None] for each in (replaced, ~replaced))
    area = float((low < high.T).double().mean() + (low == high.T).double().mean() / 2)
    assert figures == pytest.approx(
        {
            "loss": loss, "generator_loss": means["generator"], "corrective_loss": means["corrected"],
            "copy_loss": means["losses"], "contrastive_loss": means["contrast"], "accuracy": means["hits"],
            "replaced_auc": area,
        },
        rel=1e-4,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["coco", "electra"])
def test_the_area_is_that_of_replaced_tokens(name):
    model = objective(name, mask_rate=0.5).eval()
    with torch.no_grad():
        measures = dict(model.measure(window()))
    replaced = measures["replaced"]
    assert 0 < int(replaced.sum()) < len(replaced)
    measures["scores"] = replaced.double()
    assert model.figures({key: value.double() for key, value in measures.items()})["replaced_auc"] == 1.0


def test_it_reports_all_parts():
    row = trained("coco").metadata["training"]["rows"][-1]
    parts = [row[f"held_out_{name}_loss"] for name in ("generator", "corrective", "copy", "contrastive")]
    assert row["held_out_loss"] == pytest.approx(parts[0] + parts[1] + 50 * parts[2] + parts[3])
