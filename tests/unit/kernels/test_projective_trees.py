"""The best projective tree against all trees, one by one, and what it does with arcs that are not possible."""

import numpy as np
import pytest

from firth.kernels.projective_trees import best_projective_tree
from tests.unit.neural.structs.brute_force import is_projective, is_tree, trees


def best(arcs):
    heads = np.empty(len(arcs), np.int64)
    found = best_projective_tree(arcs, heads)
    assert heads[0] == -1
    return heads[1:].tolist() if found else None


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_it_is_the_best_of_all(n):
    random = np.random.default_rng(n)
    every = [heads for heads, _ in trees(np.zeros((n + 1, n + 1)).tolist(), projective=True)]
    for _ in range(200):
        arcs = random.normal(size=(n + 1, n + 1))
        arcs[0] += random.normal()  # the root wants several words, or none
        arcs[random.random(arcs.shape) < 0.2] = -np.inf
        scores = arcs[np.array(every), np.arange(1, n + 1)].sum(1)
        expected = list(every[int(scores.argmax())]) if scores.max() > -np.inf else None
        assert best(arcs) == expected


def test_equal_scores_give_a_projective_tree_with_one_root():
    for n in (1, 7, 30):
        for arcs in (np.zeros((n + 1, n + 1)), np.random.default_rng(n).integers(0, 3, (n + 1, n + 1)).astype(float)):
            heads = best(arcs)
            assert heads.count(0) == 1
            assert is_tree(heads)
            assert is_projective(heads)
