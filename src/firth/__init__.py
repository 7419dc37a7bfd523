"""firth: meaning from raw text.

>>> import firth
>>> corpus = firth.Corpus.build("books/*.txt")              # doctest: +SKIP
>>> vectors = firth.Word2Vec(dim=100).train(corpus)         # doctest: +SKIP
>>> vectors.most_similar("paris")                           # doctest: +SKIP
"""

import sys

# `python -m firth` looks for modules in the current folder first, whose files are data and no code.
if sys.orig_argv[1:3] == ["-m", "firth"] and sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
    _home = __file__.replace("\\", "/").rsplit("/", 2)[0]
    if sys.path[0].replace("\\", "/") != _home:
        del sys.path[0]

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firth.alignment.alignment import Alignment
    from firth.alignment.change import Change
    from firth.alignment.procrustes import Procrustes
    from firth.alignment.self_learning import SelfLearning
    from firth.comparison.results import Comparison
    from firth.comparison.run import compare
    from firth.corpus.encoded import Corpus
    from firth.counts.cooccurrence import Cooccurrence
    from firth.counts.matrix import CooccurrenceMatrix
    from firth.counts.phrases import Phrases, PhraseTable
    from firth.embeddings.associations import AssociationVectors
    from firth.embeddings.classifier import Classifier
    from firth.embeddings.compositional import Composition, TensorIndexing
    from firth.embeddings.fasttext import FastText
    from firth.embeddings.glove import GloVe
    from firth.embeddings.lsa import LatentSemanticAnalysis
    from firth.embeddings.ngram import NgramVectors
    from firth.embeddings.paragraph import ParagraphVectors
    from firth.embeddings.structured import Structured
    from firth.embeddings.text_classifier import TextClassifier
    from firth.embeddings.word2vec import Word2Vec
    from firth.embeddings.word_trees import WordTree
    from firth.errors import FirthError
    from firth.evaluation.diversity import diversity
    from firth.evaluation.judge import evaluate
    from firth.inference.beam_search import BeamSearch
    from firth.inference.generation_options import GenerationOptions
    from firth.language.mixture import Mixture
    from firth.language.ngram_model import NgramModel
    from firth.language.ngrams import Ngrams
    from firth.neural.models.language.feedforward import FeedForwardLM
    from firth.neural.models.language.log_bilinear import LogBilinearLM
    from firth.neural.models.language.recurrent import RecurrentLM
    from firth.neural.models.language.transformer import TransformerLM
    from firth.neural.training.options import TrainingOptions
    from firth.senses.adagram import AdaGram
    from firth.senses.clustering import SenseClusters
    from firth.senses.online import MultiSense
    from firth.senses.sparse_coding import DiscourseAtoms
    from firth.senses.wordnet import WordNetSenses
    from firth.text.subwords import Subwords
    from firth.vectors.document_vectors import DocumentVectors
    from firth.vectors.index.files import load_index
    from firth.vectors.io import load
    from firth.vectors.sense_vectors import SenseVectors
    from firth.vectors.sentence_averages import SentenceAverages, sentence_vectors
    from firth.vectors.subword_vectors import SubwordVectors
    from firth.vectors.word_vectors import WordVectors

__version__ = "0.1.0"

# Public names load on first use: `import firth` stays quick, and reading vectors never waits for Numba.
_HOMES = {
    "AdaGram": "firth.senses.adagram",
    "Alignment": "firth.alignment.alignment",
    "AssociationVectors": "firth.embeddings.associations",
    "BeamSearch": "firth.inference.beam_search",
    "Change": "firth.alignment.change",
    "Classifier": "firth.embeddings.classifier",
    "Comparison": "firth.comparison.results",
    "Composition": "firth.embeddings.compositional",
    "Cooccurrence": "firth.counts.cooccurrence",
    "CooccurrenceMatrix": "firth.counts.matrix",
    "Corpus": "firth.corpus.encoded",
    "DiscourseAtoms": "firth.senses.sparse_coding",
    "DocumentVectors": "firth.vectors.document_vectors",
    "FastText": "firth.embeddings.fasttext",
    "FeedForwardLM": "firth.neural.models.language.feedforward",
    "FirthError": "firth.errors",
    "GenerationOptions": "firth.inference.generation_options",
    "GloVe": "firth.embeddings.glove",
    "LatentSemanticAnalysis": "firth.embeddings.lsa",
    "LogBilinearLM": "firth.neural.models.language.log_bilinear",
    "Mixture": "firth.language.mixture",
    "MultiSense": "firth.senses.online",
    "NgramModel": "firth.language.ngram_model",
    "NgramVectors": "firth.embeddings.ngram",
    "Ngrams": "firth.language.ngrams",
    "ParagraphVectors": "firth.embeddings.paragraph",
    "PhraseTable": "firth.counts.phrases",
    "Phrases": "firth.counts.phrases",
    "Procrustes": "firth.alignment.procrustes",
    "RecurrentLM": "firth.neural.models.language.recurrent",
    "SelfLearning": "firth.alignment.self_learning",
    "SenseClusters": "firth.senses.clustering",
    "SenseVectors": "firth.vectors.sense_vectors",
    "SentenceAverages": "firth.vectors.sentence_averages",
    "Structured": "firth.embeddings.structured",
    "SubwordVectors": "firth.vectors.subword_vectors",
    "Subwords": "firth.text.subwords",
    "TensorIndexing": "firth.embeddings.compositional",
    "TextClassifier": "firth.embeddings.text_classifier",
    "TrainingOptions": "firth.neural.training.options",
    "TransformerLM": "firth.neural.models.language.transformer",
    "Word2Vec": "firth.embeddings.word2vec",
    "WordNetSenses": "firth.senses.wordnet",
    "WordTree": "firth.embeddings.word_trees",
    "WordVectors": "firth.vectors.word_vectors",
    "compare": "firth.comparison.run",
    "diversity": "firth.evaluation.diversity",
    "evaluate": "firth.evaluation.judge",
    "load": "firth.vectors.io",
    "load_index": "firth.vectors.index.files",
    "sentence_vectors": "firth.vectors.sentence_averages",
}

__all__ = [
    "AdaGram",
    "Alignment",
    "AssociationVectors",
    "BeamSearch",
    "Change",
    "Classifier",
    "Comparison",
    "Composition",
    "Cooccurrence",
    "CooccurrenceMatrix",
    "Corpus",
    "DiscourseAtoms",
    "DocumentVectors",
    "FastText",
    "FeedForwardLM",
    "FirthError",
    "GenerationOptions",
    "GloVe",
    "LatentSemanticAnalysis",
    "LogBilinearLM",
    "Mixture",
    "MultiSense",
    "NgramModel",
    "NgramVectors",
    "Ngrams",
    "ParagraphVectors",
    "PhraseTable",
    "Phrases",
    "Procrustes",
    "RecurrentLM",
    "SelfLearning",
    "SenseClusters",
    "SenseVectors",
    "SentenceAverages",
    "Structured",
    "SubwordVectors",
    "Subwords",
    "TensorIndexing",
    "TextClassifier",
    "TrainingOptions",
    "TransformerLM",
    "Word2Vec",
    "WordNetSenses",
    "WordTree",
    "WordVectors",
    "compare",
    "diversity",
    "evaluate",
    "load",
    "load_index",
    "sentence_vectors",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'firth' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
