"""The suites, in the order in which they are judged and printed: a new instrument is a line here."""

from collections.abc import Mapping

from firth.evaluation import analogy, sentences, similarity
from firth.evaluation.suite import Suite

SUITES: Mapping[str, Suite] = {suite.name: suite for suite in (similarity.SUITE, analogy.SUITE, sentences.SUITE)}
DEFAULT = ("similarity", "analogies")
