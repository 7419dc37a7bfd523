import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from firth.evaluation.linear import PENALTIES, LogisticRegression, Scale, logistic_path, ridge_path, soft_label_path


def drawn(seed, n, dim, classes, noise=1.0):
    """Rows and labels that a softmax model made, so that classes overlap."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n, dim)) @ random.normal(size=(dim, dim))
    scores = rows @ random.normal(size=(dim, classes)) + noise * random.gumbel(size=(n, classes)) + np.arange(classes)
    return rows, scores.argmax(axis=1)


def naive_loss(parameters, rows, labels, classes, penalty):
    """The objective written out row by row, class by class: the module's formula with a row of W for every class."""
    weights, intercepts = parameters[: -len(classes)].reshape(len(classes), -1), parameters[-len(classes) :]
    total = 0.0
    for row, label in zip(rows, labels, strict=True):
        scores = weights @ row + intercepts
        total += np.log(np.exp(scores).sum()) - scores[list(classes).index(label)]
    return total / len(rows) + penalty / 2 * (weights**2).sum()


def test_two_points_by_hand():
    """x = -1 has label 0, x = 1 label 1. By symmetry b = 0, and the objective is log(1 + e^-w) + penalty w^2 / 2.

    Its derivative is nothing where penalty w = 1 / (1 + e^w). With penalty = 1 / (1 + e) = 0.2689 that is w = 1.
    """
    model = logistic_path(np.array([[-1.0], [1.0]]), np.array([0, 1]), [1 / (1 + np.e)], tolerance=1e-10)[0]
    assert model.coefficients == pytest.approx(np.array([[1.0]]), abs=1e-9)
    assert model.intercepts == pytest.approx([0.0], abs=1e-9)
    # The loss of either point is log(1 + 1 / e) = 0.3133 nats.
    assert model.loss(np.array([[-1.0], [1.0]]), np.array([0, 1])) == pytest.approx(np.log1p(np.exp(-1)), abs=1e-9)
    assert model.predict(np.array([[-3.0], [0.5]])).tolist() == [0, 1]


@pytest.mark.parametrize("penalty", [1.0, 0.01])
def test_several_classes_reach_the_naive_minimum(penalty):
    rows, labels = drawn(1, 60, 3, 3)
    classes = np.unique(labels)
    found = minimize(
        naive_loss, np.zeros(4 * len(classes)), (rows, labels, classes, penalty), method="BFGS", options={"gtol": 1e-8}
    ).x
    model = logistic_path(rows, labels, [penalty], tolerance=1e-9)[0]
    assert model.coefficients.ravel() == pytest.approx(found[:-3], abs=1e-5)
    assert model.intercepts - model.intercepts.mean() == pytest.approx(found[-3:] - found[-3:].mean(), abs=1e-5)


def test_two_classes_are_two_rows_of_half_the_weight():
    """A softmax with rows -v and v scores as one logistic row of 2 v, and is charged 2 v^2 in the place of 4 v^2.

    So the one row with penalty p is the two rows with penalty 2 p.
    """
    rows, labels = drawn(2, 60, 2, 2)
    found = minimize(
        naive_loss, np.zeros(6), (rows, labels, np.array([0, 1]), 0.2), method="BFGS", options={"gtol": 1e-8}
    ).x
    model = logistic_path(rows, labels, [0.1], tolerance=1e-9)[0]
    assert model.coefficients[0] == pytest.approx(found[2:4] - found[:2], abs=1e-5)


@pytest.mark.parametrize("classes", [2, 4])
def test_sparse_rows_and_single_precision_give_the_same(classes):
    rows, labels = drawn(3, 400, 6, classes)
    rows[np.abs(rows) < 1] = 0
    dense = logistic_path(rows, labels, tolerance=1e-7)
    sparse = logistic_path(csr_array(rows), labels, tolerance=1e-9)
    single = logistic_path(rows.astype(np.float32), labels, tolerance=1e-6)
    for one, other, third in zip(dense, sparse, single, strict=True):
        assert other.coefficients == pytest.approx(one.coefficients, abs=1e-4)
        assert third.loss(rows, labels) == pytest.approx(one.loss(rows, labels), abs=1e-5)


def test_the_path_ends_where_single_fits_do():
    rows, labels = drawn(4, 300, 5, 3)
    along = logistic_path(rows, labels, tolerance=1e-8)
    for penalty, model in zip(PENALTIES, along, strict=True):
        alone = logistic_path(rows, labels, [penalty], tolerance=1e-8)[0]
        assert model.coefficients == pytest.approx(alone.coefficients, abs=1e-5)


def test_a_fit_that_starts_elsewhere_ends_at_the_same_minimum():
    rows, labels = drawn(4, 200, 5, 3)
    start = logistic_path(rows[50:], labels[50:])
    ours = logistic_path(rows, labels, start=start, tolerance=1e-8)
    theirs = logistic_path(rows, labels, tolerance=1e-8)
    for one, other in zip(ours, theirs, strict=True):
        assert one.coefficients == pytest.approx(other.coefficients, abs=1e-5)
    # models of other classes are no start
    assert logistic_path(rows, labels % 2, start=start)[0].classes.tolist() == [0, 1]


def test_one_class_is_predicted_always():
    model = logistic_path(np.eye(3), np.array([7, 7, 7]))[0]
    assert model.predict(-np.eye(3)).tolist() == [7, 7, 7]
    # -log of a millionth for a label that training lacked
    assert model.loss(np.eye(3)[:2], np.array([7, 9])) == pytest.approx(np.log(1e6) / 2)


def test_scores_are_log_probabilities():
    rows, labels = drawn(5, 50, 3, 4)
    scores = logistic_path(rows, labels, [0.1])[0].log_probabilities(rows)
    assert np.exp(scores).sum(axis=1) == pytest.approx(np.ones(50))


def test_ridge_by_hand():
    """Rows -1, 0, 1 and numbers -2, 0, 2: variance 2/3, covariance 4/3, so w = (4/3) / (2/3 + penalty)."""
    rows, numbers = np.array([[-1.0], [0.0], [1.0]]) + 5, np.array([-2.0, 0.0, 2.0]) + 7
    tight, loose = ridge_path(rows, numbers, [2 / 3, 1e-12])
    assert (tight.coefficients[0], tight.intercept) == pytest.approx((1.0, 2.0))
    assert (loose.coefficients[0], loose.intercept) == pytest.approx((2.0, -3.0))
    assert tight.loss(rows, numbers) == pytest.approx(2 / 3)  # off by 1, 0 and 1


def test_ridge_solves_its_normal_equations():
    random = np.random.default_rng(6)
    rows, numbers = random.normal(size=(8, 20)), random.normal(size=8)  # more columns than rows
    model = ridge_path(rows, numbers, [0.3])[0]
    centred = rows - rows.mean(axis=0)
    wanted = np.linalg.solve(centred.T @ centred / 8 + 0.3 * np.eye(20), centred.T @ numbers / 8)
    assert model.coefficients == pytest.approx(wanted)
    assert model.predict(rows).mean() == pytest.approx(numbers.mean())


def test_scale():
    rows = np.array([[1.0, 5.0], [3.0, 5.0]])
    scale = Scale.of(rows)
    assert scale(rows).tolist() == [[-1, 0], [1, 0]]  # a constant column says nothing
    assert scale(np.array([[4.0, 9.0]])).tolist() == [[2, 0]]
    centred = Scale.of(rows, standardise=False, weights=np.array([1, 3]))
    assert centred(np.array([[4.0, 9.0]])).tolist() == [[2, 12]]


def test_soft_labels_by_hand():
    """Without an input that differs, only intercepts are learnt: the prediction is the mean of the distributions."""
    targets = np.array([[1.0, 0, 0], [0.2, 0.8, 0], [0, 0.4, 0.6], [0, 0, 1]])
    model = soft_label_path(np.zeros((4, 2)), targets, [0.1])[0]
    assert np.exp(model.log_probabilities(np.zeros((1, 2))))[0] == pytest.approx([0.3, 0.3, 0.4], abs=1e-3)


def test_soft_labels_of_one_class_are_labels():
    """Distributions on one class each are labels: the same minimum."""
    rows, labels = drawn(2, 150, 4, 3)
    soft = soft_label_path(rows, np.eye(3)[labels], [0.01])[0]
    hard = logistic_path(rows, labels, [0.01])[0]
    assert soft.coefficients == pytest.approx(hard.coefficients, abs=1e-6)
    assert soft.intercepts == pytest.approx(hard.intercepts, abs=1e-6)


def test_the_gradient_of_soft_labels():
    """Central differences of the objective, written out, vanish at the minimum."""
    random = np.random.default_rng(5)
    rows, targets = random.normal(size=(30, 3)), random.dirichlet(np.ones(4), size=30)
    model = soft_label_path(rows, targets, [0.05])[0]
    flat = np.concatenate([model.coefficients.ravel(), model.intercepts])

    def objective(point):
        scores = rows @ point[:12].reshape(4, 3).T + point[12:]
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return -(targets * logs).sum() / 30 + 0.025 * (point[:12] ** 2).sum()

    for i in range(16):
        step = np.eye(16)[i] * 1e-5
        assert (objective(flat + step) - objective(flat - step)) / 2e-5 == pytest.approx(0, abs=1e-3)


def test_a_model_is_its_numbers():
    model = LogisticRegression(np.array([3, 5]), np.array([[2.0]]), np.array([-1.0]))
    # 2 x - 1 > 0 where x > 0.5
    assert model.predict(np.array([[0.4], [0.6]])).tolist() == [3, 5]
