"""Norms."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.normalise import Normalise
from firth.neural.layers.recurrent import RecurrentStack


def test_a_step_by_hand():
    """[1, 3]: mean 2, variance 1: [-1, 1]."""
    x = torch.tensor([[[1.0, 3.0]]])
    torch.testing.assert_close(Normalise("layer", 2)(x), torch.tensor([[[-1.0, 1.0]]]), atol=1e-5, rtol=0)


def test_a_batch_by_hand_leaves_padding_out():
    """Steps 1, 3 of one sequence and 5 of another, whose second step is padding: mean 3, variance 8/3.

    (1 - 3) / sqrt(8/3) = -1.2247.
    """
    x = torch.tensor([[1.0, 3.0], [5.0, 1e6]]).unsqueeze(-1)
    y = Normalise("batch", 1)(x, torch.tensor([2, 1])).squeeze(-1)
    torch.testing.assert_close(y, torch.tensor([[-1.2247, 0.0], [1.2247, 0.0]]), atol=1e-4, rtol=0)


def test_a_batch_of_one_step_has_the_running_averages():
    """After steps 4 and 6, with momentum 0.1, they are mean 1/2 and variance 1.1: (3 - 1/2) / sqrt(1.1)."""
    norm = Normalise("batch", 1)
    norm(torch.tensor([[[4.0], [6.0]]]))
    y = norm(torch.tensor([[[3.0], [9.0]]]), torch.tensor([1]))
    torch.testing.assert_close(y.flatten(), torch.tensor([2.5 / 1.1**0.5, 0.0]), atol=1e-4, rtol=0)


@pytest.mark.parametrize("normalise", ["none", "layer", "batch"])
def test_a_stack_with_norms_goes_on_in_chunks(normalise):
    torch.manual_seed(43)
    stack = RecurrentStack(3, 4, 2, normalise=normalise)
    stack(torch.randn(8, 6, 3))
    stack.eval()
    x = torch.randn(2, 6, 3)
    whole, _ = stack(x)
    first, state = stack(x[:, :2])
    torch.testing.assert_close(torch.cat([first, stack(x[:, 2:], state)[0]], 1), whole, atol=1e-6, rtol=0)


def test_other_norms_are_refused():
    with pytest.raises(OptionError, match="normalise='group': expected one of none, layer, batch"):
        Normalise("group", 3)
