"""The public names of firth, one per line. Type checkers read this file; `__init__.py` reads it on import."""

from firth import bias as bias
from firth import data as data
from firth import directions as directions
from firth import plots as plots
from firth import postprocess as postprocess
from firth import relations as relations
from firth import sklearn as sklearn
from firth.alignment.alignment import Alignment as Alignment
from firth.alignment.procrustes import Procrustes as Procrustes
from firth.alignment.self_learning import SelfLearning as SelfLearning
from firth.alignment.semantic_change import SemanticChange as SemanticChange
from firth.classify.classifier import Classifier as Classifier
from firth.classify.text_classifier import TextClassifier as TextClassifier
from firth.comparison.results import Comparison as Comparison
from firth.comparison.run import compare as compare
from firth.corpus.encoded import Corpus as Corpus
from firth.counts.cooccurrence import Cooccurrence as Cooccurrence
from firth.counts.matrix import CooccurrenceMatrix as CooccurrenceMatrix
from firth.counts.phrases import Phrases as Phrases
from firth.counts.phrases import PhraseTable as PhraseTable
from firth.embeddings.associations import AssociationVectors as AssociationVectors
from firth.embeddings.compositional import Composition as Composition
from firth.embeddings.compositional import TensorIndexing as TensorIndexing
from firth.embeddings.fasttext import FastText as FastText
from firth.embeddings.glove import GloVe as GloVe
from firth.embeddings.lsa import LatentSemanticAnalysis as LatentSemanticAnalysis
from firth.embeddings.ngram import NgramVectors as NgramVectors
from firth.embeddings.paragraph import ParagraphVectors as ParagraphVectors
from firth.embeddings.structured import StructuredWord2Vec as StructuredWord2Vec
from firth.embeddings.word2vec import Word2Vec as Word2Vec
from firth.embeddings.word_trees import WordTree as WordTree
from firth.errors import FirthError as FirthError
from firth.evaluation.diversity import diversity as diversity
from firth.evaluation.evaluate import evaluate as evaluate
from firth.hub import from_hub as from_hub
from firth.hub import push_to_hub as push_to_hub
from firth.inference.beam_search import BeamSearch as BeamSearch
from firth.inference.generation_options import GenerationOptions as GenerationOptions
from firth.language.mixture import Mixture as Mixture
from firth.language.ngram_lm import NgramLM as NgramLM
from firth.language.ngram_model import NgramModel as NgramModel
from firth.neural.models.language.feedforward import FeedForwardLM as FeedForwardLM
from firth.neural.models.language.hidden_states import HiddenStates as HiddenStates
from firth.neural.models.language.log_bilinear import LogBilinearLM as LogBilinearLM
from firth.neural.models.language.recurrent import RecurrentLM as RecurrentLM
from firth.neural.models.language.transformer import TransformerLM as TransformerLM
from firth.neural.models.sentences.skip_thought import SkipThought as SkipThought
from firth.neural.training.options import TrainingOptions as TrainingOptions
from firth.senses.adagram import AdaGram as AdaGram
from firth.senses.clustering import SenseClusters as SenseClusters
from firth.senses.online import MultiSenseSkipGram as MultiSenseSkipGram
from firth.senses.sparse_coding import DiscourseAtoms as DiscourseAtoms
from firth.senses.wordnet import WordNetSenses as WordNetSenses
from firth.sentences.averages import SentenceAverages as SentenceAverages
from firth.sentences.averages import sentence_vectors as sentence_vectors
from firth.text.subwords import Subwords as Subwords
from firth.vectors.document_vectors import DocumentVectors as DocumentVectors
from firth.vectors.index.load import load_index as load_index
from firth.vectors.io.load import load as load
from firth.vectors.sense_vectors import SenseVectors as SenseVectors
from firth.vectors.subword_vectors import SubwordVectors as SubwordVectors
from firth.vectors.word_vectors import WordVectors as WordVectors

__version__: str
__all__: list[str]
_MODULES: dict[str, str]
