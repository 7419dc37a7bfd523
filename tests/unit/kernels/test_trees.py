"""Trees over words, against trees built by hand and by brute force."""

import heapq

import numpy as np
import pytest

from firth.kernels.trees import Tree, balanced_children, from_children, huffman, huffman_children


def kraft(tree):
    """The sum of 2^-length: 1 for a whole binary tree."""
    return (0.5**tree.lengths).sum()


def test_a_tree_by_hand():
    """The tree ((0 2) 1): node 0 joins words 0 and 2, node 1 is the root and joins node 0 and word 1."""
    tree = from_children(np.array([[0, 2], [3, 1]]))
    assert tree.starts.tolist() == [0, 2, 3, 5]
    assert tree.nodes.tolist() == [1, 0, 1, 1, 0]
    assert tree.signs.tolist() == [1, 1, -1, 1, -1]
    assert tree.longest == 2


def test_huffman_by_hand():
    """Counts 5, 2, 1, 1: the two ones join to 2, that and the word of 2 to 4, that and the word of 5 to 9."""
    assert huffman_children(np.array([5, 2, 1, 1])).tolist() == [[2, 3], [1, 4], [5, 0]]
    assert huffman(np.array([5, 2, 1, 1])).lengths.tolist() == [1, 2, 3, 3]


@pytest.mark.parametrize("seed", range(20))
def test_huffman_is_as_short_as_a_heap_makes_it(seed):
    random = np.random.default_rng(seed)
    counts = random.zipf(1.5, random.integers(2, 60))
    heap, cost = counts.tolist(), 0
    heapq.heapify(heap)
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        cost += joined
        heapq.heappush(heap, joined)
    tree = huffman(counts)
    assert tree.lengths @ counts == cost
    assert kraft(tree) == pytest.approx(1)


@pytest.mark.parametrize("words", [1, 2, 3, 5, 8, 13, 100])
def test_a_balanced_tree_is_balanced_and_whole(words):
    children = balanced_children(np.random.default_rng(0).permutation(words))
    tree = from_children(children)
    assert tree.lengths.max() - tree.lengths.min() <= 1
    assert kraft(tree) == pytest.approx(1)
    assert sorted(children.ravel().tolist()) == list(range(max(2 * words - 2, 0)))
    assert (children < words + np.arange(words - 1)[:, None]).all()  # a node stands behind those below it


def test_paths_lead_to_their_words():
    children = balanced_children(np.random.default_rng(1).permutation(37))
    tree = from_children(children)
    for word in range(37):
        item = 2 * 37 - 2
        for place in range(*tree.starts[word : word + 2]):
            assert item == 37 + tree.nodes[place]
            item = children[tree.nodes[place], 0 if tree.signs[place] > 0 else 1]
        assert item == word


def test_one_word_and_none():
    assert huffman(np.array([3])).lengths.tolist() == [0]
    assert Tree.empty().longest == 0


def test_a_large_vocabulary_is_no_problem():
    """Joining takes linear time: a step per pair of words would take longer than the suite allows a test."""
    counts = (1e7 / np.arange(1, 300_001)).astype(np.int64) + 1
    assert 18 < huffman(counts).lengths.max() < 40
