import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from firth.evaluation.linear import (
    PENALTIES,
    LogisticRegression,
    Scale,
    fit_chosen,
    logistic_path,
    ridge_path,
    stratified_folds,
)


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


def test_the_penalty_is_chosen_for_rows_that_were_held_out():
    """Forty columns of noise and one that tells: weak penalties learn the noise by heart, and are not chosen."""
    random = np.random.default_rng(7)
    rows, labels = random.normal(size=(120, 41)), random.integers(0, 2, 120)
    rows[:, 0] += labels
    chosen = fit_chosen(logistic_path, rows, labels)
    strengths = [np.linalg.norm(model.coefficients) for model in logistic_path(rows, labels)]
    assert np.argmin(np.abs(np.linalg.norm(chosen.coefficients) - strengths)) <= 1  # 1 or 0.1
    # A clean signal takes the weakest penalty.
    clean = np.sign(random.normal(size=(200, 1)))
    sharp = fit_chosen(logistic_path, clean, (clean[:, 0] > 0).astype(np.int64))
    assert sharp.coefficients[0, 0] == pytest.approx(
        logistic_path(clean, clean[:, 0] > 0, [PENALTIES[-1]])[0].coefficients[0, 0], rel=1e-3
    )


def test_ridge_is_chosen_alike():
    random = np.random.default_rng(8)
    rows = random.normal(size=(100, 60))
    model = fit_chosen(ridge_path, rows, rows[:, 0] + random.normal(size=100))
    fresh = random.normal(size=(500, 60))
    losses = [one.loss(fresh, fresh[:, 0]) for one in ridge_path(rows, rows[:, 0] + random.normal(size=100))]
    assert model.loss(fresh, fresh[:, 0]) < max(losses)


def test_folds_share_out_every_label():
    labels = np.array([0] * 23 + [1] * 7 + [2] * 10)
    fold = stratified_folds(labels, 5, seed=3)
    for label, n in ((0, 23), (1, 7), (2, 10)):
        sizes = np.bincount(fold[labels == label], minlength=5)
        assert sizes.sum() == n
        assert sizes.max() - sizes.min() <= 1
    assert np.bincount(fold).tolist() == [8] * 5
    assert stratified_folds(labels, 5, seed=3).tolist() == fold.tolist()
    assert stratified_folds(labels, 5, seed=4).tolist() != fold.tolist()


def test_folds_keep_equal_keys_together():
    keys = list("aabbccddeeffgghhaabb")
    fold = stratified_folds(np.zeros(20), 4, seed=1, keys=keys)
    for key in set(keys):
        assert len({part for part, own in zip(fold.tolist(), keys, strict=True) if own == key}) == 1
    assert set(fold.tolist()) == {0, 1, 2, 3}


def test_scale():
    rows = np.array([[1.0, 5.0], [3.0, 5.0]])
    scale = Scale.of(rows)
    assert scale(rows).tolist() == [[-1, 0], [1, 0]]  # a constant column says nothing
    assert scale(np.array([[4.0, 9.0]])).tolist() == [[2, 0]]


def test_a_model_is_its_numbers():
    model = LogisticRegression(np.array([3, 5]), np.array([[2.0]]), np.array([-1.0]))
    # 2 x - 1 > 0 where x > 0.5
    assert model.predict(np.array([[0.4], [0.6]])).tolist() == [3, 5]
