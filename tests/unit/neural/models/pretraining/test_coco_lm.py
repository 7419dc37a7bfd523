"""COCO-LM: corrective language modelling, crops, contrasts."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from tests.unit.neural.models.pretraining.encoders import objective, pieces, trained, window


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


def test_crops_are_pieces_of_windows():
    model, ids = objective("coco", crop=0.5), window()
    views = model.cropped(ids)
    assert views.shape == (3, 8)
    assert bool((views[:, 0] == pieces().cls_id).all())
    assert bool((views[:, -1] == pieces().sep_id).all())
    for row, view in zip(ids, views, strict=True):
        assert any(torch.equal(row[first : first + 6], view[1:-1]) for first in range(1, 8))


def test_a_window_and_itself_are_the_nearest():
    """Without dropout and with a crop of everything the states are equal: cosine 1."""
    model, ids = objective("coco", crop=1.0), window()
    states = model.encoder(ids)
    cosines = torch.nn.functional.cosine_similarity(states[:, None, 0], states[None, :, 0], dim=-1)
    expected = -torch.log_softmax(cosines, 1).diagonal()
    torch.testing.assert_close(model.contrastive(states, ids), expected)


def test_it_reports_all_parts():
    row = trained("coco").metadata["training"]["rows"][-1]
    parts = [row[f"held_out_{name}_loss"] for name in ("generator", "corrective", "copy", "contrastive")]
    assert row["held_out_loss"] == pytest.approx(parts[0] + parts[1] + 50 * parts[2] + parts[3])
