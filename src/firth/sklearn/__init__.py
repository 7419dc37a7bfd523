"""Estimators for scikit-learn: firth's models in pipelines, grid searches and column transformers.

X is a list, array or series of texts, or a list of token lists; for `RBMFeatures`, rows of numbers. Parameters are
named as the options of the models inside; `random_state`, `n_jobs` and `verbose` are scikit-learn's, in place of
`seed`, `threads` and `progress`.

>>> from firth.sklearn import LSAVectorizer
>>> pipeline = make_pipeline(LSAVectorizer(dim=50), LogisticRegression())     # doctest: +SKIP
>>> pipeline.fit(texts, labels).predict(others)                               # doctest: +SKIP
"""

import importlib
from typing import Any

try:
    importlib.import_module("sklearn")  # looked for here once, so that every module below may import it plainly
except ImportError as error:
    from firth.errors import MissingExtraError

    raise MissingExtraError("scikit-learn", "sklearn", "use firth.sklearn") from error

from firth.hints import no_name
from firth.sklearn.averages import AverageVectorizer, PPMIVectorizer
from firth.sklearn.boltzmann import RBMFeatures
from firth.sklearn.classifier import FastTextClassifier
from firth.sklearn.documents import LSAVectorizer, ParagraphVectorizer
from firth.sklearn.language import LanguageModelFeatures
from firth.sklearn.phrases import PhraseJoiner


def __getattr__(name: str) -> Any:
    raise no_name("firth.sklearn", name, __all__)


__all__ = [
    "AverageVectorizer",
    "FastTextClassifier",
    "LSAVectorizer",
    "LanguageModelFeatures",
    "PPMIVectorizer",
    "ParagraphVectorizer",
    "PhraseJoiner",
    "RBMFeatures",
]
