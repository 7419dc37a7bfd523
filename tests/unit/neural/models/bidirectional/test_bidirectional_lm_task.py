"""The task of bidirectional language models: losses in both directions, by hand."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.bidirectional.bidirectional_lm import bidirectional_task
from tests.unit.neural.models.bidirectional.tiny import losses_of, untrained

TEXT = [["Ada", "apples", "sees", "."], ["Bo"], ["Cy", "cats"]]


def test_the_loss_of_a_step_and_that_of_held_out_text():
    model = untrained()
    with torch.no_grad():  # words of new models are almost equally probable
        for parameter in model.module.parameters():
            parameter.mul_(5)
    text, other = model.read(TEXT), model.read(TEXT[:2])
    task = bidirectional_task(model.module, text, other, batch_size=500, seed=4)
    assert task.batches.seed == 4
    (batch,) = task.batches.epoch(0)
    output = task.step(batch, None, None)
    forward, backward = losses_of(model, TEXT)
    assert output.predictions == len(forward + backward) == 2 * (7 + 3)
    assert output.nats.item() == pytest.approx(sum(forward + backward), rel=1e-5)
    assert output.loss.item() == pytest.approx(np.mean(forward + backward), rel=1e-5)
    forward, backward = losses_of(model, TEXT[:2])
    both = np.mean(forward + backward)
    assert task.evaluate() == pytest.approx(
        {
            "loss": both, "perplexity": np.exp(both), "forward": np.exp(np.mean(forward)),
            "backward": np.exp(np.mean(backward)),
        },
        rel=1e-5,
    )  # fmt: skip
    assert abs(np.mean(forward) - np.mean(backward)) > 0.01
    assert task.eval_predictions == 2 * (5 + 2)
    alone = bidirectional_task(model.module, text, batch_size=500)
    assert alone.evaluate() == {}
    assert alone.eval_predictions == 0
