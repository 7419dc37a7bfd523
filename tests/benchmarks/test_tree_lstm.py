"""The table of Tree-LSTM training, at toy size."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks.records import read
from benchmarks.tree_lstm import labelled, main, recursive
from firth.neural.models.classification.classifier import new_module
from firth.neural.models.trees.data import collate
from firth.neural.models.trees.tree_lstm import TreeLSTMClassifier


@pytest.fixture
def sst(tmp_path):
    path = tmp_path / "sst.txt"
    path.write_text("(1 (0 (1 a) (0 b)) (0 (0 c) (1 (1 a) (0 d))))\n(0 b)\n", encoding="utf-8")
    return path


def test_every_contender_has_a_row(sst, tmp_path):
    ud = tmp_path / "a.conllu"
    ud.write_text(("1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n2\ton\t_\t_\t_\t_\t1\tadv\t_\t_\n\n") * 4, encoding="utf-8")
    main([str(sst), str(ud), "--rounds", "1", "--out", str(tmp_path)])
    assert [row["contender"] for row in read(tmp_path / "speed.jsonl")[1:]] == [
        "firth, level by level",
        "recursion, one product per node",
        "recursion, linear layers of PyTorch",
        "firth, level by level",
    ]


def test_the_recursion_is_the_same_model(sst):
    """States of all nodes, to 1e-6."""
    items, reader = labelled(sst, 2)
    module = new_module(TreeLSTMClassifier(dim=4, hidden=3), reader, 2, 0).eval()
    tree = items[0].trees[0]
    together = module.encoder(collate([tree], [np.arange(len(tree.ids))]))
    assert torch.allclose(recursive(module, tree), together, rtol=0, atol=1e-6)
