"""Scores of a language model as features of texts."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from firth.corpus.options import CorpusOptions
from firth.errors import OptionError, brief
from firth.language.model import LanguageModel, SentenceScore
from firth.language.ngram_lm import NgramLM
from firth.language.text import UNK
from firth.loading import load
from firth.options import check_kind
from firth.sklearn.base import TextEstimator, texts_of
from firth.sklearn.parameters import options_of, takes_options

NGRAMS = options_of(NgramLM)
VOCABULARY = options_of(CorpusOptions, "min_count", "max_size", "tokens")
FEATURES: Mapping[str, Callable[[SentenceScore], float]] = {
    "log_prob": lambda score: score.total,
    "mean_log_prob": lambda score: score.total / max(1, len(score.tokens)),
    "perplexity": lambda score: score.perplexity if score.tokens else 1.0,
}


@takes_options(NGRAMS, VOCABULARY)
class LanguageModelFeatures(TransformerMixin, TextEstimator):
    """Transformer from texts to their scores by a language model, which is given or learned from the texts.

    Each text is one sentence.

    Attributes:
        model_: the language model.

    Source:
        Chen and Goodman 1998 for the model that is learned by default.

    Args:
        model: None to train `firth.NgramLM` with the options below; or a trained language model or its path, which
            leaves the options below unused.
        features: the columns: "log_prob" (natural logarithm of the probability of the text), "mean_log_prob" (that per
            token), "perplexity" (1 for a text without tokens).
    """

    shared: ClassVar = ("model",)

    model: Any = None
    features: Sequence[str] = ("log_prob", "perplexity")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train the language model on texts, unless one is given.

        Raises:
            CorpusError: there are no texts, or they have no words.
            OptionError: a parameter is out of its range, or the texts are too few for the smoothing method.
        """
        wrong = [name for name in self.features if name not in FEATURES]
        if wrong or isinstance(self.features, str) or not self.features:
            raise OptionError(f"features={brief(self.features)}: expected a list of {', '.join(FEATURES)}")
        texts = texts_of(X)
        if self.model is None:
            options = NgramLM(**self._values(NGRAMS))
            reading = {**self._values(VOCABULARY), "unknown": UNK, "sentences": "text"}
            with self._corpus(texts, **reading) as corpus:
                self.model_ = options.train(corpus, threads=self._threads(), progress=bool(self.verbose))
        else:
            self._check_unused({**NGRAMS, **VOCABULARY}, "model")
            model: Any = load(self.model) if isinstance(self.model, str | os.PathLike) else self.model
            check_kind("model", model, LanguageModel)
            self.model_ = model
        return self

    def transform(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the scores of each text, (n, features) float64."""
        check_is_fitted(self)
        scores = self.model_.score(texts_of(X))
        return np.array([[FEATURES[name](score) for name in self.features] for score in scores]).reshape(
            len(scores), len(self.features)
        )

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns.

        Args:
            input_features: ignored.
        """
        check_is_fitted(self)
        return np.array(self.features, dtype=object)
