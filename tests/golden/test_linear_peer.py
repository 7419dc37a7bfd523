"""scikit-learn's linear models and TF-IDF beside ours: the same objective, so the same numbers."""

import numpy as np
import pytest

from firth.evaluation.linear import PENALTIES, Scale, logistic_path, ridge_path
from firth.evaluation.tfidf import terms, tfidf_rows
from firth.vectors.averages import word_bags

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def sklearn():
    return pytest.importorskip("sklearn", reason="compares with scikit-learn: pip install scikit-learn")


def drawn(classes):
    random = np.random.default_rng(classes)
    rows = random.normal(size=(800, 20)) @ random.normal(size=(20, 20))
    labels = (rows @ random.normal(size=(20, classes)) / 3 + 2 * random.gumbel(size=(800, classes))).argmax(axis=1)
    return Scale.of(rows)(rows), labels


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_coefficients(sklearn, classes, penalty):
    """scikit-learn minimises C times the sum of losses and half the squared weights: C = 1 / (n penalty)."""
    from sklearn.linear_model import LogisticRegression

    rows, labels = drawn(classes)
    peer = LogisticRegression(C=1 / (len(rows) * penalty), tol=1e-10, max_iter=20_000).fit(rows, labels)
    model = logistic_path(rows, labels, [penalty], tolerance=1e-8)[0]
    assert model.coefficients == pytest.approx(peer.coef_, abs=1e-4)
    assert model.intercepts == pytest.approx(peer.intercept_, abs=1e-4)
    assert model.predict(rows).tolist() == peer.predict(rows).tolist()
    assert model.log_probabilities(rows) == pytest.approx(peer.predict_log_proba(rows), abs=1e-4)


@pytest.mark.parametrize("penalty", [1.0, 1e-3])
def test_ridge(sklearn, penalty):
    """scikit-learn's objective is the sum of squares and alpha times the squared weights: alpha = n penalty."""
    from sklearn.linear_model import Ridge

    rows, labels = drawn(5)
    numbers = labels + np.random.default_rng(0).normal(size=len(labels))
    peer = Ridge(alpha=len(rows) * penalty).fit(rows, numbers)
    model = ridge_path(rows, numbers, [penalty])[0]
    assert model.coefficients == pytest.approx(peer.coef_, abs=1e-8)
    assert model.intercept == pytest.approx(peer.intercept_)


@pytest.fixture(scope="module")
def questions(shared_data):
    found = []
    for part in ("train", "test"):
        lines = (shared_data / "sentence" / "sentclass" / f"TREC.{part}.all").read_bytes().decode("latin-1")
        found.append([line.split(" ")[1:] for line in lines.splitlines()])
    return found


def test_weights_of_terms(sklearn, questions):
    from sklearn.feature_extraction.text import TfidfVectorizer

    train, test = questions
    peer = TfidfVectorizer(analyzer=terms, min_df=2, lowercase=False)
    wanted = peer.fit_transform(train), peer.transform(test)
    names, bags = word_bags([terms(text) for text in [*train, *test]])
    found = tfidf_rows(bags[: len(train)], bags[len(train) :])
    counts = np.bincount(bags[: len(train)].indices, minlength=len(names))
    kept = [name for name, count in zip(names, counts, strict=True) if count > 1]
    assert kept == sorted(peer.vocabulary_, key=kept.index)
    columns = [peer.vocabulary_[name] for name in kept]
    for ours, theirs in zip(found, wanted, strict=True):
        assert np.abs(ours - theirs[:, columns]).max() < 1e-6
