"""Graph networks: propagation, labels, bad input, folders."""

import numpy as np
import pytest
from scipy.sparse import csr_array

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError, ShapeError
from firth.neural.models.graphs.data import UNKNOWN, WholeGraph, normalised, read_graph, read_labels

NODES = 60


def two_groups(seed=0):
    """Nodes of two groups, with edges mostly inside each; features say nothing. Three of each have a label."""
    random = np.random.default_rng(seed)
    group = np.arange(NODES) % 2
    chance = np.where(group[:, None] == group[None], 0.2, 0.01)
    edges = np.triu(random.random((NODES, NODES)) < chance, 1).astype(float)
    labels = [("left", "right")[each] if number < 6 else None for number, each in enumerate(group)]
    return csr_array(edges + edges.T), [("left", "right")[each] for each in group], labels


def test_propagation_is_the_dense_formula():
    random = np.random.default_rng(0)
    weights = np.where(random.random((9, 9)) < 0.3, random.random((9, 9)), 0)
    closed = weights + np.eye(9)
    scale = np.diag(closed.sum(1) ** -0.5)
    np.testing.assert_allclose(normalised(csr_array(weights)).toarray(), scale @ closed @ scale, rtol=1e-5)


def arrays(layer):
    return {name: each.detach().double().numpy() for name, each in layer.named_parameters()}


def small_graph():
    """Edges, features, and A~ of some nodes, of which the last has no neighbour but itself."""
    random = np.random.default_rng(5)
    edges = np.triu(random.random((7, 7)) < 0.4, 1) * random.random((7, 7))
    edges[:, -1] = 0
    edges += edges.T
    return edges, random.normal(size=(7, 5)), normalised(csr_array(edges)).toarray().astype(float)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_convolutional_network_is_its_formula(layers):
    """Z = A~ relu(A~ X W_1 + b_1) W_2 + b_2, and so on."""
    edges, x, closed = small_graph()
    module = with_biases(firth.GCN(hidden=4, layers=layers).build(5, 3))
    expected = x
    for number, layer in enumerate(module.layers, 1):
        own = arrays(layer)
        expected = closed @ expected @ own["project.weight"] + own["bias"]
        expected = np.maximum(expected, 0) if number < layers else expected
    with torch.no_grad():
        np.testing.assert_allclose(module(read_graph(edges, x)).numpy(), expected, atol=1e-5)


@pytest.mark.parametrize(("layers", "heads", "output_heads"), [(1, 2, 1), (2, 1, 1), (2, 3, 2), (3, 2, 2)])
def test_an_attention_network_is_its_formula(layers, heads, output_heads):
    """Each node by itself: softmax over its neighbours of leaky(u . W x_i + v . W x_j); elu between layers."""
    edges, x, closed = small_graph()
    module = with_biases(firth.GAT(hidden=3, heads=heads, output_heads=output_heads, layers=layers).build(5, 4))
    expected = x
    for number, layer in enumerate(module.layers, 1):
        own, last = arrays(layer), number == layers
        projected = (expected @ own["project.weight"]).reshape(len(x), output_heads if last else heads, -1)
        found = np.zeros_like(projected)
        for i in range(len(x)):
            neighbours = np.flatnonzero(closed[i])
            for head in range(projected.shape[1]):
                mine = projected[i, head] @ own["own"][head]
                scores = mine + projected[neighbours, head] @ own["others"][head]
                scores = np.exp(np.where(scores > 0, scores, 0.2 * scores))
                found[i, head] = scores / scores.sum() @ projected[neighbours, head]
        expected = (found.mean(1) if last else found.reshape(len(x), -1)) + own["bias"]
        expected = expected if last else np.where(expected > 0, expected, np.expm1(expected))
    with torch.no_grad():
        np.testing.assert_allclose(module(read_graph(edges, x)).numpy(), expected, atol=1e-5)


def with_biases(module):
    with torch.no_grad():
        for name, each in module.named_parameters():
            if name.endswith("bias"):
                each.uniform_(-1, 1)
    return module.eval()


@pytest.mark.parametrize("options", [firth.GCN(), firth.GAT(hidden=4, heads=2)])
def test_nodes_in_another_order_have_the_same_scores(options):
    random = np.random.default_rng(3)
    edges, features = np.where(random.random((9, 9)) < 0.3, random.random((9, 9)), 0), random.random((9, 5))
    edges += edges.T
    order = random.permutation(9)
    torch.manual_seed(0)
    module = options.build(5, 3).eval()
    with torch.no_grad():
        scores = module(read_graph(edges, features)).numpy()
        other = module(read_graph(edges[np.ix_(order, order)], features[order])).numpy()
    np.testing.assert_allclose(other, scores[order], atol=1e-6)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_indices_out_of_range(kind):
    edges = csr_array(np.eye(3)).asformat(kind)
    if kind == "coo":
        edges.coords[1][0] = 7
    else:
        edges.indices[0] = 7
    with pytest.raises(ShapeError, match=r"indices from 1 to 7 .* expected from 0 to 2"):
        firth.GCN().train(edges, None, ["a", "b", None])


@pytest.mark.parametrize("options", [firth.GCN(), firth.GAT(hidden=4, heads=2)])
def test_labels_spread_along_edges(options):
    """With no features, six labels of sixty nodes are enough; the nodes themselves are told apart by their edges."""
    edges, truth, labels = two_groups()
    model = options.train(edges, None, labels, training=firth.TrainingOptions(epochs=60, optimiser="adam", lr=0.02))
    assert model.test(edges, None, truth).accuracy > 0.9
    assert model.metadata["training"]["labelled"] == 6
    np.testing.assert_allclose(model.probabilities(edges, None).sum(1), 1, rtol=1e-5)


@pytest.mark.parametrize("options", [firth.GCN(), firth.GAT(hidden=4, heads=2)])
def test_sparse_and_dense_features_give_the_same_and_so_does_a_saved_model(options, tmp_path):
    edges, _, labels = two_groups()
    features = np.where(np.random.default_rng(1).random((NODES, 30)) < 0.1, 1.0, 0.0)
    training = firth.TrainingOptions(epochs=5, optimiser="adam", lr=0.02)
    model = options.train(edges, features, labels, held_out=[4, 5], training=training)
    full = features + 1e-30  # read as an array
    np.testing.assert_allclose(model.probabilities(edges, full), model.probabilities(edges, features), atol=1e-5)
    model.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    np.testing.assert_array_equal(again.probabilities(edges, features), model.probabilities(edges, features))
    assert again.labels == ["left", "right"]


def test_the_held_out_nodes_select_and_the_seed_decides():
    edges, _, labels = two_groups()
    how = {"held_out": [4, 5], "training": firth.TrainingOptions(epochs=20, optimiser="adam", lr=0.05)}
    one, same, other = (firth.GCN().train(edges, None, labels, seed=seed, **how) for seed in (1, 1, 2))
    assert torch.equal(one.module.layers[0].bias, same.module.layers[0].bias)
    assert not torch.equal(one.module.layers[0].bias, other.module.layers[0].bias)
    facts = one.metadata["training"]
    assert facts["best"]["held_out_error"] == min(row["held_out_error"] for row in facts["rows"])
    assert facts["labelled"] == 4


def test_a_checkpoint_of_other_labels_is_refused(tmp_path):
    edges, truth, labels = two_groups()
    how = {"training": firth.TrainingOptions(epochs=2, optimiser="adam", lr=0.05), "checkpoint": tmp_path / "c"}
    model = firth.GCN().train(edges, None, labels, **how)
    with pytest.raises(OptionError, match="had not the same labels as this one"):
        firth.GCN().train(edges, None, [*truth[:6][::-1], *labels[6:]], **how)
    with pytest.raises(AttributeError, match="use probabilities"):
        _ = model.predict_proba


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"edges": np.ones((3, 4))}, ShapeError, r"expected \(N, N\)"),
        ({"edges": [[0, -1.0], [1, 0]]}, OptionError, "the weight from node 0 to 1 is negative"),
        ({"edges": [[0, np.nan], [1, 0]]}, OptionError, "edges: a number that is not finite"),
        ({"edges": [["a", "b"], ["c", "d"]]}, ArgumentTypeError, "expected a SciPy sparse matrix"),
        ({"features": np.ones((3, 2))}, ShapeError, r"expected \(2, D\), a row per node"),
        ({"features": [[np.inf], [0]]}, OptionError, "features: a number that is not finite"),
        ({"labels": ["a"]}, ShapeError, "1 labels of 2 nodes"),
        ({"labels": [None, -1]}, CorpusError, "no node has a label"),
        ({"labels": ["a", "a"]}, CorpusError, "all labels are 'a'"),
        ({"labels": "ab"}, ArgumentTypeError, "expected a list with the label of each node"),
        ({"held_out": [2]}, OptionError, "expected 0 to 1"),
        ({"held_out": [0, 1]}, CorpusError, "all nodes with labels are held out"),
        ({"held_out": [0.5]}, OptionError, "expected numbers of nodes"),
        ({"held_out": [[0], [1, 2]]}, OptionError, r"held_out=\[\[0\], \[1, 2\]\]: expected numbers of nodes"),
        ({"features": np.ones((2, 0))}, ShapeError, "None if the nodes have no features"),
        ({"features": [[1j], [0]]}, ArgumentTypeError, "features: complex numbers; expected real ones"),
        ({"features": np.ma.masked_equal([[1.0], [0]], 0)}, ArgumentTypeError, "features: a masked array"),
        ({"edges": csr_array([[0, 1j], [1, 0]])}, ArgumentTypeError, "edges: complex numbers"),
        ({"labels": {0: "a", 1: "b"}}, ArgumentTypeError, "labels: found {0: 'a', 1: 'b'}, expected a list"),
        ({"labels": np.zeros((2, 2))}, ArgumentTypeError, r"labels: an array of the shape \(2, 2\)"),
    ],
)
def test_bad_input(change, error, message):
    how = {"edges": [[0, 1], [1, 0]], "features": [[1.0], [0.0]], "labels": [0, 1], **change}
    with pytest.raises(error, match=message):
        firth.GCN().train(**how, progress=False)


def test_the_negative_weight_is_named_behind_explicit_zeros():
    edges = csr_array(([0.0, 0.0, 1.0, -1.0], ([0, 0, 1, 2], [0, 1, 2, 1])), shape=(3, 3))
    with pytest.raises(OptionError, match="the weight from node 2 to 1 is negative"):
        read_graph(edges, None)


def test_labels_of_tensors_and_tables_with_missing_ones():
    import pandas as pd

    for labels in (
        torch.tensor([0, -1, 1]),
        [torch.tensor(0), None, np.int64(1)],
        pd.Series([0, pd.NA, 1], dtype="Int64"),
    ):
        names, numbers = read_labels(labels, 3)
        assert (names, numbers.tolist()) == (["0", "1"], [0, UNKNOWN, 1])


def test_isolated_nodes_and_other_widths():
    edges, truth, labels = two_groups()
    lone = csr_array((edges.data, edges.indices, [*edges.indptr, edges.indptr[-1]]), shape=(NODES + 1, NODES + 1))
    model = firth.GCN().train(
        lone, None, [*labels, None], training=firth.TrainingOptions(epochs=3, optimiser="adam", lr=0.02)
    )
    assert len(model.predict(lone, None)) == NODES + 1
    with pytest.raises(ShapeError, match=r"expected \(60, 61\)"):
        model.predict(edges, None)
    with pytest.raises(CorpusError, match="none of those that were learned: left, right"):
        model.test(lone, None, [*truth, "middle"])
    whole = WholeGraph(read_graph(edges, None))
    with pytest.raises(OptionError, match="processes=2"):
        whole.shard(0, 2)
