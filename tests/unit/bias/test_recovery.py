"""The control: a bias that pairs do not show is found after they have been debiased; one that is gone is not."""

import numpy as np
import pytest

from firth.bias.direction import bias_direction
from firth.bias.hard_debiasing import hard_debias
from firth.bias.recovery import clusters_agree, kernel_accuracy, recovery
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors
from tests.unit.bias.planted import PAIR_LIST, planted


def asked(second: float):
    vectors, *_ = planted(second)
    after = hard_debias(vectors, PAIR_LIST)
    return recovery(vectors, after, bias_direction(vectors, PAIR_LIST), count=200, classified=280)


def test_what_is_hidden_is_recovered():
    found = asked(second=1.0)
    assert found.before.clusters == found.after.clusters == 1
    assert found.before.classifier == found.after.classifier == 1
    assert found.after.neighbours > 0.9
    assert (found.clustered, found.trained, found.tested) == (200, 112, 448)


def test_what_is_gone_is_not():
    """The same words without the second direction: chance is .5, and the best of two labellings of it a little more."""
    found = asked(second=0.0)
    assert found.before.clusters == found.before.classifier == 1
    assert found.after.clusters < 0.6
    assert abs(found.after.classifier - 0.5) < 0.1
    assert abs(found.after.neighbours) < 0.2


def test_the_machine_is_the_solution_of_its_system():
    """f = sum alpha_i k(x_i, .) + b with y_i = f(x_i) + alpha_i and sum alpha_i = 0, checked by another route:

    kernel ridge regression with a free intercept, whose closed form takes b from weighted means.
    """
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(60, 3)), random.integers(0, 2, 60)
    labels[rows[:, 0] * rows[:, 1] > 0] = 1  # no line parts them
    train = np.arange(60) < 40
    known, y = rows[train], 2.0 * labels[train] - 1
    gamma = 1 / (3 * known.var())

    def k(u, v):
        return np.exp(-gamma * ((u[:, None] - v[None]) ** 2).sum(axis=2))

    inverse = np.linalg.inv(k(known, known) + np.eye(40))
    b = (inverse @ y).sum() / inverse.sum()
    scores = k(rows[~train], known) @ (inverse @ (y - b)) + b
    assert kernel_accuracy(rows, labels, train) == ((scores > 0) == (labels[~train] == 1)).mean()


@pytest.mark.peer
def test_it_does_what_a_support_vector_machine_does():
    svm = pytest.importorskip("sklearn.svm", reason="compares with scikit-learn: pip install scikit-learn")
    random = np.random.default_rng(1)
    labels = np.repeat([0, 1], 1000)
    rows = random.normal(size=(2000, 10)) * np.where(labels, 1.0, 1.6)[:, None]  # only a curve parts them
    train = np.zeros(2000, dtype=bool)
    train[random.permutation(2000)[:600]] = True
    peer = svm.SVC().fit(rows[train], labels[train])
    expected = (peer.predict(rows[~train]) == labels[~train]).mean()
    assert expected > 0.8
    assert kernel_accuracy(rows, labels, train) == pytest.approx(expected, abs=0.02)


def test_labels_of_clusters_are_free():
    rows = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]])
    for labels in ([0, 0, 1, 1], [1, 1, 0, 0]):
        assert clusters_agree(rows, np.array(labels)) == 1
    assert clusters_agree(rows, np.array([0, 1, 0, 1])) == 0.5


def test_other_words():
    vectors, *_ = planted()
    other = WordVectors([*vectors.words[1:], "new"], vectors.vectors)
    with pytest.raises(OptionError, match="vectors of other words before and after"):
        recovery(vectors, other, bias_direction(vectors, PAIR_LIST))
