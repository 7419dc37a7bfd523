import tarfile

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


NOUNS = {
    "thing": None,
    "animal": "thing",
    "cat": "animal",
    "dog": "animal",
    "drink": "thing",
    "milk": "drink",
    "tea": "drink",
}


@pytest.fixture
def wordnet(tmp_path):
    """A folder of data with a WordNet of seven nouns."""
    entries = "".join(f"{word}:\n  n:\n    sense:\n    - id: '{word}%1'\n      synset: {word}-n\n" for word in NOUNS)
    above = {word: f"  hypernym:\n  - {hypernym}-n\n" if hypernym else "" for word, hypernym in NOUNS.items()}
    synsets = "".join(f"{word}-n:\n{above[word]}  members:\n  - {word}\n" for word in NOUNS)
    (tmp_path / "wordnet").mkdir()
    with tarfile.open(tmp_path / "wordnet" / "oewn_yaml.tar.gz", "w:gz") as archive:
        for name, text in (("entries-a.yaml", entries), ("noun.animal.yaml", synsets)):
            (tmp_path / name).write_text(text, encoding="utf-8")
            archive.add(tmp_path / name, f"yaml/{name}")
    return tmp_path


def test_wordnet(wordnet, monkeypatch):
    """A cat and a dog are closer than a cat and milk; "the" hangs beside."""
    monkeypatch.setenv("FIRTH_DATA", str(wordnet))
    paths = from_children(tree_children("wordnet", WORDS, 0, None))
    nodes = {w: paths.nodes[slice(*paths.starts[i : i + 2])].tolist() for i, w in enumerate(WORDS.words)}
    assert len(set(nodes["cat"]) & set(nodes["dog"])) > len(set(nodes["cat"]) & set(nodes["milk"]))
    assert len(nodes["the"]) == 1
