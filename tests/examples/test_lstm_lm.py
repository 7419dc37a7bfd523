"""The plain file of LSTM language models: its gradients, and the loss and gradients of `firth.RecurrentLM`."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from examples.plain import lstm_lm
from tests.examples.differences import check_gradients
from tests.unit.neural.models.language.tiny import text_of, untrained

V, D, H, B, T = 5, 3, 4, 2, 4


def test_gradients():
    rng = np.random.default_rng(0)
    shapes = {"E": (V, D), "W": (4 * H, D), "R": (4 * H, H), "b": (4 * H,), "U": (V, H), "d": (V,)}
    w = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    ids, targets = rng.integers(V, size=(2, B, T))
    state = rng.normal(size=(B, H)), rng.normal(size=(B, H))
    _, steps, _ = lstm_lm.forward(w, ids, targets, state)
    gradients = lstm_lm.backward(w, ids, targets, steps)
    check_gradients(
        lambda: lstm_lm.forward(w, ids, targets, state)[0], list(w.values()), [gradients[name] for name in w]
    )


def test_agrees_with_firth(tmp_path):
    """Probabilities, loss and gradients to 1e-5: float32 has 6e-8, and a step adds up some twenty numbers near 1."""
    model = untrained(firth.RecurrentLM(dim=D, hidden=H, layers=1, dropout=0.0), text_of(tmp_path))
    module, output = model.module, model.module.output
    (layer,) = module.stack.layers
    parameters = {"E": module.embedding.weight, "W": layer.weight_ih, "R": layer.weight_hh, "b": layer.bias_ih}
    parameters |= {"U": output.weight, "d": output.bias}
    w = {name: parameter.detach().numpy().astype(np.float64) for name, parameter in parameters.items()}
    w["b"] += layer.bias_hh.detach().numpy()  # torch has two biases, of which the sum matters

    rng = np.random.default_rng(0)
    ids, targets = rng.integers(len(model.vocabulary), size=(2, B, T))
    state = np.zeros((B, H)), np.zeros((B, H))
    loss, steps, _ = lstm_lm.forward(w, ids, targets, state)
    hidden, _ = module(torch.from_numpy(ids))
    fast = output.loss(hidden.flatten(0, 1), torch.from_numpy(targets).flatten()).mean()
    assert loss == pytest.approx(fast.item(), rel=1e-5)
    np.testing.assert_allclose(
        np.stack([np.log(step[-1]) for step in steps], 1).reshape(B * T, -1),
        output.log_prob(hidden.flatten(0, 1)).detach().numpy(),
        atol=1e-5,
    )
    fast.backward()
    for name, gradient in lstm_lm.backward(w, ids, targets, steps).items():
        np.testing.assert_allclose(gradient, parameters[name].grad.numpy(), atol=1e-5)
        assert np.abs(gradient).max() > 1e-4


def test_the_state_goes_on():
    """A text read in two calls has the losses of one read in a single call."""
    rng = np.random.default_rng(0)
    w = {"E": rng.normal(size=(V, D)), "W": rng.normal(size=(4 * H, D)), "R": rng.normal(size=(4 * H, H))}
    w |= {"b": rng.normal(size=4 * H), "U": rng.normal(size=(V, H)), "d": rng.normal(size=V)}
    ids, targets = rng.integers(V, size=(2, B, 6))
    zeros = np.zeros((B, H)), np.zeros((B, H))
    whole, _, _ = lstm_lm.forward(w, ids, targets, zeros)
    first, _, state = lstm_lm.forward(w, ids[:, :3], targets[:, :3], zeros)
    second, _, _ = lstm_lm.forward(w, ids[:, 3:], targets[:, 3:], state)
    assert (first + second) / 2 == pytest.approx(whole)


def test_learns_a_text(tmp_path, capsys):
    ids = np.arange(2000) % 4  # "abcdabcd ..."
    w = lstm_lm.train(ids, 4, B=4, T=16, D=4, H=8, epochs=6)
    losses = [float(line.split()[3]) for line in capsys.readouterr().out.splitlines()]
    assert losses[-1] < 0.1 < losses[0]
    assert lstm_lm.generate(w, 0, 11, np.random.default_rng(0)) == [0, 1, 2, 3] * 3


def test_runs_from_the_command_line(tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat\n" * 30)
    lstm_lm.main([str(text)])
    assert set(capsys.readouterr().out.split("character\n")[-1]) <= set("the cat sat on the mat\n")
