"""What seeds are made of: a small text, its corpus, and vectors of its words."""

import functools
import warnings
from typing import Any

import numpy as np

WORDS = (*tuple(f"w{i}" for i in range(10)), "café", "new_york", "the", "a")
LINES = tuple(" ".join(WORDS[(7 * i + j * j) % len(WORDS)] for j in range(8)) for i in range(30))
TEXT = "\n".join(LINES) + "\n"


@functools.cache
def corpus() -> Any:
    """The corpus of the text, built once."""
    import firth

    return firth.Corpus.build(list(LINES), min_count=1, tokens="whitespace")


@functools.cache
def vectors(dim: int = 4) -> Any:
    """Vectors of the words, with counts."""
    import firth

    rows = np.random.default_rng(dim).normal(size=(len(WORDS), dim)).astype(np.float32)
    return firth.WordVectors(list(WORDS), rows, counts=list(range(30, 30 - len(WORDS), -1)))


@functools.cache
def subwords() -> Any:
    """Vectors with subwords."""
    import firth

    model = firth.FastText(dim=4, epochs=1, buckets=20, min_n=2, max_n=3, sample=0)
    return model.train(corpus(), seed=1, threads=1, progress=False)


@functools.cache
def classifier(loss: str = "softmax") -> Any:
    """A classifier of three labels."""
    import firth

    texts, labels = list(LINES), [("x", "y", "z")[i % 3] for i in range(len(LINES))]
    model = firth.TextClassifier(dim=4, lr=0.1, epochs=1, loss=loss, word_ngrams=2, min_n=2, max_n=3, buckets=20)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "training ended")  # after one epoch
        return model.train(texts, labels, seed=1, threads=1, progress=False)
