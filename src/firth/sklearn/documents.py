"""Vectors of documents as transformers: latent semantic analysis and paragraph vectors."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from firth.corpus.options import CorpusOptions
from firth.embeddings.lsa import LatentSemanticAnalysis
from firth.embeddings.paragraph import ParagraphVectors
from firth.sklearn.base import TextVectorizer, texts_of
from firth.sklearn.parameters import options_of, takes_options
from firth.text.inputs import token_lists
from firth.text.tokenise import tokeniser
from firth.vectors.averages import word_bags
from firth.vectors.cosine import Matrix

LSA = options_of(LatentSemanticAnalysis)
PARAGRAPH = options_of(ParagraphVectors)
VOCABULARY = options_of(CorpusOptions, "min_count", "max_size", "stop_words", "tokens")
DOCUMENTS = {"sentences": "text", "keep_empty": True}  # each text is a document, also without a known word


@takes_options(LSA, VOCABULARY)
class LSAVectorizer(TextVectorizer):
    """Transformer from texts to vectors of latent semantic analysis.

    Attributes:
        model_: the options, `firth.LatentSemanticAnalysis`.
        vectors_: vectors of the words, in the same space as those of texts.

    Source:
        Deerwester et al. 1990; Dumais 1991.
    """

    random_state: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decompose the word-by-document matrix of texts.

        Raises:
            CorpusError: there are no texts, or they have no words.
            OptionError: a parameter is out of its range, or `dim` is above the number of words or of texts.
        """
        model = LatentSemanticAnalysis(**self._values(LSA))
        self.tokens_ = CorpusOptions(tokens=self.tokens).checked().tokens
        with self._corpus(texts_of(X), **self._values(VOCABULARY), **DOCUMENTS) as corpus:
            self.vectors_ = model.train(corpus, **self._training())
        self.model_ = model
        return self

    def transform(self, X: Any) -> Matrix:
        """Return the vector of each text, (n, D) float32; zeros for a text without a known word."""
        check_is_fitted(self)
        words, bags = word_bags(token_lists(texts_of(X), tokeniser(self.tokens_)))
        return self.model_.fold_in(bags.astype(np.float64), words, self.vectors_).astype(np.float32)

    @property
    def _n_features_out(self) -> int:
        return self.vectors_.dim


@takes_options(PARAGRAPH, VOCABULARY, same_bits=False)
class ParagraphVectorizer(TextVectorizer):
    """Transformer from texts to paragraph vectors, PV-DM or PV-DBOW.

    The vectors of all texts are inferred, those of the training texts, too: `fit_transform` gives the same as `fit` and
    `transform`. The vectors that `fit` learned are in `model_`.

    Attributes:
        model_: the trained `firth.DocumentVectors`; the name of a training text is its number.
        seed_: seed of the inference.

    Source:
        Le and Mikolov 2014.

    Args:
        infer_epochs: passes over a text when its vector is inferred; by default `epochs`.
    """

    infer_epochs: int | None = None
    random_state: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on texts, each a document.

        Raises:
            CorpusError: there are no texts, or they have no words.
            OptionError: a parameter is out of its range.
        """
        model, training = ParagraphVectors(**self._values(PARAGRAPH)), self._training()
        self.tokens_ = CorpusOptions(tokens=self.tokens).checked().tokens
        self.seed_ = training["seed"]
        with self._corpus(texts_of(X), **self._values(VOCABULARY), **DOCUMENTS) as corpus:
            self.model_ = model.train(corpus, **training)
        return self

    def transform(self, X: Any) -> Matrix:
        """Return the inferred vector of each text, (n, D) float32; zeros for a text without a known word."""
        check_is_fitted(self)
        return self.model_.infer(
            token_lists(texts_of(X), tokeniser(self.tokens_)),
            epochs=self.infer_epochs,
            seed=self.seed_,
            threads=self._threads(),
        )

    @property
    def _n_features_out(self) -> int:
        return self.model_.dim
