"""The restricted Boltzmann machine as an estimator, beside scikit-learn's."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import BernoulliRBM
from sklearn.pipeline import make_pipeline

import firth
from firth.sklearn import RBMFeatures


def test_features_of_digits():
    """With the same sizes, they serve a linear model as well as those of scikit-learn's machine."""
    pixels, labels = load_digits(return_X_y=True)
    train, test = slice(0, 450), slice(900, 1797)
    rows = (pixels / 16).astype(np.float32)
    features = RBMFeatures(hidden=100, epochs=20, lr=0.06, random_state=0).fit(rows[train])
    assert features.transform(rows[test]).dtype == np.float32
    assert features.get_feature_names_out()[:2].tolist() == ["rbmfeatures0", "rbmfeatures1"]
    theirs = BernoulliRBM(n_components=100, n_iter=20, learning_rate=0.06, random_state=0)
    scores = [
        make_pipeline(each, LogisticRegression(C=100, max_iter=5000))
        .fit(rows[train], labels[train])
        .score(rows[test], labels[test])
        for each in (features, theirs)
    ]
    assert scores[0] > max(0.78, scores[1] - 0.02)
    assert isinstance(features.machine_, firth.BoltzmannMachine)


def test_sparse_rows_and_counts():
    counts = csr_array(np.array([[2, 0, 1], [0, 3, 0]] * 10))
    found = RBMFeatures(visible="softmax", hidden=4, epochs=2, random_state=0).fit(counts).transform(counts)
    assert found.shape == (20, 4)


def test_numbers_out_of_range_are_cut_with_a_warning():
    with pytest.warns(UserWarning, match="numbers from -1 to 2 are cut at 0 and 1; scale them first"):
        RBMFeatures(hidden=2, epochs=1).fit([[0.0, 2.0], [-1.0, 1.0]])


def test_names_of_others():
    with pytest.raises(AttributeError, match=r"use firth\.sklearn\.RBMFeatures"):
        _ = firth.sklearn.BernoulliRBM
    with pytest.raises(TypeError, match="use epochs"):
        RBMFeatures(n_iter=5)
    with pytest.raises(TypeError, match="hidden"):
        RBMFeatures(n_components=5)
