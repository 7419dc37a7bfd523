"""A transformer that joins phrases to single tokens; see `firth.counts.phrases`."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from firth.corpus.options import CorpusOptions
from firth.counts.phrases import EVERY_WORD, Phrases
from firth.sklearn.base import TextEstimator, Texts, texts_of
from firth.sklearn.parameters import options_of, takes_options
from firth.text.tokenise import tokeniser

PHRASES = options_of(Phrases)
TOKENS = options_of(CorpusOptions, "tokens")


@takes_options(PHRASES, TOKENS)
class PhraseJoiner(TransformerMixin, TextEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]  # scikit-learn has no types
    """Transformer from texts to texts in which the words of a phrase are one token: "new york" becomes "new_york".

    A text is returned as its tokens, separated by spaces; a list of tokens as a list of tokens.

    Attributes:
        phrases_: the `firth.PhraseTable`.

    Source:
        Mikolov et al. 2013 (NIPS), section 4.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the phrases of texts.

        Raises:
            CorpusError: there are no texts, or they have no words.
            OptionError: a parameter is out of its range.
        """
        options, texts = Phrases(**self._values(PHRASES)), texts_of(X)
        self.tokens_ = CorpusOptions(tokens=self.tokens).checked().tokens
        with self._corpus(texts, **EVERY_WORD, tokens=self.tokens) as corpus:
            self.phrases_ = options.learn(corpus, threads=self._threads(), progress=bool(self.verbose))
        return self

    def transform(self, X: Any) -> Texts:
        """Return the texts with phrases joined."""
        check_is_fitted(self)
        split = tokeniser(self.tokens_)
        return [
            " ".join(self.phrases_.join(split(text))) if isinstance(text, str) else self.phrases_.join(text)
            for text in texts_of(X)
        ]  # type: ignore[return-value]  # all items are of one kind

    def set_output(self, *, transform: str | None = None) -> Self:
        """Do nothing: the output stays a list of texts; pipelines call this on all their steps.

        Args:
            transform: ignored.
        """
        return self

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the name of the input, or "text".

        Args:
            input_features: the name of the input, if there is one.
        """
        return np.array(["text"] if input_features is None else input_features, dtype=object)
