"""The registry of suites, in the order in which they run and print; a new suite is a line here."""

from collections.abc import Mapping

from firth.evaluation import (
    analogy,
    categorisation,
    context,
    outliers,
    probing,
    qvec,
    sentences,
    similarity,
    substitution,
)
from firth.evaluation.suite import Suite

_ORDER = (
    similarity.SUITE,
    analogy.SUITE,
    categorisation.SUITE,
    outliers.SUITE,
    qvec.SUITE,
    probing.SUITE,
    context.SUITE,
    substitution.SUITE,
    sentences.SUITE,
)
SUITES: Mapping[str, Suite] = {suite.name: suite for suite in _ORDER}
DEFAULT = ("similarity", "analogies")
