"""How two words are related beyond being alike: antonyms."""

from firth.relations.classifier import AntonymClassifier, train_classifier
from firth.relations.features import FAMILIES, PairFeatures
from firth.relations.judging import AveragePrecision, judge
from firth.relations.labelled import LabelledPairs, lexical_split, read_labelled_pairs
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
    "judge",
    "lexical_split",
    "read_labelled_pairs",
    "train_classifier",
]
