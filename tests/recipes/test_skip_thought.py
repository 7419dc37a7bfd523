"""Skip-thought vectors: with the sentences in random order there is nothing to learn of the neighbours' words."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe):
    """The order tells the topic of the next sentence: log 6 = 1.8 nats for its first word, 0.4 for each of 4.5."""
    losses = recipe["main"](["--toy"])
    assert losses["in order"] < losses["shuffled"] - 0.25


def test_shuffling_keeps_the_sentences(recipe, tmp_path):
    corpus = recipe["corpus_of"](recipe["toy_text"](0, documents=5))
    mixed = recipe["shuffled"](corpus, 1)
    assert sorted(map(tuple, mixed)) == sorted(tuple(each) for each in corpus if each)
    assert list(mixed) != [each for each in corpus if each]
    assert (np.diff(mixed.offsets) > 0).all()
    assert mixed.options.tokens == "words"
