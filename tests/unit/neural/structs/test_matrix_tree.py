"""Sums over all dependency trees against all of them, one by one."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import ShapeError
from firth.neural.structs.matrix_tree import arc_marginals, tree_log_partition
from tests.unit.neural.structs.arcs import LENGTHS, N, every, expected_marginals, random_arcs
from tests.unit.neural.structs.brute_force import log_sum, trees


def test_sums_over_all_trees_and_their_marginals():
    arcs = random_arcs(3)
    structures = every(arcs, LENGTHS, projective=False)
    expected = [log_sum(score for _, score in found) for found in structures]
    np.testing.assert_allclose(tree_log_partition(arcs, LENGTHS).numpy(), expected, atol=1e-10)
    marginals = arc_marginals(arcs, LENGTHS).numpy()
    for number, found in enumerate(structures):
        np.testing.assert_allclose(marginals[number], expected_marginals(found, N), atol=1e-10)


def test_large_scores_keep_their_digits():
    """Cycles that outweigh all trees by hundreds of nats."""
    arcs = 400 * random_arcs(4)
    expected = [log_sum(score for _, score in found) for found in every(arcs, LENGTHS, projective=False)]
    np.testing.assert_allclose(tree_log_partition(arcs, LENGTHS).numpy(), expected, rtol=1e-13)
    assert torch.isfinite(arc_marginals(arcs, LENGTHS)).all()


def test_arcs_that_are_not_possible():
    arcs = random_arcs(6)
    arcs[0, 1:4, 5] = -torch.inf  # the last word has the root or the fourth word as its head
    arcs[2, :, 2] = -torch.inf
    structures = every(arcs, LENGTHS, projective=False)
    expected = [log_sum(score for _, score in found) for found in structures]
    assert expected[2] == -np.inf
    np.testing.assert_allclose(tree_log_partition(arcs, LENGTHS).numpy(), expected, atol=1e-10)
    np.testing.assert_allclose(
        arc_marginals(arcs, LENGTHS)[0].numpy(), expected_marginals(structures[0], N), atol=1e-10
    )


def test_arcs_that_are_not_possible_among_scores_far_apart():
    arcs = 400 * random_arcs(8) - 2000
    arcs[0, 1:4, 5] = arcs[3, 1:3, 4] = -torch.inf
    arcs[2, :, 2] = -torch.inf
    expected = [log_sum(score for _, score in found) for found in every(arcs, LENGTHS, projective=False)]
    np.testing.assert_allclose(tree_log_partition(arcs, LENGTHS).numpy(), expected, rtol=1e-12)


def test_a_score_that_is_no_number_shows():
    arcs = random_arcs(7)
    arcs[0, 1, 2] = torch.nan
    assert tree_log_partition(arcs, LENGTHS).isnan()[0]


@pytest.mark.slow
def test_six_words():
    arcs = random_arcs(5, n=6, batch=1)
    expected = log_sum(score for _, score in trees(arcs[0].tolist(), projective=False))
    np.testing.assert_allclose(tree_log_partition(arcs, torch.tensor([6])).item(), expected, atol=1e-10)


@pytest.mark.parametrize(("arcs", "lengths"), [((1, 3, 4), 2), ((1, 3, 3), 3), ((1, 3, 3), 0)])
def test_shapes_that_differ_are_refused(arcs, lengths):
    arcs, lengths = torch.zeros(arcs), torch.tensor([lengths])
    with pytest.raises(ShapeError, match="expected"):
        tree_log_partition(arcs, lengths)


def test_many_impossible_trees_are_none():
    """200 words: no way from the root, or one; n^(n - 2) trees hang below a word."""
    arcs, n = torch.zeros(2, 201, 201, dtype=torch.float64), 200
    arcs[:, 0] = -math.inf
    arcs[1, 0, 1] = 0
    none, some = tree_log_partition(arcs, torch.tensor([n, n])).tolist()
    assert none == -math.inf
    assert some == pytest.approx((n - 2) * math.log(n), rel=1e-12)
