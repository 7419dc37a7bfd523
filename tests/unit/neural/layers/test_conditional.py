"""Conditional recurrent layers, against the equations of the paper in NumPy."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.conditional import ConditionalLayer
from firth.neural.layers.packed import Packing


def sigma(x):
    return 1 / (1 + np.exp(-x))


def gru(x, c, layer):
    """Kiros et al. 2015, equations 5 to 8, with biases, and the reset gate after the product: (T, H) states."""
    weights = {name: value.detach().numpy() for name, value in layer.named_parameters()}
    W, U = weights["weight_ih"], weights["weight_hh"]
    condition = weights["weight_ch"] @ c if "weight_ch" in weights else np.zeros(len(W))
    h, states = np.zeros(layer.width), []
    for x_t in x:
        a_r, a_z, a_n = np.split(W @ x_t + condition + weights["bias_ih"], 3)
        u_r, u_z, u_n = np.split(U @ h + weights["bias_hh"], 3)
        r, z = sigma(a_r + u_r), sigma(a_z + u_z)
        h = (1 - z) * np.tanh(a_n + r * u_n) + z * h
        states.append(h)
    return np.array(states)


@pytest.mark.parametrize("condition", [0, 3])
def test_gru_follows_the_equations(condition):
    torch.manual_seed(1)
    layer = ConditionalLayer("gru", 4, 5, condition=condition).double()
    with torch.no_grad():
        layer.bias_ih.uniform_(-1, 1)
        layer.bias_hh.uniform_(-1, 1)
    lengths = torch.tensor([3, 1, 4])
    x, c = torch.randn(3, 4, 4, dtype=torch.float64), torch.randn(3, condition, dtype=torch.float64)
    packing = Packing(lengths)
    y = layer(packing.pack(x), packing, c if condition else None).detach().numpy()
    for row, length in enumerate(lengths.tolist()):
        expected = gru(x[row, :length].numpy(), c[row].numpy(), layer)
        np.testing.assert_allclose(y[packing.rows.numpy() == row], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["rnn", "lstm", "gru"])
def test_without_condition_it_is_the_layer_of_torch(kind):
    layer, torchs = ConditionalLayer(kind, 3, 5), getattr(torch.nn, kind.upper())(3, 5)
    with torch.no_grad():
        for name, parameter in torchs.named_parameters():
            getattr(layer, name.removesuffix("_l0")).copy_(parameter)
    packed = torch.nn.utils.rnn.pack_sequence([torch.randn(n, 3) for n in (4, 2, 2, 1)])
    expected = torchs(packed)[0].data
    torch.testing.assert_close(layer(packed.data, Packing(torch.tensor([4, 2, 2, 1]))), expected, rtol=1e-5, atol=1e-6)


def test_recurrent_matrices_begin_orthogonal_gate_by_gate():
    for block in ConditionalLayer("gru", 4, 6).weight_hh.chunk(3):
        torch.testing.assert_close(block @ block.T, torch.eye(6), rtol=0, atol=1e-5)


@pytest.mark.parametrize(("kind", "sizes"), [("qrnn", (3, 4, 0)), ("gru", (0, 4, 0)), ("gru", (3, 4, -1))])
def test_what_makes_no_layer_is_refused(kind, sizes):
    width, hidden, condition = sizes
    with pytest.raises(OptionError, match="expected"):
        ConditionalLayer(kind, width, hidden, condition=condition)
