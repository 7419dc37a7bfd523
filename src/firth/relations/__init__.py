"""Lexical relations between words: antonyms and synonyms."""

from firth.relations.classifier import AntonymClassifier, train_classifier
from firth.relations.features import FAMILIES, PairFeatures
from firth.relations.labelled import LabelledPairs, lexical_split, read_labelled_pairs
from firth.relations.pair_evaluation import AveragePrecision, evaluate_pairs
from firth.relations.patterns import PATTERNS, PatternCounts, count_patterns
from firth.relations.ranking import Candidate, antonyms

__all__ = [
    "FAMILIES",
    "PATTERNS",
    "AntonymClassifier",
    "AveragePrecision",
    "Candidate",
    "LabelledPairs",
    "PairFeatures",
    "PatternCounts",
    "antonyms",
    "count_patterns",
    "evaluate_pairs",
    "lexical_split",
    "read_labelled_pairs",
    "train_classifier",
]
