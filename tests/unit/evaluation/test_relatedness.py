import numpy as np
import pytest

from firth.errors import OptionError
from firth.evaluation.relatedness import PENALTIES, pair_features, predict_relatedness, soft_labels


def test_soft_labels_by_hand():
    """Tai et al.: 3.6 lies between 3 and 4, nearer to 4. Whole scores are one class."""
    assert soft_labels([3.6, 1, 5, 2]) == pytest.approx(
        np.array([[0, 0, 0.4, 0.6, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 1, 0, 0, 0]])
    )


def test_the_mean_of_a_soft_label_is_the_score():
    scores = np.linspace(1, 5, 101)
    assert soft_labels(scores) @ np.arange(1, 6) == pytest.approx(scores)
    assert soft_labels(scores).sum(axis=1) == pytest.approx(np.ones(101))
    assert ((soft_labels(scores) > 1e-12).sum(axis=1) <= 2).all()


@pytest.mark.parametrize("score", [0.9, 5.1, np.nan])
def test_scores_outside_are_refused(score):
    with pytest.raises(OptionError, match=f"score {score:g}: expected scores from 1 to 5"):
        soft_labels([3, score])


def test_exchanged_vectors_have_equal_features():
    random = np.random.default_rng(0)
    first, second = random.normal(size=(2, 5, 3)).astype(np.float32)
    assert (pair_features(first, second) == pair_features(second, first)).all()
    assert pair_features(np.array([[1.0, 2]]), np.array([[3.0, -1]])).tolist() == [[2, 3, 3, -2]]


def test_scores_told_by_a_column_are_learnt():
    random = np.random.default_rng(1)
    scores = random.uniform(1, 5, 300)
    rows = np.stack([scores, random.normal(size=300)], axis=1).astype(np.float32)
    fold = np.where(np.arange(300) < 200, -1, 0)
    for development in (None, (np.arange(300) >= 150) & (np.arange(300) < 200)):
        found = predict_relatedness(rows, scores, fold, development=development)
        assert np.isnan(found[:200]).all()
        assert np.abs(found[200:] - scores[200:]).mean() < 0.25
        assert found[200:].min() >= 1
        assert found[200:].max() <= 5


def test_nothing_is_learnt_from_what_is_judged():
    random = np.random.default_rng(2)
    rows, scores = random.normal(size=(100, 4)).astype(np.float32), random.uniform(1, 5, 100)
    fold = np.where(np.arange(100) < 70, -1, 0)
    before = predict_relatedness(rows, scores, fold)
    rows[99] *= 100
    scores[70:] = 1
    assert predict_relatedness(rows, scores, fold)[:99].tolist()[70:] == before[:99].tolist()[70:]


def test_development_rows_choose_by_correlation_and_are_not_trained_on():
    """Rows to judge are the development rows once more, so that the correlation of each penalty is known."""
    random = np.random.default_rng(4)
    rows = random.normal(size=(120, 25)).astype(np.float32)
    scores = np.clip(3 + rows[:, 0] + random.normal(size=120), 1, 5)
    rows[80:], scores[80:] = rows[40:80], scores[40:80]
    fold, development = np.where(np.arange(120) < 80, -1, 0), (np.arange(120) >= 40) & (np.arange(120) < 80)
    single = [
        predict_relatedness(rows, scores, fold, development=development, penalties=[penalty])[80:]
        for penalty in PENALTIES
    ]
    correlations = [np.corrcoef(found, scores[80:])[0, 1] for found in single]
    assert max(correlations) < 0.9  # with these rows among the training rows it is above
    found = predict_relatedness(rows, scores, fold, development=development)[80:]
    assert np.argmax(correlations) != np.argmin(correlations)
    np.testing.assert_allclose(found, single[int(np.argmax(correlations))], atol=0.02)


def test_pairs_without_vectors_get_the_mean_prediction():
    random = np.random.default_rng(3)
    rows, scores = random.normal(size=(50, 2)).astype(np.float32), np.full(50, 2.0)
    known = np.arange(50) < 45
    found = predict_relatedness(rows, scores, np.arange(50) % 2, encoded=known)
    assert found == pytest.approx(np.full(50, 2.0), abs=0.1)
    nothing = predict_relatedness(rows, scores, np.arange(50) % 2, encoded=np.zeros(50, dtype=bool))
    assert nothing == pytest.approx(np.full(50, 2.0))
