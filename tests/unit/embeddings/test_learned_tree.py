"""Trees learned from vectors: what is alike stays together, what is frequent stays near the root."""

import numpy as np
import pytest

from firth.embeddings.learned_tree import learned_children
from firth.kernels.trees import from_children


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
