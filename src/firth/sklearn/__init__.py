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

from firth.sklearn.averages import AverageVectorizer, PPMIVectorizer
from firth.sklearn.boltzmann import RBMFeatures
from firth.sklearn.classifier import FastTextClassifier
from firth.sklearn.documents import LSAVectorizer, ParagraphVectorizer
from firth.sklearn.language import LanguageModelFeatures
from firth.sklearn.phrases import PhraseJoiner

ELSEWHERE = {  # estimators of other libraries: ours
    **dict.fromkeys(
        ("Word2Vec", "Word2VecTransformer", "W2VTransformer", "Word2VecVectorizer", "MeanEmbeddingVectorizer"),
        "AverageVectorizer",
    ),
    **dict.fromkeys(("FastText", "FTTransformer", "GloVe"), "AverageVectorizer(vectors=...)"),
    **dict.fromkeys(("Doc2Vec", "Doc2VecTransformer", "D2VTransformer", "ParagraphVectors"), "ParagraphVectorizer"),
    **dict.fromkeys(("LSA", "LsiTransformer", "LsiModel", "TruncatedSVD"), "LSAVectorizer"),
    **dict.fromkeys(("BernoulliRBM", "RBM"), "RBMFeatures"),
    **dict.fromkeys(("Phrases", "PhrasesTransformer"), "PhraseJoiner"),
    **dict.fromkeys(("TextClassifier", "FastText_Classifier", "FasttextClassifier"), "FastTextClassifier"),
}


def __getattr__(name: str) -> Any:
    hint = f"; use firth.sklearn.{ELSEWHERE[name]}" if name in ELSEWHERE else ""
    raise AttributeError(f"module 'firth.sklearn' has no attribute {name!r}{hint}")


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
