import numpy as np
import pytest

from firth.evaluation.linear import PENALTIES, logistic_path, ridge_path
from firth.evaluation.selection import INVERSE_PENALTIES, fit_chosen, fit_classifier, stratified_folds


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


def noisy(seed=0, n=400):
    """Labels told by one column of thirty."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n, 30))
    return rows, (rows[:, 0] + random.normal(size=n) > 0).astype(np.int64)


def test_development_rows_choose_and_are_not_trained_on():
    """With development labels that contradict the training labels, the strongest penalty has the least loss."""
    rows, labels = noisy()
    agreed = fit_classifier(logistic_path, rows, labels, development=noisy(1))
    contradicted = fit_classifier(logistic_path, rows, labels, development=(noisy(1)[0], 1 - noisy(1)[1]))
    strengths = [float(np.linalg.norm(model.coefficients)) for model in logistic_path(rows, labels)]
    assert np.linalg.norm(contradicted.coefficients) == pytest.approx(strengths[0])
    assert np.linalg.norm(agreed.coefficients) > strengths[0]


def fits(rows, labels, **how):
    """The numbers of rows and the penalties of each path that a choice fits."""
    seen = []

    def path(some, their, penalties, **how):
        seen.append((len(their), [round(1 / (one * len(their)), 9) for one in penalties]))
        return logistic_path(some, their, penalties, **how)

    fit_classifier(path, rows, labels, protocol="senteval", **how)
    return seen


def test_the_protocol_of_senteval_chooses_by_accuracy_on_rows_held_out():
    """The chosen model is that of the penalty with the highest accuracy on rows that it was not fitted to."""
    (rows, labels), development = noisy(n=80), noisy(3)
    penalties = [1 / (c * 80) for c in INVERSE_PENALTIES]
    models, fold = logistic_path(rows, labels, penalties), stratified_folds(labels, 10, seed=0)
    within = np.zeros(len(penalties))
    for part in range(10):
        train, test = fold != part, fold == part
        some = logistic_path(rows[train], labels[train], [one * 80 / train.sum() for one in penalties])
        within += [(model.predict(rows[test]) == labels[test]).mean() for model in some]
    judged = [(model.predict(development[0]) == development[1]).mean() for model in models]
    for given, accuracies in ((None, within), (development, judged)):
        chosen = fit_classifier(logistic_path, rows, labels, protocol="senteval", development=given)
        best = int(np.argmax(accuracies))
        assert best not in (int(np.argmin(accuracies)), len(penalties) - 1)
        np.testing.assert_allclose(chosen.coefficients, models[best].coefficients, rtol=0.02, atol=0.02)


def test_the_protocol_of_senteval_has_ten_inner_folds_and_its_candidates():
    rows, labels = noisy(n=100)
    assert fits(rows, labels) == [(100, list(INVERSE_PENALTIES)), *[(90, list(INVERSE_PENALTIES))] * 10]
    assert INVERSE_PENALTIES == (0.25, 0.5, 1, 2, 4, 8)
    assert fits(rows, labels, split=True)[0][1] == [0.5, 1, 2, 4, 8, 16, 32]
    assert fits(rows, labels, development=noisy(1))[0] == (100, [0.25, 0.5, 1, 2, 4, 8])
