"""Attributions of a language model against captum's, on the same module and input."""

import numpy as np
import pytest
import torch

import firth
from firth.explanation import methods

pytestmark = pytest.mark.peer
captum = pytest.importorskip("captum.attr", reason="captum is not installed: pip install 'firth[peers]'")

LINES = [f"the {animal} eats {food} ." for animal in ("cat", "dog", "hen") for food in ("fish", "corn", "meat")] * 20
MODELS = firth.TransformerLM(dim=16, layers=2, heads=2), firth.RecurrentLM(dim=16, hidden=16)
TRAINING = firth.TrainingOptions(epochs=3, batch_size=4, lr=0.02)


@pytest.mark.parametrize("options", MODELS, ids=lambda options: type(options).__name__)
def test_gradient_times_input_is_that_of_captum(options):
    model = options.train(LINES, training=TRAINING, seed=1, threads=1, tokens="whitespace", min_count=1, progress=False)
    module = model.module.double()
    text = model.explainable("the cat eats", "fish")
    words, target = model.vocabulary.ids, model.vocabulary.ids["fish"]
    ids = torch.tensor([[module.bos, words["the"], words["cat"], words["eats"]]])

    def answer(ids: torch.Tensor) -> torch.Tensor:
        return module.output.log_prob(module(ids)[0][:, -1])[:, target]

    product = captum.LayerGradientXActivation(answer, module.embedding).attribute(ids).sum(-1)[0]
    assert methods.gradient_x_input(text) == pytest.approx(product.detach().numpy(), abs=1e-10)


@pytest.mark.parametrize("options", MODELS, ids=lambda options: type(options).__name__)
def test_integrated_gradients_are_those_of_captum(options, monkeypatch):
    """A function of vectors for captum: the module behind its embedding."""
    monkeypatch.setattr(methods, "COMPLETE", 1e-8)
    model = options.train(LINES, training=TRAINING, seed=1, threads=1, tokens="whitespace", min_count=1, progress=False)
    module = model.module.double()
    text = model.explainable("the cat eats", "fish")

    def answer(rows: torch.Tensor) -> torch.Tensor:
        handle = module.embedding.register_forward_hook(lambda *_: rows)
        try:
            ids = torch.zeros(rows.shape[:2], dtype=torch.int64)
            return module.output.log_prob(module(ids)[0][:, -1])[:, model.vocabulary.ids["fish"]]
        finally:
            handle.remove()

    expected = captum.IntegratedGradients(answer).attribute(
        torch.from_numpy(text.rows[None]), torch.zeros(1, *text.rows.shape, dtype=torch.float64), n_steps=1000
    )
    assert methods.integrated_gradients(text) == pytest.approx(expected[0].sum(-1).detach().numpy(), abs=1e-5)
    assert np.abs(expected.detach().numpy()).max() > 1e-3
