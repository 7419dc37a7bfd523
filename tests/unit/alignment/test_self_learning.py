"""Alignment without a dictionary: spaces of one shape find each other, from any seed."""

import numpy as np
import pytest

from firth.alignment.self_learning import SelfLearning, _SelfLearningRun, _signatures
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors
from tests.unit.alignment.spaces import rotation, twins


def test_signatures_by_hand():
    """Rows (2, 0), (0, 1): X X^T = diag(4, 1), its root diag(2, 1); sorted (0, 2), (0, 1); of length 1 both (0, 1)."""
    alike = _signatures(np.array([[2.0, 0.0], [0.0, 1.0]], dtype=np.float32))
    assert alike == pytest.approx(np.zeros((2, 2)))  # nothing is left when the mean of equals is taken off


def test_signatures_do_not_depend_on_the_axes_nor_on_the_order_of_words():
    rows = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32)
    order = np.random.default_rng(1).permutation(50)
    turned = (rows @ rotation(6)).astype(np.float32)[order]
    assert _signatures(turned) == pytest.approx(_signatures(rows)[order], abs=1e-4)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_turned_and_shuffled_space_is_found(seed):
    source, target = twins(words=400, dim=10, noise=0.05)
    order = np.random.default_rng(seed).permutation(400)
    shuffled = WordVectors([target.words[i] for i in order], target.vectors[order])
    found = SelfLearning().align(source, shuffled, seed=seed, progress=False)
    right = [found.translate(f"a{i}", 1)[0][0] == f"b{i}" for i in range(400)]
    assert np.mean(right) > 0.95
    facts = found.metadata
    assert (facts["converged"], facts["reason"], facts["runs_taken"]) == (True, None, 2)
    assert facts["agreement"] > 0.9
    assert facts["margin"] > 0.2
    assert found.pivots == ()


def test_a_seed_gives_one_alignment_for_any_threads():
    source, target = twins(words=200, dim=10, noise=0.1)
    one, two = (SelfLearning().align(source, target, seed=3, threads=n, progress=False) for n in (1, 2))
    assert np.abs(one.source.vectors - two.source.vectors).max() < 1e-4
    assert one.metadata["rounds_taken"] == two.metadata["rounds_taken"]


def test_widths_and_sizes_may_differ():
    source, target = twins(words=300, dim=12, noise=0.05)
    wide = np.concatenate([source.vectors, 0.01 * np.random.default_rng(0).normal(size=(300, 3))], axis=1)
    found = SelfLearning(cutoff=250).align(WordVectors(source.words, wide), target.first(280), progress=False)
    assert found.source.dim == found.target.dim == 12
    assert np.mean([found.translate(f"a{i}", 1)[0][0] == f"b{i}" for i in range(280)]) > 0.9


def test_spaces_that_have_nothing_in_common_do_not_converge():
    """Every run ends, and each in other pairs; what is returned says so.

    In 10 numbers two runs have been seen to end in the same wrong optimum by chance; in 25 there are too many of them.
    """
    source, target = twins(words=300, dim=25)
    unrelated = WordVectors(target.words, np.random.default_rng(0).normal(size=(300, 25)).astype(np.float32))
    with pytest.warns(UserWarning, match="self-learning did not converge: no two runs found the same translations"):
        found = SelfLearning(runs=2).align(source, unrelated, progress=False)
    facts = found.metadata
    assert (facts["converged"], facts["runs_taken"]) == (False, 2)
    assert facts["agreement"] < 0.3
    assert facts["reason"].startswith("no two runs found the same translations")


def test_many_words_mapped_to_few_have_not_converged():
    """The target's words lie in six points, so that next to all have the same few translations."""
    source, target = twins(words=300, dim=10)
    random = np.random.default_rng(0)
    points = random.normal(size=(6, 10))[random.integers(6, size=300)] + 1e-3 * random.normal(size=(300, 10))
    with pytest.warns(match="too weak to align"), pytest.warns(match="did not converge: it collapsed: only"):
        found = SelfLearning(runs=1).align(source, WordVectors(target.words, points.astype(np.float32)), progress=False)
    assert not found.metadata["converged"]
    assert found.metadata["targets"] < 0.1


def test_rounds_that_do_not_suffice_have_not_converged():
    source, target = twins(words=200, dim=10, noise=0.05)
    with pytest.warns(UserWarning, match="still improving after 5 rounds; raise rounds"):
        found = SelfLearning(rounds=5, runs=1).align(source, target, progress=False)
    assert (found.metadata["converged"], found.metadata["agreement"]) == (False, None)


def test_an_objective_that_falls_back_is_a_collapse():
    source, target = twins(words=20, dim=4)
    maps, pairs = (np.eye(4), np.eye(4)), np.zeros((1, 2), np.int64)

    def run(mean_cosine, targets=0.9):
        return _SelfLearningRun(source.vectors, target.vectors, maps, pairs, 30, mean_cosine, 0.8, targets, True)

    assert run(0.75).failure(0.9) is None
    assert run(0.75).failure(0.5).startswith("no two runs")
    assert run(0.7).failure(0.9) == "it collapsed: the mean cosine fell from 0.800 to 0.700"
    assert run(0.75, 0.2).failure(0.9).startswith("it collapsed: only 20 % of the words")


def test_few_words():
    source, target = twins(words=9)
    with pytest.raises(OptionError, match="9 source words: expected at least 10"):
        SelfLearning().align(source, target, progress=False)


@pytest.mark.parametrize(
    "options", [{"keep": 0.0}, {"keep": 2.0}, {"growth": 1.0}, {"cutoff": 3}, {"patience": 0}, {"runs": 0}]
)
def test_options(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        SelfLearning(**options)
