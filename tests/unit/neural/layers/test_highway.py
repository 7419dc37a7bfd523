"""Highway layers."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.highway import Gate, Highway


def test_a_gate_by_hand():
    """Weights 0, bias 0: t = 1/2; x = 1, made = 3 gives 2. Bias ln 3: t = 3/4, which gives 2.5."""
    gate = Gate(1, bias=0.0)
    torch.nn.init.zeros_(gate.transform.weight)
    x, made = torch.ones(1, 1), torch.full((1, 1), 3.0)
    assert gate(x, made).item() == pytest.approx(2.0)
    torch.nn.init.constant_(gate.transform.bias, 1.0986123)
    assert gate(x, made).item() == pytest.approx(2.5)


def test_a_shut_gate_is_the_identity():
    x = torch.randn(5, 4)
    assert torch.equal(Highway(4, layers=3, bias=-1e4)(x), x)


def test_gates_begin_nearly_shut():
    """sigma(-2) = 0.1192: of a zero input, which turns no gate, that share of the rectified bias comes through."""
    highway = Highway(3)
    torch.nn.init.constant_(highway.makers[0].bias, 1.0)
    torch.testing.assert_close(highway(torch.zeros(1, 3)), torch.full((1, 3), 0.1192), atol=5e-5, rtol=0)
