"""Biaffine scores of pairs."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.biaffine import Biaffine


def with_one(x):
    return torch.cat([x, torch.ones_like(x[..., :1])], dim=-1)


def filled(layer):
    torch.nn.init.normal_(layer.weight)
    return layer.double()


@pytest.mark.parametrize(("outputs", "dependent_bias"), [(1, False), (1, True), (4, True)])
def test_equal_to_the_formula(outputs, dependent_bias):
    torch.manual_seed(1)
    layer = filled(Biaffine(3, 2, outputs, dependent_bias=dependent_bias))
    heads, dependents = torch.randn(2, 5, 3).double(), torch.randn(2, 6, 2).double()
    left = with_one(heads) if dependent_bias else heads
    expected = torch.einsum("bnh,lhd,bmd->blnm", left, layer.weight, with_one(dependents))
    torch.testing.assert_close(layer(heads, dependents), expected)
    pairs = layer.pairs(heads[:, :4].reshape(-1, 3), dependents[:, 1:5].reshape(-1, 2))
    given = torch.stack([expected[b, :, i, i + 1] for b in range(2) for i in range(4)])
    torch.testing.assert_close(pairs, given)


def test_by_hand():
    """U = 2, u = 3, v = 5, b = 7 at h = 11 and d = 13: 2 * 143 + 3 * 11 + 5 * 13 + 7."""
    layer = Biaffine(1, 1)
    layer.weight.data = torch.tensor([[[2.0, 3.0], [5.0, 7.0]]])
    assert layer.pairs(torch.tensor([[11.0]]), torch.tensor([[13.0]])).item() == 286 + 33 + 65 + 7


def test_heads_have_a_prior_without_the_bias_of_dependents():
    """Equation 6 with U = 0: u' h differs by head, and is the same for all dependents."""
    layer = Biaffine(2, 3, dependent_bias=False)
    layer.weight.data[0, :, 3] = torch.tensor([5.0, 7.0])
    heads = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    scores = layer(heads, torch.randn(1, 4, 3))
    assert scores[0, 0].T.tolist() == [[5.0, 7.0, 12.0]] * 4


def test_gradients():
    torch.manual_seed(2)
    layer = filled(Biaffine(2, 3, 2))
    x = (torch.randn(2, 3, 2), torch.randn(2, 4, 3), torch.randn(5, 2), torch.randn(5, 3))
    x = tuple(each.double().requires_grad_() for each in x)
    assert torch.autograd.gradcheck(lambda a, b, c, d, _: (layer(a, b), layer.pairs(c, d)), (*x, layer.weight))


def test_no_outputs_are_refused():
    with pytest.raises(OptionError, match="3 x 2 x 0"):
        Biaffine(3, 2, 0)
