"""The tree softmax over trees of every kind."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError, ShapeError
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.codes import WordCodes, named_codes
from firth.neural.layers.output.tree import TreeSoftmax

V = 23
UNEVEN = WordCodes(  # ((0 1) (1 (2 0))): two codes of words 0 and 1, one of word 2
    np.array([[0, 1], [3, 4], [2, 6], [5, 7]]), np.array([0, 1, 1, 2, 0])
)
TREES = {
    "huffman": {},
    "balanced": {"tree": "balanced"},
    "random": {"tree": "random"},
    "two codes": {"tree": "random", "codes": 2},
    "four codes": {"tree": "random", "codes": 4},
}


def filled(layer):
    """The layer with weights that matter, in double precision."""
    torch.manual_seed(10)
    layer = layer.double()
    with torch.no_grad():
        for weight in layer.parameters():
            weight.normal_()
    return layer


@pytest.mark.parametrize("options", TREES.values(), ids=TREES)
def test_probabilities_sum_to_one_and_agree(options):
    layer = filled(TreeSoftmax(OutputConfig(5, V, counts=np.arange(V) ** 2), **options))
    hidden = torch.randn(V, 5, dtype=torch.float64)
    log_prob = layer.log_prob(hidden)
    torch.testing.assert_close(log_prob.exp().sum(1), torch.ones(V, dtype=torch.float64), atol=1e-12, rtol=0)
    torch.testing.assert_close(layer.log_prob_of(hidden, torch.arange(V)), log_prob.diagonal())


def test_codes_of_a_word_are_summed():
    """Nodes 0 (leaves 0 1), 1 (leaves 3 4), 2 (leaf 2, node 1), root 3 (node 0, node 2), sigma 1/2, 1/4, 1/3, 3/5.

    Word 0 hangs at leaves 0 and 4: 3/5 * 1/2 + 2/5 * 2/3 * 3/4 = 1/2. Word 1 at leaves 1 and 2:
    3/5 * 1/2 + 2/5 * 1/3 = 13/30. Word 2 at leaf 3: 2/5 * 2/3 * 1/4 = 1/15.
    """
    layer = filled(TreeSoftmax(OutputConfig(2, 3), tree=UNEVEN))
    with torch.no_grad():
        layer.bias.copy_(torch.tensor([math.log(left / (1 - left)) for left in (1 / 2, 1 / 4, 1 / 3, 3 / 5)]))
    hidden = torch.zeros(3, 2, dtype=torch.float64)
    expected = torch.tensor([1 / 2, 13 / 30, 1 / 15], dtype=torch.float64)
    torch.testing.assert_close(layer.log_prob(hidden)[0].exp(), expected)
    torch.testing.assert_close(layer.log_prob_of(hidden, torch.arange(3)).exp(), expected)


def test_uneven_codes_have_gradients_like_central_differences():
    layer = filled(TreeSoftmax(OutputConfig(3, 3), tree=UNEVEN))
    hidden = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([0, 2, 1, 0])

    def loss(hidden, weight, bias):
        return torch.func.functional_call(Loss(layer), {"layer.weight": weight, "layer.bias": bias}, (hidden, targets))

    assert torch.autograd.gradcheck(loss, (hidden, layer.weight, layer.bias))


class Loss(torch.nn.Module):
    """An output layer as a function of its weights."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, hidden, targets):
        return self.layer.loss(hidden, targets)


@pytest.mark.parametrize("options", [{}, {"tree": "random", "codes": 3}])
def test_biases_begin_as_a_unigram_model(options):
    counts = np.arange(1, V + 1)
    layer = TreeSoftmax(OutputConfig(4, V, counts=counts), **options)
    shares = layer.log_prob(torch.zeros(1, 4))[0].exp()
    torch.testing.assert_close(shares, torch.from_numpy(counts / counts.sum()).float())


def test_saved_weights_bring_their_tree():
    layer = filled(TreeSoftmax(OutputConfig(4, V, seed=5), tree="random", codes=2))
    other = TreeSoftmax(OutputConfig(4, V, counts=np.arange(V))).double()
    other.load_state_dict(layer.state_dict())
    hidden = torch.randn(2, 4, dtype=torch.float64)
    assert torch.equal(layer.log_prob(hidden), other.log_prob(hidden))
    assert other.leaves.shape == (V, 2)


@pytest.mark.parametrize("damage", ["a loop", "a word too many", "a leaf twice"])
def test_damaged_trees_are_refused(damage):
    state = TreeSoftmax(OutputConfig(2, 4), tree="balanced").state_dict()
    nodes, words = state["inner_nodes"].clone(), state["leaf_words"].clone()
    if damage == "a loop":
        nodes[nodes == 4] = 6  # the root below itself
    elif damage == "a leaf twice":
        nodes[nodes == 3] = 2
    else:
        words[0] = 9
    with pytest.raises(ShapeError, match="expected one node less"):
        TreeSoftmax(OutputConfig(2, 4), tree="random").load_state_dict(
            state | {"inner_nodes": nodes, "leaf_words": words}
        )


def test_one_word_is_certain():
    layer = TreeSoftmax(OutputConfig(4, 1, counts=[3]))
    hidden = torch.randn(2, 4, requires_grad=True)
    loss = layer.loss(hidden, torch.tensor([0, 0]))
    loss.sum().backward()
    assert loss.tolist() == [0, 0]
    assert layer.log_prob(hidden).tolist() == [[0], [0]]
    assert not hidden.grad.any()


def test_a_tree_of_other_words_is_refused():
    with pytest.raises(ShapeError, match="for 5 words"):
        TreeSoftmax(OutputConfig(4, 5), tree=named_codes("balanced", 4, counts=None, seed=0))
    with pytest.raises(OptionError, match="output='tree' with tied weights"):
        TreeSoftmax(OutputConfig(4, 5, tied=torch.nn.Embedding(5, 4).weight), tree="balanced")
