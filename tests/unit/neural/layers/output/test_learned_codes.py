"""Trees learned from mean contexts."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError, ShapeError
from firth.neural.layers.output.learned_codes import ClusteringOptions, ContextMeans, learned_codes

BALANCED, ADAPTIVE = ClusteringOptions(rule="balanced"), ClusteringOptions(rule="adaptive")


def sides(codes):
    """The words below the left and below the right of the root."""
    paths = codes.paths
    first = paths.signs[paths.starts[:-1]]
    return {tuple(sorted(set(codes.leaf_words[first == side].tolist()))) for side in (1, -1)}


def test_means_by_hand():
    """Word 0 after (1, 0) and (3, 2), word 2 after (0, 4) in another batch; word 1 has the mean of all three."""
    means = ContextMeans(2, 3)
    means.add(torch.tensor([[1.0, 0.0], [3.0, 2.0]]), torch.tensor([0, 0]))
    means.add(torch.tensor([[0.0, 4.0]]), torch.tensor([2]))
    np.testing.assert_allclose(means.means(), [[2, 1], [4 / 3, 2], [0, 4]])


@pytest.mark.parametrize("seed", range(5))
def test_two_clouds_are_parted(seed):
    """Three words about (0, 0) and seven about (10, 10): the adaptive cut is between them, the balanced one is not."""
    random = np.random.default_rng(seed)
    means = random.standard_normal((10, 2)) + np.where(np.arange(10) < 3, 0, 10)[:, None]
    assert sides(learned_codes(means, clustering=ADAPTIVE, seed=seed)) == {(0, 1, 2), (3, 4, 5, 6, 7, 8, 9)}
    balanced = sides(learned_codes(means, clustering=BALANCED, seed=seed))
    assert sorted(map(len, balanced)) == [5, 5]
    assert any({0, 1, 2} <= set(side) for side in balanced)


def test_a_word_between_goes_to_both_sides():
    """Words at -1, -1, 1, 1 and one at 0, whose two responsibilities are equal: it alone gets two codes."""
    means = np.array([[-1.0], [-1.0], [1.0], [1.0], [0.0]])
    codes = learned_codes(means, clustering=ClusteringOptions(overlap=0.25))
    assert sides(codes) == {(0, 1, 4), (2, 3, 4)}
    assert np.bincount(codes.leaf_words).tolist() == [1, 1, 1, 1, 2]


@pytest.mark.parametrize(
    "clustering", [BALANCED, ADAPTIVE, ClusteringOptions(overlap=0.25), ClusteringOptions(overlap=0.49)]
)
@pytest.mark.parametrize("words", [1, 2, 3, 200])
def test_every_tree_holds_every_word(clustering, words):
    means = np.random.default_rng(words).standard_normal((words, 3)) ** 3  # with words far out
    codes = learned_codes(means, clustering=clustering)
    leaves = codes.leaves_of(words)
    lengths = codes.paths.lengths
    assert leaves.shape[0] == words
    assert lengths.max() <= 4 * max(int(words - 1).bit_length(), 1)
    if clustering is BALANCED:
        assert lengths.max() - lengths.min() <= 1
    if clustering.overlap:
        assert len(codes.leaf_words) <= 8 * words
        assert words < 200 or len(codes.leaf_words) > 1.2 * words
    else:
        assert len(codes.leaf_words) == words


def test_words_alike_in_everything_still_get_a_leaf_each():
    codes = learned_codes(np.ones((6, 2)), clustering=ClusteringOptions(overlap=0.4))
    assert sorted(codes.leaf_words.tolist()) == [0, 1, 2, 3, 4, 5]


def test_same_seed_same_tree():
    means = np.random.default_rng(1).standard_normal((64, 4))
    trees = [learned_codes(means, seed=seed) for seed in (1, 1, 2)]
    assert np.array_equal(trees[0].children, trees[1].children)
    assert np.array_equal(trees[0].leaf_words, trees[1].leaf_words)
    assert not np.array_equal(trees[0].leaf_words, trees[2].leaf_words)


def test_wrong_values_are_refused():
    for wrong in ({"rule": "best"}, {"overlap": 0.5}, {"overlap": 0.1, "rule": "balanced"}):
        with pytest.raises(OptionError, match="expected"):
            ClusteringOptions(**wrong)
    for means in (np.zeros((0, 2)), np.full((2, 2), np.nan), np.zeros(3)):
        with pytest.raises(ShapeError, match="finite numbers"):
            learned_codes(means)
