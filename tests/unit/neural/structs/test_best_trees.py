"""The best dependency trees against all of them, one by one, and against networkx."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import ShapeError
from firth.neural.structs.best_trees import best_trees
from firth.neural.structs.projective_trees import projective_total
from firth.neural.structs.semirings import MAX
from tests.unit.neural.structs.arcs import LENGTHS, every, random_arcs
from tests.unit.neural.structs.brute_force import is_tree


@pytest.mark.parametrize("projective", [False, True])
def test_best_trees_are_the_best_of_all(projective):
    for seed in range(7, 12):
        arcs = random_arcs(seed)
        arcs[1:, 0, 1] = -torch.inf if seed % 2 else 3.0
        arcs[1, 0, 1] = 0.0
        expected = [max(found, key=lambda each: each[1])[0] for found in every(arcs, LENGTHS, projective)]
        assert [tuple(heads) for heads in best_trees(arcs, LENGTHS, projective=projective)] == expected


def test_best_trees_are_those_of_networkx():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed: pip install networkx")
    random = np.random.default_rng(0)
    for number in range(500):
        n = int(random.integers(1, 9))
        scores = (
            random.normal(size=(n + 1, n + 1)) if number % 2 else random.integers(0, 9, (n + 1, n + 1)).astype(float)
        )
        scores[0, 1:] -= 1000.0  # so that networkx, too, has one word below the root
        graph = networkx.DiGraph()
        graph.add_weighted_edges_from((u, v, scores[u, v]) for u in range(n + 1) for v in range(1, n + 1) if u != v)
        theirs = networkx.maximum_spanning_arborescence(graph)
        [heads] = best_trees(torch.from_numpy(scores)[None], torch.tensor([n]))
        ours = scores[heads, range(1, n + 1)].sum()
        np.testing.assert_allclose(ours, theirs.size(weight="weight"), atol=1e-9)
        assert is_tree(heads.tolist())


def test_projective_trees_are_those_of_the_recurrence():
    """The gradient of the maximum is 1 on the arcs of the best tree."""
    lengths = torch.tensor([30, 12])
    arcs = random_arcs(3, n=30, batch=2).requires_grad_()
    (chosen,) = torch.autograd.grad(projective_total(arcs, lengths, MAX).sum(), arcs)
    for heads, shown, n in zip(best_trees(arcs, lengths, projective=True), chosen, lengths.tolist(), strict=True):
        assert heads.tolist() == shown.argmax(0)[1 : n + 1].tolist()


def test_one_word_below_the_root_whatever_it_costs():
    """Also where a second one is worth several arcs: 1 -> 2 -> 3 -> 4 -> 5 scores 0, the way back 9 an arc."""
    arcs = torch.full((6, 6), -torch.inf, dtype=torch.float64)
    arcs[0, 1] = arcs[0, 5] = arcs[1, 2] = arcs[2, 3] = arcs[3, 4] = arcs[4, 5] = 0.0
    arcs[5, 4] = arcs[4, 3] = arcs[3, 2] = 9.0
    for scores, heads in ((arcs, [0, 1, 2, 3, 4]), (torch.zeros(3, 3), [0, 1])):
        lengths = torch.tensor([len(heads)])
        for projective in (False, True):
            assert sorted(best_trees(scores[None], lengths, projective=projective)[0].tolist()) == heads


def test_no_tree_is_refused():
    arcs = random_arcs()
    arcs[2, :, 2] = -torch.inf
    for projective in (False, True):
        with pytest.raises(ShapeError, match="sentence 2"):
            best_trees(arcs, LENGTHS, projective=projective)


def test_two_words_that_only_the_root_can_take_are_refused():
    arcs = torch.full((1, 3, 3), -torch.inf)
    arcs[0, 0, 1:] = 0.0
    for projective in (False, True):
        with pytest.raises(ShapeError, match="sentence 0: no tree of possible arcs with one word below the root"):
            best_trees(arcs, torch.tensor([2]), projective=projective)
