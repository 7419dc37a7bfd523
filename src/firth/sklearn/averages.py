"""Averages of word vectors as transformers; see `firth.sentences.averages`."""

import abc
import os
from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from firth.corpus.options import CorpusOptions
from firth.embeddings.associations import AssociationVectors
from firth.embeddings.word2vec import Word2Vec
from firth.errors import OptionError, brief
from firth.loading import load
from firth.options import check_kind, wrong_kind
from firth.sentences.averages import WEIGHTINGS, SentenceAverages, Weighting
from firth.sklearn.base import Texts, TextVectorizer, texts_of
from firth.sklearn.parameters import options_of, takes_options
from firth.vectors.averages import SMOOTHING
from firth.vectors.cosine import Matrix
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Vectors = WordVectors | SubwordVectors

WORD2VEC = options_of(Word2Vec, leave_out=["score"])  # an estimator's `score` is a method
PPMI = options_of(AssociationVectors, leave_out=["association"])
VOCABULARY = options_of(CorpusOptions, "min_count", "max_size", "stop_words", "sentences")
TOKENS = options_of(CorpusOptions, "tokens")


class AveragingVectorizer(TextVectorizer, abc.ABC):
    """Abstract base class of transformers that average word vectors."""

    weighting: Weighting
    sif_smoothing: float
    tokens: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn word vectors from texts, unless they are given, and the common direction of SIF.

        Raises:
            CorpusError: there are no texts, or they have no words.
            OptionError: a parameter is out of its range.
        """
        if self.weighting not in WEIGHTINGS:
            raise OptionError(f"weighting={brief(self.weighting)}: expected one of {', '.join(WEIGHTINGS)}")
        texts = texts_of(X)
        tokens = CorpusOptions(tokens=self.tokens).checked().tokens
        self.vectors_ = self._word_vectors(texts)
        plain = SentenceAverages(self.vectors_, self.weighting, self.sif_smoothing, tokens)
        self.averages_ = (
            SentenceAverages.learn(self.vectors_, texts, smoothing=self.sif_smoothing, tokens=tokens)
            if self.weighting == "sif"
            else plain
        )
        return self

    def transform(self, X: Any) -> Matrix:
        """Return the average of each text's word vectors, (n, D) float32; zeros for a text without a known word."""
        check_is_fitted(self)
        return self.averages_.encode(texts_of(X))

    @property
    def _n_features_out(self) -> int:
        return self.vectors_.dim

    @abc.abstractmethod
    def _word_vectors(self, texts: Texts) -> Vectors:
        """Return the vectors to average."""


@takes_options(WORD2VEC, VOCABULARY, TOKENS, same_bits=False)
class AverageVectorizer(AveragingVectorizer):
    """Transformer from texts to averages of word vectors, which are given or learned from the texts.

    Attributes:
        vectors_: the word vectors.
        averages_: the fitted `firth.SentenceAverages`.

    Source:
        Arora, Liang and Ma 2017 for SIF; Mikolov et al. 2013 for the word vectors.

    Args:
        vectors: None to train `firth.Word2Vec` with the options below; options of another model to train in its place,
            such as `firth.FastText(dim=50)`; or trained vectors or their path, which leave the options below unused.
        weighting: "sif" (smooth inverse frequency, less weight for frequent words) or "mean".
        sif_smoothing: SIF: the paper's a; more frequent words, as a share of the corpus, lose more than half their
            weight.
    """

    shared: ClassVar = ("vectors",)

    vectors: Any = None
    weighting: Weighting = "sif"
    sif_smoothing: float = SMOOTHING
    random_state: Any

    def _word_vectors(self, texts: Texts) -> Vectors:
        trainer = Word2Vec(**self._values(WORD2VEC)) if self.vectors is None else self.vectors
        if self.vectors is not None:
            self._check_unused(WORD2VEC, "vectors")
        if isinstance(trainer, str | os.PathLike):
            trainer = load(trainer)
        if isinstance(trainer, WordVectors | SubwordVectors):
            self._check_unused(VOCABULARY, "vectors")
            return trainer
        if not callable(getattr(trainer, "train", None)):
            raise wrong_kind("vectors", trainer, "word vectors, their path, or options such as firth.FastText()")
        with self._corpus(texts, **self._values(VOCABULARY), tokens=self.tokens) as corpus:
            vectors = trainer.train(corpus, **self._training())
        check_kind(f"result of {type(trainer).__name__}.train", vectors, WordVectors, SubwordVectors)
        return vectors


@takes_options(PPMI, VOCABULARY, TOKENS)
class PPMIVectorizer(AveragingVectorizer):
    """Transformer from texts to averages of word vectors from PPMI (positive pointwise mutual information) and SVD.

    Attributes:
        vectors_: the word vectors.
        averages_: the fitted `firth.SentenceAverages`.

    Source:
        Levy, Goldberg and Dagan 2015 for the word vectors; Arora, Liang and Ma 2017 for SIF.

    Args:
        weighting: "sif" (smooth inverse frequency, less weight for frequent words) or "mean".
        sif_smoothing: SIF: the paper's a; more frequent words, as a share of the corpus, lose more than half their
            weight.
    """

    weighting: Weighting = "sif"
    sif_smoothing: float = SMOOTHING
    random_state: Any

    def _word_vectors(self, texts: Texts) -> Vectors:
        model = AssociationVectors(association="ppmi", **self._values(PPMI)).with_defaults()
        training = self._training()
        with self._corpus(texts, **self._values(VOCABULARY), tokens=self.tokens) as corpus:
            # counted beside the corpus, in its temporary folder
            counts = model.counting.count(
                corpus,
                threads=training["threads"],
                memory=model.memory,
                cache=corpus.path.parent,
                progress=training["progress"],
            )
            return model.train(counts, **training)
