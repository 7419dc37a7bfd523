"""What layers hand on."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.connections import CONNECTIONS
from firth.neural.layers.recurrent import RecurrentStack


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(29)


def test_each_by_hand():
    """x = [1, 2], y = [10, 20]; the highway's gate without weights at bias 0 is one half."""
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    made = {name: make(2, 2) for name, make in CONNECTIONS.items()}
    torch.nn.init.zeros_(made["highway"].gate.transform.weight)
    torch.nn.init.zeros_(made["highway"].gate.transform.bias)
    assert {name: one(x, y).tolist() for name, one in made.items()} == {
        "plain": [10.0, 20.0],
        "residual": [11.0, 22.0],
        "highway": [5.5, 11.0],
        "dense": [1.0, 2.0, 10.0, 20.0],
    }
    assert {name: one.width for name, one in made.items()} == {"plain": 2, "residual": 2, "highway": 2, "dense": 4}


@pytest.mark.parametrize("connection", ["residual", "highway"])
def test_other_widths_pass_a_matrix(connection):
    joint = CONNECTIONS[connection](3, 5)
    assert joint(torch.randn(2, 4, 3), torch.randn(2, 4, 5)).shape == (2, 4, 5)


def test_a_residual_stack_of_zeros_is_the_identity():
    stack = RecurrentStack(4, 4, 3, connection="residual")
    for part in stack.parameters():
        torch.nn.init.zeros_(part)
    x = torch.randn(2, 5, 4)
    assert torch.equal(stack(x)[0], x)


def test_a_highway_stack_with_shut_gates_is_the_identity():
    stack = RecurrentStack(4, 4, 3, connection="highway")
    for connection in stack.connections:
        torch.nn.init.constant_(connection.gate.transform.bias, -1e4)
    x = torch.randn(2, 5, 4)
    assert torch.equal(stack(x)[0], x)


def test_a_dense_stack_reads_all_before():
    stack = RecurrentStack(3, 4, 3, connection="dense")
    assert [layer.weight_ih.shape[1] for layer in stack.layers] == [3, 7, 11]
    assert stack.width == 4


@pytest.mark.parametrize("connection", ["residual", "highway", "dense"])
def test_gradients_reach_the_first_of_ten_layers(connection):
    """At least ten times the plain stack's at the first layer's weights."""

    def gradient(kind):
        torch.manual_seed(29)
        stack = RecurrentStack(16, 16, 10, cell="lstm", connection=kind)
        y, _ = stack(torch.randn(4, 8, 16))
        y.square().mean().sqrt().backward()  # of an output brought to length one, so that none gains by being longer
        return stack.layers[0].weight_ih.grad.norm().item()

    assert gradient(connection) > 10 * gradient("plain")
