"""Layers of graph networks against dense formulas."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.graphs import GraphAttention, GraphConvolution, SparseMatrix
from tests.gradients.neural.directions import check_parameters


def graph(nodes=7, seed=0):
    """A dense matrix with random edges, and each node its own neighbour."""
    torch.manual_seed(seed)
    edges = (torch.rand(nodes, nodes) < 0.3).double() * torch.rand(nodes, nodes).double()
    return edges + torch.eye(nodes).double()


def features(nodes=7, width=5):
    torch.manual_seed(1)
    return torch.randn(nodes, width).double() * (torch.rand(nodes, width) < 0.5)


def layers():
    torch.manual_seed(2)
    return {
        "convolution": GraphConvolution(5, 6).double(),
        "attention": GraphAttention(5, 3, heads=2).double(),
        "mean": GraphAttention(5, 6, heads=2, join=False).double(),
    }


def test_convolution_is_the_dense_formula():
    layer, dense, x = layers()["convolution"], graph(), features()
    expected = dense @ x @ layer.project.weight + layer.bias
    for inputs in (x, SparseMatrix.of(x.to_sparse())):
        torch.testing.assert_close(layer(SparseMatrix.of(dense.to_sparse()), inputs), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["attention", "mean"])
def test_attention_is_the_dense_formula(name):
    layer, dense, x = layers()[name], graph(), features()
    parts = []
    for head, matrix in enumerate(layer.project.weight.chunk(2, 1)):
        projected = x @ matrix
        scores = (projected @ layer.own[head])[:, None] + (projected @ layer.others[head])[None]
        scores = torch.nn.functional.leaky_relu(scores, 0.2).masked_fill(dense == 0, -torch.inf)
        parts.append(scores.softmax(1) @ projected)
    expected = (torch.cat(parts, 1) if name == "attention" else sum(parts) / 2) + layer.bias
    found = layer(SparseMatrix.of(dense.to_sparse()), x)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["convolution", "attention", "mean"])
def test_another_order_of_the_nodes_gives_the_same_outputs_in_that_order(name):
    layer, dense, x = layers()[name], graph(), features()
    order = torch.randperm(7)
    one = layer(SparseMatrix.of(dense.to_sparse()), x)
    other = layer(SparseMatrix.of(dense[order][:, order].to_sparse()), x[order])
    torch.testing.assert_close(other, one[order], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["convolution", "attention", "mean"])
def test_gradients(name):
    layer, x = layers()[name], SparseMatrix.of(features().to_sparse())
    edges = SparseMatrix.of(graph().to_sparse())
    check_parameters(layer, lambda: layer(edges, x).square().sum())


def test_gradients_pass_through_a_product():
    dense = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    matrix = graph()
    torch.testing.assert_close(SparseMatrix.of(matrix.to_sparse()) @ dense, matrix @ dense)
    assert torch.autograd.gradcheck(lambda rows: SparseMatrix.of(matrix.to_sparse()) @ rows, (dense,))


def test_dropout_of_sparse_inputs_is_that_of_their_numbers():
    """In training, numbers are dropped or doubled, and zeros stay; in evaluation nothing happens."""
    layer = GraphConvolution(5, 5, dropout=0.5).double()
    with torch.no_grad():
        layer.project.weight.copy_(torch.eye(5))
    x, alone = features(), SparseMatrix.of(torch.eye(7).double().to_sparse())
    torch.manual_seed(0)
    found = layer.train()(alone, SparseMatrix.of(x.to_sparse()))
    kept = found != 0
    assert 0 < int(kept.sum()) < int((x != 0).sum())
    torch.testing.assert_close(found[kept], 2 * x[kept])
    torch.testing.assert_close(layer.eval()(alone, SparseMatrix.of(x.to_sparse())), x)


def test_numbers_that_are_scaled_are_scaled_in_the_transposed_matrix_too():
    """Also of a matrix with empty rows and columns, whose numbers are in no order of columns."""
    dense = torch.tensor([[0, 2.0, 0, 3], [0, 0, 0, 0], [5, 7, 0, 0]])
    scaled = SparseMatrix.of(dense.to_sparse_csr()).scaled(torch.tensor([1.0, 10, 100, 1000]))
    expected = torch.tensor([[0, 2.0, 0, 30], [0, 0, 0, 0], [500, 7000, 0, 0]])
    assert torch.equal(scaled.matrix.to_dense(), expected)
    assert torch.equal(scaled.transposed.to_dense(), expected.T)
    assert torch.equal(SparseMatrix.of(dense.to_sparse_coo()).transposed.to_dense(), dense.T)
