"""The nodes of paths, forward and backward, against sums written out."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.output.tree import BLOCK, Passes, path_log_prob


def passes_of(rows, nodes, signs, leaves, hidden):
    """Paths given pass by pass, rows in rising order."""
    rows = torch.tensor(rows)
    starts = torch.searchsorted(rows, torch.arange(hidden))
    return Passes(torch.tensor(nodes), torch.tensor(signs), rows, torch.tensor(leaves), starts)


def test_gradients_are_central_differences():
    """Three hidden vectors: one with two paths, one with none, one with a node that another passes too."""
    torch.manual_seed(8)
    passes = passes_of(
        [0, 0, 0, 2, 2, 2], [4, 2, 0, 4, 1, 0], [1.0, -1.0, 1.0, -1.0, 1.0, 1.0], [0, 0, 1, 2, 2, 2], hidden=3
    )
    values = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((3, 4), (5, 4), (5,))]
    assert torch.autograd.gradcheck(lambda *each: path_log_prob(*each, passes, 3), values)


def test_many_passes_equal_the_sums_written_out():
    torch.manual_seed(9)
    count, nodes, length = 300, 50, 9  # more passes than one block holds
    assert count * length > 2 * BLOCK
    walked = torch.randint(nodes, (count, length))
    signs = torch.randint(2, (count, length)) * 2.0 - 1
    hidden, weight, bias = torch.randn(count, 6), torch.randn(nodes, 6), torch.randn(nodes)
    for value in (hidden, weight, bias):
        value.requires_grad_()
    rows = torch.arange(count).repeat_interleave(length)
    passes = Passes(walked.ravel(), signs.ravel(), rows, rows, torch.arange(count) * length)
    ours = path_log_prob(hidden, weight, bias, passes, count)
    scores = (hidden[:, None] * weight[walked]).sum(2) + bias[walked]
    plain = torch.nn.functional.logsigmoid(scores * signs).sum(1)
    torch.testing.assert_close(ours, plain)
    outer = torch.randn(count)
    gradients = [torch.autograd.grad(each, (hidden, weight, bias), outer) for each in (ours, plain)]
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)
