"""All leaves at once, level by level."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.kernels.trees import balanced_children, from_children, huffman_children
from firth.neural.layers.output.tree import log_prob_of_leaves, sweep_of


def test_by_hand():
    """((0 1) 2), sigma of the scores 3/4 at the root and 1/4 below it: 3/16, 9/16 and 1/4."""
    scores = torch.tensor([[math.log(1 / 3), math.log(3)]])  # node 0 is below, the root is last
    leaves = log_prob_of_leaves(scores, sweep_of(np.array([[0, 1], [3, 2]]))).exp()
    assert leaves[0].tolist() == pytest.approx([3 / 16, 9 / 16, 1 / 4])


@pytest.mark.parametrize("children", [balanced_children(np.arange(37)), huffman_children(np.arange(1, 60) ** 3)])
def test_each_leaf_has_the_product_along_its_path(children):
    torch.manual_seed(7)
    scores = torch.randn(4, len(children), dtype=torch.float64)
    tree = from_children(children)
    expected = [
        sum(torch.nn.functional.logsigmoid(tree.signs[i] * scores[:, tree.nodes[i]]) for i in range(start, stop))
        for start, stop in zip(tree.starts, tree.starts[1:], strict=False)
    ]
    torch.testing.assert_close(log_prob_of_leaves(scores, sweep_of(children)), torch.stack(expected, 1))


def test_one_leaf_is_certain():
    none = np.zeros((0, 2), np.int64)
    assert log_prob_of_leaves(torch.zeros(2, 0), sweep_of(none)).tolist() == [[0.0], [0.0]]
