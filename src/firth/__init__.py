"""firth: meaning from raw text.

>>> import firth
>>> corpus = firth.Corpus.build("books/*.txt")              # doctest: +SKIP
>>> vectors = firth.Word2Vec(dim=100).train(corpus)         # doctest: +SKIP
>>> vectors.most_similar("paris")                           # doctest: +SKIP
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firth.corpus.encoded import Corpus
    from firth.embeddings.classifier import Classifier
    from firth.embeddings.fasttext import FastText
    from firth.embeddings.paragraph import ParagraphVectors
    from firth.embeddings.structured import Structured
    from firth.embeddings.text_classifier import TextClassifier
    from firth.embeddings.word2vec import Word2Vec
    from firth.embeddings.word_trees import WordTree
    from firth.errors import FirthError
    from firth.evaluation.report import evaluate
    from firth.vectors.document_vectors import DocumentVectors
    from firth.vectors.io import load
    from firth.vectors.subword_vectors import SubwordVectors
    from firth.vectors.word_vectors import WordVectors

__version__ = "0.1.0"

# Public names load on first use: `import firth` stays quick, and reading vectors never waits for Numba.
_HOMES = {
    "Classifier": "firth.embeddings.classifier",
    "Corpus": "firth.corpus.encoded",
    "DocumentVectors": "firth.vectors.document_vectors",
    "FastText": "firth.embeddings.fasttext",
    "FirthError": "firth.errors",
    "ParagraphVectors": "firth.embeddings.paragraph",
    "Structured": "firth.embeddings.structured",
    "SubwordVectors": "firth.vectors.subword_vectors",
    "TextClassifier": "firth.embeddings.text_classifier",
    "Word2Vec": "firth.embeddings.word2vec",
    "WordTree": "firth.embeddings.word_trees",
    "WordVectors": "firth.vectors.word_vectors",
    "evaluate": "firth.evaluation.report",
    "load": "firth.vectors.io",
}

__all__ = [
    "Classifier",
    "Corpus",
    "DocumentVectors",
    "FastText",
    "FirthError",
    "ParagraphVectors",
    "Structured",
    "SubwordVectors",
    "TextClassifier",
    "Word2Vec",
    "WordTree",
    "WordVectors",
    "evaluate",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'firth' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
