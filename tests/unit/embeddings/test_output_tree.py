"""Trees learned from vectors: what is alike stays together, what is frequent stays near the root."""

import tarfile

import numpy as np
import pytest

from firth.embeddings.output_tree import learned_children, tree_children
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


def learned(vectors, counts, seed=0):
    return learned_children(np.asarray(vectors, np.float32), np.asarray(counts), np.random.default_rng(seed))


@pytest.mark.parametrize("words", [1, 2, 3, 4, 7, 50, 333])
def test_it_is_a_tree(words):
    random = np.random.default_rng(words)
    children = learned(random.normal(size=(words, 5)), random.integers(1, 1000, words))
    assert sorted(children.ravel().tolist()) == list(range(max(2 * words - 2, 0)))
    assert (children < words + np.arange(words - 1)[:, None]).all()


def test_two_clouds_are_parted_at_the_root():
    random = np.random.default_rng(1)
    clouds = np.repeat([[3.0, 0, 0, 0], [-3.0, 0, 0, 0]], 20, axis=0) + random.normal(size=(40, 4)) * 0.3
    for seed in range(5):
        tree = from_children(learned(clouds, np.ones(40, int), seed))
        first = tree.signs[tree.starts[:-1]]
        assert len(set(first[:20])) == len(set(first[20:])) == 1
        assert first[0] != first[-1]


def test_words_of_equal_vectors_are_parted_too():
    tree = from_children(learned(np.zeros((64, 3)), np.ones(64, int)))
    assert set(tree.lengths.tolist()) == {6}


def test_a_words_depth_follows_its_frequency():
    """The cut halves the occurrences, or nearly: a frequent word is hardly deeper than -log2 p."""
    random = np.random.default_rng(2)
    counts = (1e6 / np.arange(1, 2001)).astype(int)
    tree = from_children(learned(random.normal(size=(2000, 8)), counts))
    p = counts / counts.sum()
    entropy = -(p * np.log2(p)).sum()
    assert entropy <= p @ tree.lengths < entropy + 1.5
    assert (tree.lengths[:20] <= 3 - np.log2(p[:20])).all()
    assert from_children(learned(random.normal(size=(3, 2)), [10, 1, 1])).lengths[0] == 1


def test_a_seed_decides_it():
    random = np.random.default_rng(3)
    vectors, counts = random.normal(size=(60, 4)), np.ones(60, int)
    assert np.array_equal(learned(vectors, counts, 1), learned(vectors, counts, 1))
