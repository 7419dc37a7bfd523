"""Cutting a sparse matrix into tiles loses no cell and doubles none."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from firth.kernels.tiles import count_cells, fill_tiles, shuffle_tiles

V, B = 37, 5


def filled(half, seed=0, threads=1):
    random = np.random.default_rng(seed)
    dense = np.round(random.gamma(1, 20, (V, V)) * (random.random((V, V)) < 0.3), 2).astype(np.float32)
    if half:
        dense = np.tril(dense)
    m = sparse.csr_array(dense)
    rows, columns = m.indptr.astype(np.int64), m.indices.astype(np.int32)
    sizes = np.zeros((B, B), dtype=np.int64)
    count_cells(rows, columns, half, sizes)
    ends = np.cumsum(sizes).reshape(B, B)
    bounds = np.stack([ends - sizes, ends], axis=2)
    cells = np.zeros((ends[-1, -1], 3), dtype=np.float32)
    free = bounds[:, :, 0].copy()
    cuts = [B * t // threads for t in range(threads + 1)]
    for first, last in itertools.pairwise(cuts):
        fill_tiles(rows, columns, m.data, half, 30.0, 0.75, bounds, free, cells.view(np.uint16), cells, first, last)
    return (dense + np.tril(dense, -1).T if half else dense), bounds, cells


@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_cell_is_once_in_its_tile(half, threads):
    dense, bounds, cells = filled(half, threads=threads)
    seen, weights = np.zeros((V, V)), np.zeros((V, V))
    for row in range(B):
        for column in range(B):
            first, last = bounds[row, column]
            places = cells.view(np.uint16).reshape(-1, 6)[first:last, :2] * B + (row, column)
            seen[places[:, 0], places[:, 1]] += np.exp(cells[first:last, 1])
            weights[places[:, 0], places[:, 1]] += cells[first:last, 2]
    np.testing.assert_allclose(seen, dense, rtol=1e-5)
    np.testing.assert_allclose(weights, np.where(dense > 0, np.minimum(1, dense / 30) ** 0.75, 0), rtol=1e-5)


def test_shuffled_cells_are_the_same_cells_in_another_order():
    _, bounds, cells = filled(half=True)
    shuffled = cells.copy()
    states = np.arange(1, B + 1, dtype=np.uint64)
    shuffle_tiles(bounds, shuffled.view(np.uint32), states, 0, B)
    moved = 0
    for first, last in bounds.reshape(-1, 2):
        before, after = (part[first:last].view(np.uint32) for part in (cells, shuffled))
        assert sorted(map(tuple, before)) == sorted(map(tuple, after))
        moved += (before != after).any(1).sum()
    assert moved > len(cells) * 0.8


def test_a_shuffle_favours_no_place():
    """6 cells, 6,000 generators: how often cell 0 comes to each place (chi-square, 5 degrees, 0.1 %)."""
    bounds = np.array([[[0, 6]]])
    counts = np.zeros(6)
    for state in range(6000):
        cells = np.repeat(np.arange(6, dtype=np.uint32), 3).reshape(6, 3)
        shuffle_tiles(bounds, cells, np.array([state * 7919 + 1], dtype=np.uint64), 0, 1)
        counts[np.flatnonzero(cells[:, 0] == 0)[0]] += 1
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5
