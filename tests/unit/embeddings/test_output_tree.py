import numpy as np
import pytest

from firth.embeddings.output_tree import tree_children
from firth.errors import OptionError
from firth.kernels.trees import from_children
from firth.vocabulary import Vocabulary

WORDS = Vocabulary(["the", "cat", "dog", "tea", "milk"], np.array([50, 5, 4, 3, 2]), 64)


def test_a_seed_decides_a_random_tree():
    one, same, other = (tree_children("random", WORDS, seed, None) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_no_wordnet_is_told(monkeypatch):
    monkeypatch.delenv("FIRTH_DATA", raising=False)
    with pytest.raises(OptionError, match=r"tree='wordnet': expected the environment variable FIRTH_DATA"):
        tree_children("wordnet", WORDS, 0, None)


def test_wordnet(shared_data, monkeypatch):
    """A cat and a dog are closer than a cat and milk; "the" hangs beside."""
    monkeypatch.setenv("FIRTH_DATA", str(shared_data))
    paths = from_children(tree_children("wordnet", WORDS, 0, None))
    nodes = {w: paths.nodes[slice(*paths.starts[i : i + 2])].tolist() for i, w in enumerate(WORDS.words)}
    assert len(set(nodes["cat"]) & set(nodes["dog"])) > len(set(nodes["cat"]) & set(nodes["milk"]))
    assert len(nodes["the"]) == 1
