"""The registry of suites, in the order in which they run and print; a new suite is a line here."""

from collections.abc import Mapping

from firth.evaluation import (
    analogy,
    categorisation,
    context,
    outliers,
    probing,
    qvec,
    sentence_pairs,
    sentences,
    similarity,
    substitution,
    text_similarity,
)
from firth.evaluation.suite import Suite

_ORDER = (
    similarity.suite,
    analogy.suite,
    categorisation.suite,
    outliers.suite,
    qvec.suite,
    probing.suite,
    context.suite,
    substitution.suite,
    sentences.suite,
    sentence_pairs.suite,
    text_similarity.suite,
)
SUITES: Mapping[str, Suite] = {suite.name: suite for suite in _ORDER}
DEFAULT = ("similarity", "analogies")
DEFAULT_OF_TEXTS = tuple(suite.name for suite in _ORDER if suite.of_texts)
