"""The checks of derivatives themselves: one wrong number is seen, two that cancel out in a sum are, too."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from tests.gradients.neural.directions import check_inputs, check_parameters


class Square(torch.autograd.Function):
    """x^2, whose derivative may have an error."""

    error = torch.zeros(20, 50).double()

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 2 * x * gradient + Square.error


class Squares(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.first, self.second = (torch.nn.Parameter(torch.randn(20, 50).double()) for _ in range(2))

    def loss(self):
        return (Square.apply(self.first) + self.second).sum()


@pytest.mark.parametrize("wrong", [[], [(3, 7, 0.01)], [(0, 0, 0.01), (19, 49, -0.01)]], ids=len)
def test_wrong_numbers_among_a_thousand_are_seen(wrong, monkeypatch):
    error = torch.zeros(20, 50).double()
    for row, column, value in wrong:
        error[row, column] = value
    monkeypatch.setattr(Square, "error", error)
    module = Squares()
    for check in (
        lambda: check_inputs(lambda x, y: [Square.apply(x), [y]], module.first, module.second),
        lambda: check_parameters(module, module.loss),
    ):
        if wrong:
            with pytest.raises(AssertionError):
                check()
        else:
            check()
