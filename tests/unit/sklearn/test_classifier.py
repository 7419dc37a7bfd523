import numpy as np
import pandas
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import get_tags

import firth
from firth.errors import OptionError
from firth.sklearn import FastTextClassifier

HOW = {"dim": 10, "lr": 0.5, "epochs": 5, "buckets": 10_000}


def test_the_same_as_firths_classifier(passages):
    """And better than the most frequent part, which has 0.28."""
    texts, labels, others, answers = passages
    ours = FastTextClassifier(**HOW, word_ngrams=2, random_state=4).fit(texts, labels)
    model = firth.TextClassifier(**HOW, word_ngrams=2).train(texts, labels, seed=4, threads=1)
    order = [model.labels.index(label) for label in ours.classes_]
    assert np.array_equal(ours.predict_proba(others), model.probabilities(others, threads=1)[:, order])
    assert ours.predict(others).tolist() == [pairs[0][0] for pairs in model.predict(others)]
    assert ours.classes_.tolist() == sorted(set(labels))
    assert ours.score(others, answers) == model.test(others, answers).precision > 0.37


@pytest.mark.filterwarnings("ignore:training ended")  # after few epochs
@pytest.mark.parametrize("loss", ["softmax", "hierarchical", "negative", "ova"])
def test_probabilities_of_every_loss_sum_to_one(passages, loss):
    texts, labels, others, _ = passages
    rows = FastTextClassifier(**HOW, loss=loss, random_state=0).fit(texts[:300], labels[:300]).predict_proba(others)
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(others)))
    assert rows.min() >= 0


def test_labels_of_any_type():
    texts = ["red apple", "green pear", "blue car", "fast bus"] * 10
    for labels in ([0, 0, 7, 7], [True, True, False, False], ["f", "f", "c", "c"], [0.0, 0.0, 2.0, 2.0]):
        y = np.array(labels * 10)
        model = FastTextClassifier(**HOW, random_state=0).fit(texts, y)
        assert model.predict(["green apple", "fast car"]).tolist() == [y[0], y[2]]
        assert model.predict(pandas.Series(["green apple"])).dtype == y.dtype


def test_a_label_that_is_left_out_has_no_probability():
    texts, labels = ["red apple", "blue car"] * 10 + ["odd one"], ["f", "c"] * 10 + ["rare"]
    model = FastTextClassifier(**HOW, min_count_label=2, random_state=0).fit(texts, labels)
    assert model.predict_proba(["odd apple"])[0, model.classes_.tolist().index("rare")] == 0


def test_several_labels_per_text():
    texts = ["red apple", "red car", "blue car", "blue apple"] * 20
    y = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1], [0, 1, 0]] * 20)  # red, apple, car
    for indicators in (y, csr_array(y)):
        model = FastTextClassifier(**{**HOW, "epochs": 20}, loss="ova", random_state=0).fit(texts, indicators)
        assert np.array_equal(model.predict(texts), y)
        assert f1_score(y, model.predict(texts), average="micro") == 1
    assert get_tags(model).classifier_tags.multi_label
    assert not get_tags(FastTextClassifier()).classifier_tags.multi_label
    with pytest.raises(OptionError, match="several labels per text, and loss='softmax' one; use loss='ova'"):
        FastTextClassifier(loss="softmax").fit(texts, y)


def test_wrong_labels():
    with pytest.raises(ValueError, match="y has one class, 'a'"):
        FastTextClassifier().fit(["x", "y"], ["a", "a"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        FastTextClassifier().fit(["x", "y"], ["a", "b", "a"])
    with pytest.raises(ValueError, match="requires y"):
        FastTextClassifier().fit(["x", "y"], None)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        FastTextClassifier().fit(["x", "y"], [0.3, 0.7])


@pytest.mark.filterwarnings("ignore:training ended")  # after few epochs
def test_grid_search_and_cross_validation(passages):
    texts, labels, *_ = passages
    search = GridSearchCV(
        FastTextClassifier(**{**HOW, "epochs": 15}, random_state=0), {"lr": [0.0001, 0.5]}, cv=2, n_jobs=1
    )
    search.fit(texts, labels)
    assert search.best_params_ == {"lr": 0.5}
    scores = cross_val_score(clone(search.best_estimator_), np.array(texts), labels, cv=2)
    assert scores.min() > 0.35  # the most frequent part: 0.28
