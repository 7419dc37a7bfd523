"""Vectors with subwords, small enough to write by hand."""

import numpy as np

from firth.vectors.character_ngrams import Hashing, NgramRows
from firth.vectors.subword_vectors import SubwordVectors

WORDS = ["the", "naïve", "東京", "walking", "\udce9t"]
HOW = Hashing(2, 4, 500)
UNSEEN = ["walked", "na", "東", "theory"]


def some(hashing: Hashing = HOW, *, words: list[str] = WORDS, dim: int = 6) -> SubwordVectors:
    random = np.random.default_rng(0)
    used = np.unique(hashing.buckets_of(words)[1])
    ngrams = NgramRows(hashing, random.normal(size=(len(used), dim)).astype(np.float32), used)
    own = None if hashing.hashes else random.normal(size=(len(words), dim)).astype(np.float32)
    return SubwordVectors.composed(
        words,
        own,
        ngrams,
        counts=np.arange(len(words), 0, -1),
        output_vectors=random.normal(size=(len(words), dim)).astype(np.float32),
        metadata={"name": "test"},
    )


def same(one: SubwordVectors, other: SubwordVectors, *, scaled: bool = False) -> None:
    """The same words, and the same vectors for known and unseen words, up to a scale."""
    assert one.words == other.words
    for word in [*one.words, *UNSEEN]:
        a, b = (vectors.known.get_vector(word, norm=scaled, unknown="zero") for vectors in (one, other))
        assert np.abs(a - b).max() < 1e-6, word
