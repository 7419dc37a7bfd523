"""The weighted mean of layers: by hand, its start, gradients."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.scalar_mix import ScalarMix


def test_by_hand():
    mix = ScalarMix(2, normalise=False)
    x = torch.tensor([[[1.0, 3.0], [5.0, -1.0]]])
    assert mix(x).tolist() == [[3.0, 1.0]]
    with torch.no_grad():
        mix.weights.copy_(torch.tensor([3.0, 1.0]).log())
        mix.gamma.fill_(2.0)
    assert mix.shares().tolist() == pytest.approx([0.75, 0.25])
    torch.testing.assert_close(mix(x), torch.tensor([[4.0, 4.0]]))


def test_normalised_layers_have_the_same_scale():
    x = torch.randn(4, 2, 8)
    scaled = x * torch.tensor([1.0, 100.0])[:, None]
    torch.testing.assert_close(ScalarMix(2)(scaled), ScalarMix(2)(x), atol=1e-4, rtol=0)


def test_gradients():
    mix = ScalarMix(3).double()
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda x, w, g: torch.func.functional_call(mix, {"weights": w, "gamma": g}, (x,)), (x, mix.weights, mix.gamma)
    )
