"""Tree-LSTMs against recursion, against torch's LSTM, and under changes that must not matter."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError, ShapeError
from firth.neural.layers.tree_levels import tree_levels
from firth.neural.layers.tree_lstm import KINDS, TreeLstm
from tests.unit.neural.layers.tree_oracle import batched, random_trees, recursive

D, H = 5, 7


def layer_of(kind, children=3):
    torch.manual_seed(4)
    return TreeLstm(kind, D, H, max_children=children)


@pytest.mark.parametrize("only_leaves", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_batched_equals_recursive(kind, only_leaves):
    """Values to 1e-6 in float32; words at all nodes, or at all leaves but one and one inner node."""
    layer, trees = layer_of(kind), random_trees(1, children=3)
    vectors = torch.randn(sum(map(len, trees)), D)
    offsets = np.cumsum([0, *map(len, trees)])
    has_word = torch.ones(len(vectors), dtype=torch.bool)
    if only_leaves:
        for tree, first in zip(trees, offsets, strict=False):
            has_word[first + np.unique(tree[tree >= 0])] = False
        has_word[offsets[3] + trees[3][0]] = True
        has_word[offsets[2] + np.setdiff1d(np.arange(7), trees[2])[0]] = False  # a leaf
    h, c = batched(layer, trees, vectors, has_word if only_leaves else None)
    for tree, first, stop in zip(trees, offsets, offsets[1:], strict=False):
        rows = [vectors[j] if has_word[j] else None for j in range(first, stop)]
        for found, expected in zip((h, c), recursive(layer, tree, rows), strict=True):
            assert torch.allclose(found[first:stop], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_is_an_lstm(kind):
    """A chain of T nodes with the first word at its leaf, against torch.nn.LSTM with the same weights."""
    layer = layer_of(kind, children=1)
    other = torch.nn.LSTM(D, H, batch_first=True)
    with torch.no_grad():
        for mine, theirs in (("weight_ih", "weight_ih_l0"), ("weight_hh", "weight_hh_l0"), ("bias", "bias_ih_l0")):
            u, i, o, f = getattr(layer, mine).split(H)
            getattr(other, theirs).copy_(torch.cat([i, f, u, o]))
        other.bias_hh_l0.zero_()
    x = torch.randn(2, 9, D)
    chain = [*range(1, 9), -1]
    h, c = batched(layer, [chain, chain], x.flatten(0, 1))
    expected, (_, last) = other(x)
    assert torch.allclose(h, expected.flatten(0, 1), rtol=0, atol=1e-6)
    assert torch.allclose(c[[8, 17]], last[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize(("kind", "same"), [("child-sum", True), ("n-ary", False)])
def test_the_order_of_children_matters_to_n_ary_only(kind, same):
    """The root is node 0 with children 1 and 2, whose vectors change places."""
    x = torch.randn(3, D)
    first, second = (batched(layer_of(kind), [[-1, 0, 0]], x[order])[0][0] for order in ([0, 1, 2], [0, 2, 1]))
    assert torch.allclose(first, second, rtol=0, atol=1e-6) == same


@pytest.mark.parametrize("kind", KINDS)
def test_other_trees_of_the_batch_do_not_matter(kind):
    layer, trees = layer_of(kind), random_trees(2)
    vectors = torch.randn(sum(map(len, trees)), D)
    together = batched(layer, trees, vectors)[0]
    first = 0
    for tree in trees:
        alone = batched(layer, [tree], vectors[first : first + len(tree)])[0]
        assert torch.allclose(together[first : first + len(tree)], alone, rtol=0, atol=1e-6)
        first += len(tree)


def test_each_child_has_a_forget_gate_of_its_own():
    """With U_f far from zero, a child whose h is positive is kept and another forgotten: not one gate for the sum."""
    layer = TreeLstm("child-sum", 1, 1)
    with torch.no_grad():
        layer.weight_ih.copy_(torch.tensor([[1.0], [9.0], [9.0], [0.0]]))
        layer.weight_hh.copy_(torch.tensor([[0.0], [0.0], [0.0], [90.0]]))
        layer.bias.copy_(torch.tensor([0.0, 9.0, 9.0, 0.0]))
    _, c = batched(layer, [[-1, 0, 0]], torch.tensor([[0.0], [1.0], [-0.5]]))
    assert c[0].item() == pytest.approx(np.tanh(1.0), abs=1e-3)


def test_what_does_not_fit():
    with pytest.raises(OptionError, match="kind='sum': expected one of child-sum, n-ary"):
        TreeLstm("sum", 2, 2)
    with pytest.raises(OptionError, match="1 or more"):
        TreeLstm("n-ary", 2, 2, max_children=0)
    levels = tree_levels([[-1, 0, 0, 0]])
    with pytest.raises(ShapeError, match="3 children, expected at most 2"):
        TreeLstm("n-ary", D, H)(torch.randn(4, D), levels)
    with pytest.raises(ShapeError, match="3 vectors for 4 nodes"):
        TreeLstm("child-sum", D, H)(torch.randn(3, D), levels)
    assert "n-ary, 5 -> 7, 2 children" in repr(TreeLstm("n-ary", D, H))
