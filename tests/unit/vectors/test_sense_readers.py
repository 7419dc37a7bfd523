"""What two readers make of contexts, beside sums written out."""

import numpy as np
import pytest

from firth.errors import OptionError, ShapeError
from firth.kernels.trees import huffman
from firth.vectors.sense_readers import Centroids, Contexts, Likelihood


def test_a_context_between_two_centres():
    """Weights 1 and 2 on (1, 0) and (0, 1) make the context (1, 2), of length sqrt 5: its cosines with the centres
    (1, 0) and (0, 3) are 1 / sqrt 5 and 2 / sqrt 5, which the temperature 0.5 doubles."""
    words = np.array([[1, 0], [0, 1]], dtype=np.float32)
    reader = Centroids(words, np.array([1.0, 2.0]), np.array([[1, 0], [0, 3]], dtype=np.float32), temperature=0.5)
    found = reader.scores(Contexts.of([[0, 1], []]), np.arange(2), words)
    assert found == pytest.approx(np.array([[2 / 5**0.5, 4 / 5**0.5], [0, 0]]), rel=1e-6)


def test_words_further_off_count_less():
    """The tokens a x b c, seen from x: a and b are 1 off, c is 2. With decay 1 and unit rows the sum is
    (1, 1, 1/2), of length 3/2: its cosines with the axes are 2/3, 2/3 and 1/3."""
    axes = np.eye(3)
    contexts = Contexts.of([[0, 7, 1, 2]]).beside(np.array([1]))
    assert (contexts.ids.tolist(), contexts.distances.tolist()) == ([0, 1, 2], [1, 1, 2])
    reader = Centroids(axes, np.ones(3), axes, temperature=1.0, decay=1.0)
    assert reader.scores(contexts, np.arange(3), axes)[0] == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    flat = Contexts(contexts.ids, contexts.offsets)
    assert reader.scores(flat, np.arange(3), axes)[0] == pytest.approx([3**-0.5] * 3)


def test_contexts_in_other_numbers():
    """The words 3, 1, 2 and 1 become 0, none, 5 and none."""
    found = Contexts.of([[3, 1], [2], [1]]).renumbered(np.array([-1, -1, 5, 0]))
    assert (found.ids.tolist(), found.offsets.tolist()) == ([0, 5], [0, 1, 2, 2])


@pytest.mark.parametrize("places", [[2], [-1], [0, 0]])
def test_a_place_that_there_is_not(places):
    with pytest.raises(OptionError, match=r"contexts of \[2\] tokens: expected indices of tokens"):
        Contexts.of([[3, 1]]).beside(np.array(places))


def test_a_path_of_two_nodes():
    """Counts 1, 1, 2: the root (node 1) has the word 2 on one side and node 0 on the other, which has words 0 and 1.
    A sense (1, 0) and nodes (log 3, 0), (0, 0): log p(c) of the words 0 and 1 is log sigma(+-log 3) = log 3/4 or
    log 1/4, plus log 1/2 at the root; of the word 2 it is log 1/2 alone."""
    tree = huffman(np.array([1, 1, 2]))
    reader = Likelihood(np.array([[np.log(3), 0], [0, 0], [9, 9]]), tree)
    found = reader.scores(Contexts.of([[0], [1], [2], [0, 1, 2]]), np.zeros(1, np.int64), np.array([[1.0, 0.0]]))
    first, second, third = found[:3, 0]
    assert sorted(np.exp([first, second])) == pytest.approx([1 / 8, 3 / 8])
    assert np.exp(third) == pytest.approx(1 / 2)
    assert found[3, 0] == pytest.approx(first + second + third)


def test_words_further_off_say_less():
    """Rows 1, 2, 4 times a sense of 1; the sense's word stands first, the others one and two places behind it: with
    decay 1 they say 2 / 1 + 4 / 2 = 4, without 2 + 4 = 6, and so too where no place is known."""
    outputs, sense, contexts = np.array([[1.0], [2.0], [4.0]]), np.array([[1.0]]), Contexts.of([[0, 1, 2]])
    beside = contexts.beside(np.array([0]))
    for decay, given, score in ((1.0, beside, 4), (0.0, beside, 6), (1.0, Contexts.of([[1, 2]]), 6)):
        assert Likelihood(outputs, decay=decay).scores(given, np.zeros(1, np.int64), sense) == pytest.approx(score)
    with pytest.raises(OptionError, match=r"decay=-1: expected a finite number of at least 0"):
        Likelihood(outputs, decay=-1)


@pytest.mark.parametrize("kind", ["tree", "rows"])
def test_many_contexts_as_one_by_one(kind):
    random = np.random.default_rng(0)
    counts = random.integers(1, 99, size=40)
    tree = huffman(counts) if kind == "tree" else None
    outputs, vectors = random.normal(size=(40, 6)), random.normal(size=(3, 6))
    contexts = [random.integers(0, 40, size=n).tolist() for n in (5, 0, 9, 1)]
    naive = np.zeros((4, 3))
    for b, context in enumerate(contexts):
        for s, sense in enumerate(vectors):
            for word in context:
                if tree is None:
                    naive[b, s] += outputs[word] @ sense
                    continue
                for step in range(tree.starts[word], tree.starts[word + 1]):
                    x = tree.signs[step] * (outputs[tree.nodes[step]] @ sense)
                    naive[b, s] += np.log(1 / (1 + np.exp(-x)))
    found = Likelihood(outputs, tree).scores(Contexts.of(contexts), np.arange(3), vectors)
    assert found == pytest.approx(naive, abs=1e-10)


def test_a_tree_gives_probabilities():
    """The probabilities of all words of a tree sum to 1 for every sense."""
    random = np.random.default_rng(1)
    reader = Likelihood(random.normal(size=(30, 4)), huffman(random.integers(1, 9, size=30)))
    found = reader.scores(Contexts.of([[word] for word in range(30)]), np.arange(2), random.normal(size=(2, 4)))
    assert np.exp(found).sum(axis=0) == pytest.approx([1, 1], abs=1e-12)


def test_shapes_that_do_not_fit():
    words, one = np.zeros((3, 2)), np.ones(3)
    with pytest.raises(OptionError, match="temperature=0: expected a finite number above 0"):
        Centroids(words, one, words, 0)
    with pytest.raises(OptionError, match="decay=-1: expected a finite number of at least 0"):
        Centroids(words, one, words, decay=-1)
    with pytest.raises(ShapeError, match=r"centres \(3, 4\): expected one weight"):
        Centroids(words, one, np.zeros((3, 4)))
    with pytest.raises(ShapeError, match="3 context vectors and 3 centres for 3 words of 4 senses"):
        Centroids(words, one, words).check(3, 4, 2)
    with pytest.raises(ShapeError, match=r"output vectors \(3, 2\) and 3 paths for 3 words: expected \(3, 5\)"):
        Likelihood(words).check(3, 4, 5)
    with pytest.raises(ShapeError, match="4 paths for 3 words"):
        Likelihood(words, huffman(np.ones(4, np.int64))).check(3, 4, 2)
