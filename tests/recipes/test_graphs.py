"""Graph networks: the reader of citations, its refusal of other pickles, and a toy run."""

import io
import pickle

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'firth[sklearn]'")

import firth


def test_toy(recipe):
    rows = recipe["main"](["toy"])
    accuracy = {row["model"]: row.get("accuracy", row.get("mean")) for row in rows}
    assert accuracy.keys() == {"tf-idf, linear", "textgcn"}
    assert min(accuracy.values()) > 90


def test_other_pickles_are_refused(recipe):
    with pytest.raises(pickle.UnpicklingError, match=r"system: expected arrays"):
        recipe["Restricted"](io.BytesIO(b"cos\nsystem\n(S'true'\ntR.")).load()


def test_cora(recipe, shared_data):
    """One seed of the usual division; the paper has 81.5."""
    path = shared_data / "graphs/planetoid/planetoid.tar.gz"
    edges, features, labels, train, held_out, test = recipe["planetoid"](path, "cora")
    known = recipe["only"](labels, [*train, *held_out])
    model = firth.GCN().train(edges, features, known, held_out=held_out, progress=False)
    scores = model.test(edges, features, recipe["only"](labels, test))
    assert scores.nodes == 1000
    assert scores.accuracy > 0.79


def test_citeseer_has_nodes_without_edges_and_features(recipe, shared_data):
    path = shared_data / "graphs/planetoid/planetoid.tar.gz"
    edges, features, labels, train, held_out, test = recipe["planetoid"](path, "citeseer")
    assert features.shape == (3327, 3703)
    assert (features.sum(1) == 0).sum() == 15
    assert abs(edges - edges.T).nnz == 0
    assert len(train) == 120
    assert len(held_out) == 500
    assert len(test) == 1000
    assert np.bincount(labels[train]).tolist() == [20] * 6
