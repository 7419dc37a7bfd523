"""Sums over projective dependency trees against all of them, one by one."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import ShapeError
from firth.neural.structs.projective_trees import projective_total
from firth.neural.structs.semirings import ENTROPY, LOG, MAX, KBest
from tests.unit.neural.structs.arcs import LENGTHS, N, every, expected_marginals, random_arcs
from tests.unit.neural.structs.brute_force import log_sum, probabilities, trees


def test_projective_totals_are_those_of_all():
    arcs = random_arcs(1)
    structures = every(arcs, LENGTHS, projective=True)
    scores = [[score for _, score in found] for found in structures]
    for ring, expected in ((LOG, [log_sum(each) for each in scores]), (MAX, [max(each) for each in scores])):
        np.testing.assert_allclose(projective_total(arcs, LENGTHS, ring).numpy(), expected, atol=1e-12)
    entropies = [-sum(p * np.log(p) for p in probabilities(found).values()) for found in structures]
    np.testing.assert_allclose(projective_total(arcs, LENGTHS, ENTROPY)[:, 1].numpy(), entropies, atol=1e-12)
    best = np.sort(scores[0])[:-5:-1]
    np.testing.assert_allclose(projective_total(arcs, LENGTHS, KBest(4))[0].numpy(), best, atol=1e-12)


def test_projective_marginals_are_shares_of_all():
    arcs = random_arcs(2).requires_grad_()
    projective_total(arcs, LENGTHS, LOG).sum().backward()
    for number, structures in enumerate(every(arcs.detach(), LENGTHS, projective=True)):
        np.testing.assert_allclose(arcs.grad[number].numpy(), expected_marginals(structures, N), atol=1e-12)


@pytest.mark.slow
def test_six_words():
    arcs = random_arcs(5, n=6, batch=1)
    expected = log_sum(score for _, score in trees(arcs[0].tolist(), projective=True))
    np.testing.assert_allclose(projective_total(arcs, torch.tensor([6]), LOG).item(), expected, atol=1e-10)


@pytest.mark.parametrize(("arcs", "lengths"), [((1, 3, 4), 2), ((1, 3, 3), 3), ((1, 3, 3), 0)])
def test_shapes_that_differ_are_refused(arcs, lengths):
    arcs, lengths = torch.zeros(arcs), torch.tensor([lengths])
    with pytest.raises(ShapeError, match="expected"):
        projective_total(arcs, lengths, LOG)
