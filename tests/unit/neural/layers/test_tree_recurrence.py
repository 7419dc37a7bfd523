"""The way back of Tree-LSTMs, against autograd through the recursion."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.tree_lstm import KINDS, TreeLstm
from tests.unit.neural.layers.tree_oracle import batched, random_trees, recursive


@pytest.mark.parametrize("of_cells", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_the_recursion(kind, of_cells):
    """In float64, of a weighted sum of all hidden states, and of all cells or none."""
    torch.manual_seed(2)
    layer = TreeLstm(kind, 3, 4, max_children=3).double()
    trees = random_trees(5, (6, 1, 4), children=3)
    vectors = torch.randn(11, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(2, 11, 4, dtype=torch.float64)
    weights[1] *= of_cells

    def gradients(h, c):
        loss = (weights[0] * h).sum() + ((weights[1] * c).sum() if of_cells else 0.0)
        return torch.autograd.grad(loss, [vectors, *layer.parameters()])

    rows, first = [], 0
    for tree in trees:
        rows.append(recursive(layer, tree, list(vectors[first : first + len(tree)])))
        first += len(tree)
    expected = gradients(*(torch.cat(part) for part in zip(*rows, strict=True)))
    for mine, other in zip(gradients(*batched(layer, trees, vectors)), expected, strict=True):
        assert torch.allclose(mine, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_trees_of_one_node(kind):
    layer = TreeLstm(kind, 3, 4)
    h, _ = batched(layer, [[-1], [-1]], torch.randn(2, 3))
    h.sum().backward()
    assert layer.weight_hh.grad.abs().max() == 0
