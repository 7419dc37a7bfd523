"""Scores of arcs of a batch of sentences, all their trees, and the shares of arcs in them."""

import numpy as np
import torch

from tests.unit.neural.structs.brute_force import probabilities, trees

N = 5
LENGTHS = torch.tensor([5, 1, 2, 4])


def random_arcs(seed=0, n=N, batch=4):
    return 2 * torch.randn((batch, n + 1, n + 1), generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def every(arcs, lengths, projective):
    return [
        list(trees(one[: n + 1, : n + 1].tolist(), projective=projective))
        for one, n in zip(arcs, lengths.tolist(), strict=True)
    ]


def expected_marginals(structures, n):
    expected = np.zeros((n + 1, n + 1))
    for heads, p in probabilities(structures).items():
        expected[list(heads), range(1, len(heads) + 1)] += p
    return expected
