"""The suites, in the order in which they are judged and printed: a new instrument is a line here."""

from collections.abc import Mapping

from firth.evaluation import analogy, categorisation, outliers, probing, qvec, sentences, similarity
from firth.evaluation.suite import Suite

_ORDER = (
    similarity.SUITE,
    analogy.SUITE,
    categorisation.SUITE,
    outliers.SUITE,
    qvec.SUITE,
    probing.SUITE,
    sentences.SUITE,
)
SUITES: Mapping[str, Suite] = {suite.name: suite for suite in _ORDER}
DEFAULT = ("similarity", "analogies")
