"""The whole loss of each model of trees, from ids to mean cross entropy, against central differences."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.classification.classifier import cross_entropy, new_module
from firth.neural.models.classification.reader import TextReader
from firth.neural.models.trees.data import collate, read_tree
from tests.gradients.neural.directions import check_parameters
from tests.unit.neural.models.trees.tiny import tree_of

TREES = ["(0 (0 (0 a) (0 (0 b) (0 c))) (0 (0 d) (0 e)))", "(0 f)", "(0 (0 c) (0 a))", "(0 (0 e) (0 (0 a) (0 b)))"]
CASES = [("n-ary", None), ("child-sum", None), ("lstm", None), ("child-sum", "entailment")]


@pytest.mark.parametrize(("kind", "pairs"), CASES)
def test_every_parameter(kind, pairs):
    """In float64, with a target at each node, or for each pair; two directions per parameter."""
    options = firth.TreeLSTMClassifier(kind=kind, pairs=pairs, dim=3, hidden=4, pair_hidden=3, dropout=0.0)
    reader = TextReader(list("abcdef"), "whitespace", 30)
    module = new_module(options, reader, 3, seed=1).double().train()
    trees = [read_tree(tree_of(text), reader, chains=kind == "lstm", lowercase=True) for text in TREES]
    inputs = collate(trees, None if pairs else [np.arange(len(tree.positions)) for tree in trees])
    rows = 2 if pairs else len(inputs.outputs)
    targets = torch.from_numpy(np.random.default_rng(0).dirichlet(np.ones(3), rows))

    def loss():
        return cross_entropy(module(inputs), targets).mean()

    check_parameters(module, loss)
