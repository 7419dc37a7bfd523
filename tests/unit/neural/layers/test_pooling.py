"""The recurrence of a QRNN against the equation written out; numbers at the ends of float32."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.pooling import pool


def written_out(forget, update, start):
    c, states = start, []
    for f, u in zip(forget, update, strict=True):
        c = f * c + u
        states.append(c)
    return torch.stack(states)


def test_three_steps_by_hand():
    """f = 1/2, 0, 1 and u = 1, 3, -1 from c = 4: 2 + 1 = 3; 0 + 3 = 3; 3 - 1 = 2."""
    forget, update = torch.tensor([0.5, 0.0, 1.0]).reshape(3, 1, 1), torch.tensor([1.0, 3.0, -1.0]).reshape(3, 1, 1)
    assert pool(forget, update, torch.full((1, 1), 4.0)).flatten().tolist() == [3.0, 3.0, 2.0]


@pytest.mark.parametrize("steps", [1, 2, 200])
def test_states_and_gradients_equal_the_equation(steps):
    torch.manual_seed(3)
    inputs = [torch.rand(steps, 2, 3), torch.randn(steps, 2, 3), torch.randn(2, 3)]
    inputs = [part.double().requires_grad_() for part in inputs]
    ours, theirs = pool(*inputs), written_out(*inputs)
    torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)
    for mine, its in zip(
        torch.autograd.grad(ours.sin().sum(), inputs), torch.autograd.grad(theirs.sin().sum(), inputs), strict=True
    ):
        torch.testing.assert_close(mine, its, atol=1e-12, rtol=0)


@pytest.mark.parametrize("gate", [0.0, 1e-38, 1 - 2**-24, 1.0])
def test_gates_at_the_ends_of_float32(gate):
    """Products of 500 such gates leave float32 on either side of what a scan of logarithms could hold."""
    forget = torch.full((500, 1, 1), gate, requires_grad=True)
    update = torch.full((500, 1, 1), 1e-3, requires_grad=True)
    c = pool(forget, update, torch.ones(1, 1))
    exact = written_out(forget.detach().double(), update.detach().double(), torch.ones(1, 1, dtype=torch.float64))
    torch.testing.assert_close(c.detach().double(), exact, rtol=1e-4, atol=1e-7)
    c.sum().backward()
    assert torch.isfinite(forget.grad).all()
    assert torch.isfinite(update.grad).all()
