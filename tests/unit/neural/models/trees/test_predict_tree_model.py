"""A trained model of trees: predictions, vectors, scores."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import CorpusError, OptionError
from firth.neural.models.classification.data import label_targets
from firth.neural.models.trees.data import TreeItem, read_tree, tree_batches
from firth.neural.models.trees.tree_lstm import tree_task
from tests.unit.neural.models.trees.tiny import sentiments, tree_of

NOT_GOOD = "(x (x (x not) (x good)) (x .))"


def test_roots_and_nodes_have_labels(sentiment_model):
    """The label of a phrase changes where "not" joins it; labels of the input do not matter."""
    ((label, probability),) = sentiment_model.predict(NOT_GOOD)
    assert (label, probability > 0.5) == ("bad", True)
    nodes = sentiment_model.predict_nodes(NOT_GOOD)
    assert [nodes[node][0][0] for node in (0, 1, 3)] == ["bad", "bad", "good"]
    assert nodes[0][0][1] == pytest.approx(probability)
    many = sentiment_model.predict([tree_of(NOT_GOOD), "(x good)"], k=2)
    assert [len(each) for each in many] == [2, 2]
    assert many[0][0][0] == "bad"


def test_scores_of_roots_and_of_all_nodes(sentiment_model):
    roots = sentiment_model.test(sentiments(30, 2), progress=False)
    assert (roots.texts, roots.f1) == (30, 1)
    nodes = sentiment_model.test(sentiments(30, 2), nodes=True, progress=False)
    assert nodes.texts == 90  # the words "not", "so", "very" and "." have no label
    assert nodes.f1 == 1


def test_vectors_do_not_depend_on_the_batch(sentiment_model):
    trees = [*sentiments(5, 4), NOT_GOOD, "(x good)"]
    together = sentiment_model.encode(trees, batch_size=3, progress=False)
    assert together.shape == (7, sentiment_model.dim)
    assert together.dtype == np.float32
    for tree, vector in zip(trees, together, strict=True):
        assert np.allclose(sentiment_model.encode([tree], progress=False)[0], vector, atol=1e-6)


def test_probabilities_sum_to_one(sentiment_model):
    assert sentiment_model.probabilities(NOT_GOOD).sum() == pytest.approx(1, abs=1e-12)
    trees = [NOT_GOOD, "(x good)", "(x (x so) (x poor))"]
    for tree, found in zip(trees, sentiment_model.node_probabilities(trees), strict=True):
        assert found == pytest.approx(sentiment_model.node_probabilities([tree])[0], abs=1e-6)
        assert found.sum(1) == pytest.approx(np.ones(len(tree_of(tree))))
    assert sentiment_model.probabilities("(x (x unheard) (x of))").shape == (2,)


def test_the_error_at_roots_is_not_that_of_all_nodes(sentiment_model):
    """All three roots are labelled wrongly, and no other node."""
    items = []
    for text in ("(4 (2 not) (4 good))", "(0 (2 so) (4 good))", "(0 (4 (2 so) (4 good)) (2 .))"):
        tree = tree_of(text)
        read = read_tree(tree, sentiment_model.reader, chains=False, lowercase=True)
        labels = [{"0": ["bad"], "4": ["good"]}.get(label, []) for label in tree.labels]
        targets = label_targets(labels, sentiment_model._labels)
        nodes = np.flatnonzero(targets.any(1))
        items.append(TreeItem((read,), nodes, targets[nodes]))
    held_out = tree_batches(items, batch_size=2, shuffle=False)
    figures = tree_task(sentiment_model.module, held_out, held_out, predictions=7).evaluate()
    assert figures["error"] == 1
    assert figures["node_error"] == pytest.approx(3 / 7)


def test_what_is_refused(sentiment_model):
    with pytest.raises(CorpusError, match="item 0 is 3; expected a tree"):
        sentiment_model.predict([3])
    with pytest.raises(OptionError, match="k=0"):
        sentiment_model.predict(NOT_GOOD, k=0)
    with pytest.raises(OptionError, match="batch_size=0"):
        sentiment_model.encode([NOT_GOOD], batch_size=0)
    with pytest.raises(OptionError, match="train with pairs='relatedness'"):
        sentiment_model.relatedness([(NOT_GOOD, NOT_GOOD)])
    assert repr(sentiment_model).startswith("<TreeModel: TreeLSTMClassifier, 2 labels")
