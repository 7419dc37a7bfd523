"""fastText's text classifier as an estimator; see `firth.classify.text_classifier`."""

import dataclasses
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from firth.classify.text_classifier import TextClassifier
from firth.errors import OptionError, brief
from firth.sklearn.base import TextEstimator, texts_of
from firth.sklearn.parameters import options_of, takes_options

MODEL = options_of(TextClassifier, leave_out=["label_prefix"])  # labels are in y, not in the texts


@takes_options(MODEL, same_bits=False)
class FastTextClassifier(ClassifierMixin, TextEstimator):
    """fastText's classifier: a linear classifier over the mean of word and n-gram vectors.

    Tokens are separated by white space, as in fastText: lower-case and split the texts beforehand.

    Attributes:
        classes_: the K labels, sorted; for an indicator matrix the numbers of its columns.
        model_: the trained `firth.Classifier`; its labels are positions in `classes_`.

    Source:
        Joulin et al. 2017.
    """

    loss: str | None  # an option

    random_state: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.loss == "ova"
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Train on texts and their labels.

        Args:
            X: n texts.
            y: (n,) labels; or an indicator matrix (n, K) of several labels per text, which loss="ova" learns.

        Raises:
            OptionError: a parameter is out of its range, or `y` has only one class.
            CorpusError: no text has a label.
        """
        model = TextClassifier(**self._values(MODEL))
        texts = _strings(X)
        labels = self._label_lists(y)
        if self.multilabel_:
            model = dataclasses.replace(model, loss="ova")
        check_consistent_length(texts, labels)
        self.model_ = model.train(texts, labels, **self._training())
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable label of each text, (n,).

        After training on an indicator matrix: the indicators (n, K) of labels with a probability above 0.5.
        """
        probabilities = self.predict_proba(X)
        if self.multilabel_:
            return (probabilities > 0.5).astype(np.int64)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each label, (n, K), in the order of `classes_`.

        Rows sum to 1; after training on an indicator matrix, the probabilities of labels are independent.
        """
        check_is_fitted(self)
        texts = _strings(X)
        probabilities = np.zeros((len(texts), len(self.classes_)))
        columns = [int(label) for label in self.model_.labels]  # without those that min_count_label left out
        probabilities[:, columns] = self.model_.probabilities(texts, threads=self._threads())
        if not self.multilabel_ and self.model_.loss in ("negative", "ova"):
            probabilities /= np.maximum(probabilities.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        return probabilities

    def _label_lists(self, y: Any) -> list[list[str]]:
        """Set `classes_` and `multilabel_`; return the labels of each text as positions in `classes_`.

        Raises:
            OptionError: there are several labels per text with another loss than "ova", or there is one class.
        """
        y = validate_data(self, X="no_validation", y=y, multi_output=True)
        check_classification_targets(y)
        self.multilabel_ = type_of_target(y) == "multilabel-indicator"
        if self.multilabel_:
            if self.loss not in (None, "ova"):
                raise OptionError(f"y has several labels per text, and loss={self.loss!r} one; use loss='ova'")
            indicators = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
            self.classes_ = np.arange(indicators.shape[1])
            return [list(map(str, np.flatnonzero(row))) for row in indicators]
        self.classes_, positions = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        if len(self.classes_) < 2:
            raise OptionError(f"y has one class, {brief(self.classes_.tolist()[0])}; expected two classes or more")
        return [[str(position)] for position in positions]


def _strings(X: Any) -> list[str]:
    return [text if isinstance(text, str) else " ".join(text) for text in texts_of(X)]
