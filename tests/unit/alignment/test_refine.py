"""Refinement, against the paper's loop written with a plain double loop over CSLS."""

import numpy as np

from firth.alignment.refine import refine_maps
from firth.alignment.steps import normalise, orthogonal
from firth.vectors.cosine import unit
from firth.vectors.csls import csls
from tests.unit.alignment.spaces import twins


def test_against_the_naive_loop():
    source, target = twins(words=120, dim=12, noise=0.4)
    x, z = (normalise(side.vectors, "unit-centre-unit")[0] for side in (source, target))
    rows = np.stack([np.arange(10), np.arange(10)], axis=1)
    found = refine_maps(x, z, rows, orthogonal, rounds=3, cutoff=100, report=lambda _: None)
    turn, _ = orthogonal(x[:10], z[:10])
    for _ in range(3):
        table = csls(unit(x[:100] @ turn), unit(z[:100]))
        best, back = table.argmax(axis=1), table.argmax(axis=0)
        pairs = {(i, int(best[i])) for i in range(100) if back[best[i]] == i} | {(i, i) for i in range(10)}
        left, right = map(list, zip(*sorted(pairs), strict=True))
        turn, _ = orthogonal(x[left], z[right])
    assert np.abs(found.maps[0] - turn).max() < 1e-6
    assert found.pairs[-1] == len(pairs)
