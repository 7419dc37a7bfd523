"""scikit-learn's own checks of estimators.

They pass matrices of numbers, and none is made for texts: for an estimator of texts alone, `parametrize_with_checks`
yields a single check. Here each estimator is checked with a reader in front of it, which writes a row of numbers as a
text, one word per column and value. Everything behind the reader is the estimator's own.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

from firth import sklearn as estimators

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*are cut at 0 and 1"),
    pytest.mark.filterwarnings("ignore:no common direction is removed"),
    pytest.mark.filterwarnings("ignore:.*no known word"),
    pytest.mark.filterwarnings("ignore:.*hold no word of the vocabulary"),
]


class Reader:
    """Turns rows of numbers into texts, with scikit-learn's checks of matrices."""

    def fit(self, X, y=None):
        return super().fit(self._as_texts(X, reset=True), y)

    def _as_texts(self, X, *, reset):
        rows = validate_data(self, X, reset=reset)
        words = [[f"column{j}is{round(2 * v)}".replace("-", "minus") for j, v in enumerate(row)] for row in rows]
        return [" ".join(["row", *row]) for row in words]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = False, True
        return tags


class Transforming(Reader):
    """The same for transformers."""

    def transform(self, X):
        check_is_fitted(self)
        return super().transform(self._as_texts(X, reset=False))


class Average(Transforming, estimators.AverageVectorizer):
    """Checked."""


class PPMI(Transforming, estimators.PPMIVectorizer):
    """Checked."""


class LSA(Transforming, estimators.LSAVectorizer):
    """Checked."""


class Paragraph(Transforming, estimators.ParagraphVectorizer):
    """Checked."""


class LanguageModel(Transforming, estimators.LanguageModelFeatures):
    """Checked."""


class Phrases(Transforming, estimators.PhraseJoiner):
    """Checked by the number of tokens that are left: the checks compare numbers."""

    def transform(self, X):
        return np.array([[len(text.split())] for text in super().transform(X)], dtype=float)


class Classifier(Reader, estimators.FastTextClassifier):
    """Checked."""

    def predict_proba(self, X):
        check_is_fitted(self)
        return super().predict_proba(self._as_texts(X, reset=False))


TINY = {"dim": 2, "min_count": 1}
ALWAYS = [
    Classifier(dim=10, lr=0.5, epochs=20, buckets=1000), LSA(**TINY),
    estimators.RBMFeatures(hidden=3, epochs=2, random_state=0),
]  # fmt: skip
SLOW = [
    Average(**TINY, epochs=2, sample=0),
    PPMI(**TINY, weighting="mean"),
    Paragraph(**TINY, epochs=2),
    LanguageModel(order=2, smoothing="add-k", min_count=1),
    Phrases(threshold=0.5, min_count=1),
]
EXPECTED = {
    LSA: {"check_fit2d_1sample": "the message is in terms of LSA: 'dim=2 for 11 words and 1 contexts'"},
    PPMI: {
        "check_methods_sample_order_invariance": "float32: the words of a text are added in the order of their first "
        "use in all texts, which moves the last bit"
    },
}


def expected_failures(estimator):
    """The checks that cannot pass, each with its reason."""
    return EXPECTED.get(type(estimator), {})


@parametrize_with_checks(ALWAYS, expected_failed_checks=expected_failures)
def test_conventions(estimator, check):
    check(estimator)


@pytest.mark.slow  # together
@parametrize_with_checks(SLOW, expected_failed_checks=expected_failures)
def test_conventions_of_the_others(estimator, check):
    check(estimator)
