"""Cross entropy of rows of weights against torch's own."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from torch.nn import functional

from firth.neural.layers.output.cross_entropy import BLOCK, linear_cross_entropy


def numbers(count, words=7, width=4, dtype=torch.float64):
    torch.manual_seed(6)
    shapes = ((count, width), (words, width), (words,))
    values = [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]
    return *values, torch.arange(count) % words


def test_by_hand():
    """One number, rows 0 and 1, no bias: h = log 3 gives probabilities 1 / 4 and 3 / 4; the loss of word 0 is log 4.

    Its gradient by h is (1/4 - 1) * 0 + 3/4 * 1.
    """
    hidden = torch.tensor([[3.0]]).log().requires_grad_()
    loss = linear_cross_entropy(hidden, torch.tensor([[0.0], [1.0]]), None, torch.tensor([0]))
    loss.sum().backward()
    assert loss.item() == pytest.approx(torch.tensor(4.0).log().item())
    assert hidden.grad.item() == pytest.approx(0.75)


@pytest.mark.parametrize("count", [0, 3, BLOCK + 5])
def test_equals_torch(count):
    hidden, weight, bias, targets = numbers(count)
    outer = torch.linspace(-1, 2, count, dtype=torch.float64)
    ours = linear_cross_entropy(hidden, weight, bias, targets)
    theirs = functional.cross_entropy(functional.linear(hidden, weight, bias), targets, reduction="none")
    torch.testing.assert_close(ours, theirs)
    gradients = [torch.autograd.grad(loss, (hidden, weight, bias), outer) for loss in (ours, theirs)]
    torch.testing.assert_close(*gradients)


def test_gradients_are_central_differences():
    hidden, weight, bias, targets = numbers(5)
    assert torch.autograd.gradcheck(lambda *each: linear_cross_entropy(*each, targets), (hidden, weight, bias))


def test_gradients_can_be_computed_twice():
    hidden, weight, bias, targets = numbers(5)
    loss = linear_cross_entropy(hidden, weight, bias, targets).sum()
    first, second = (torch.autograd.grad(loss, (hidden, weight, bias), retain_graph=True) for _ in range(2))
    torch.testing.assert_close(first, second, rtol=0, atol=0)


def test_great_scores_stay_finite():
    hidden, weight = torch.full((1, 1), 1e4), torch.tensor([[1.0], [-1.0]])
    assert linear_cross_entropy(hidden, weight, None, torch.tensor([1])).item() == 2e4


def test_half_precision_is_of_products_alone():
    """bfloat16 keeps 8 bits: scores of size 1 are off by 1/256, and so is a loss; sums in half would be off by more."""
    hidden, weight, bias, targets = numbers(64, words=2000, width=32, dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        low = linear_cross_entropy(hidden * 0.2, weight, bias, targets)
    exact = linear_cross_entropy(hidden * 0.2, weight, bias, targets)
    assert low.dtype == torch.float32
    assert (low - exact).abs().max() < 0.03
    low_grad, grad = (torch.autograd.grad(loss.mean(), weight)[0] for loss in (low, exact))
    assert low_grad.dtype == torch.float32
    assert torch.cosine_similarity(low_grad.ravel(), grad.ravel(), 0) > 0.9999
