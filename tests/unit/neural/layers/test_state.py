"""States: tensors in tuples, the batch first."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.state import detached, rows_of


def test_rows_are_picked_out_of_every_tensor():
    state = (torch.arange(6).reshape(3, 2), (None, torch.tensor([[1.0], [2.0], [3.0]])))
    chosen = rows_of(state, torch.tensor([2, 0, 2]))
    assert chosen[0].tolist() == [[4, 5], [0, 1], [4, 5]]
    assert chosen[1][0] is None
    assert chosen[1][1].tolist() == [[3.0], [1.0], [3.0]]


def test_no_gradient_goes_back_through_a_detached_state():
    weight = torch.ones(2, 1, requires_grad=True)
    assert not detached(((weight * 2,),))[0][0].requires_grad
