"""Rounding and its bound against NumPy, and against the promise that no pair is lost."""

import numpy as np
import pytest

from firth.kernels.byte_product import AVX2, Tile, compile_product, host_tile

DIMS = [16, 17, 19, 31, 48, 100, 303]


def tiles():
    host = host_tile()
    if host is None:
        return [pytest.param(None, marks=pytest.mark.skip(reason="this processor has no product of bytes"))]
    return list(dict.fromkeys([host, Tile(8, 4, 2), AVX2] if host.width == 16 else [host, AVX2]))


def call(tile, name, *arguments):
    plain = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in arguments]
    return compile_product(tile)[name](*plain)


def pack(tile, rows):
    """The output of `pack`: (panels, K, P, 4) bytes, steps and errors of whole panels."""
    count, dim = rows.shape
    panels, quads = -(-count // tile.rows), tile.quads(dim)
    norms = np.linalg.norm(rows, axis=1)
    inverses = np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)
    out = np.zeros((panels, quads, tile.rows, 4), dtype=np.uint8)
    steps, errors = (np.full(panels * tile.rows, fill, dtype=np.float32) for fill in (0, -np.inf))
    call(tile, "pack", rows, count, dim, quads, inverses, out, steps, errors)
    return out, steps, errors, inverses


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("tile", tiles())
def test_rows_are_rounded_as_numpy_rounds(tile, dim):
    rows = np.random.default_rng(dim).normal(size=(tile.rows + 5, dim)).astype(np.float32)
    rows[3] = 0
    rows[4] *= np.float32(1e-35)
    out, steps, errors, inverses = pack(tile, rows)
    peaks = np.abs(rows).max(axis=1)
    known = peaks > 1e-30
    up = np.where(known, np.float32(tile.levels) / np.where(known, peaks, 1), 0).astype(np.float32)
    whole = np.rint(rows * up[:, None])
    unpacked = out.transpose(0, 2, 1, 3).reshape(len(steps), -1)[: len(rows), :dim].astype(int) - tile.levels
    assert np.array_equal(unpacked, whole)
    expected = np.where(known, peaks * inverses / tile.levels, 0)
    assert steps[: len(rows)] == pytest.approx(expected, rel=1e-6)
    left = np.linalg.norm(rows - whole * (peaks / tile.levels)[:, None], axis=1) * inverses
    assert errors[: len(rows)][known] == pytest.approx(left[known], rel=1e-4)
    assert errors[3] == 0  # all cosines of a zero row are 0
    assert errors[4] == 1  # nothing is known of tiny numbers
    assert np.isneginf(errors[len(rows) :]).all()


@pytest.mark.parametrize("tile", tiles())
def test_the_largest_numbers_do_not_overflow(tile):
    """300 products of the largest numbers, of one sign and of the other, and each sum to the last unit."""
    dim = 300
    numbers = np.zeros((tile.queries, 4 * tile.quads(dim)), dtype=np.int8)
    numbers[0, :dim], numbers[1, :dim] = tile.levels, -tile.levels
    rows = np.ones((tile.rows, dim), dtype=np.float32)
    rows[1::2] = -1
    panels, _, errors, _ = pack(tile, rows)
    errors[:] = 0
    starts = -tile.levels * numbers.sum(axis=1, dtype=np.int32)
    most = dim * tile.levels**2
    hits = np.zeros((tile.queries, 2), dtype=np.uint64)
    for floor, expected in ((most, True), (most + 1, False)):
        floors, ones = np.full(tile.queries, floor, dtype=np.float32), np.ones(tile.queries, dtype=np.float32)
        steps = np.ones(tile.rows, dtype=np.float32)
        arguments = (steps, errors, numbers, 1, starts, ones, floors, hits)
        end = call(tile, "scan", panels, 1, panels.shape[1], *arguments)
        found = [bits for _, bits in hits[: (end - hits.ctypes.data) // 16].tolist()]
        even = sum(1 << lane for lane in range(0, tile.rows, 2))
        assert found == ([even, even << 1] if expected else [])


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("tile", tiles())
def test_hits_are_those_of_the_formula(tile, dim):
    """cos <= step_x step_y r . q + u + (1 + u) |f|, pair by pair, in float64."""
    rng = np.random.default_rng(dim)
    rows = rng.normal(size=(2 * tile.rows + 7, dim)).astype(np.float32)
    batch = 5 * tile.queries
    numbers = np.zeros((batch, 4 * tile.quads(dim)), dtype=np.int8)
    numbers[:, :dim] = rng.integers(-tile.levels, tile.levels + 1, size=(batch, dim))
    starts = -tile.levels * numbers.sum(axis=1, dtype=np.int32)
    slopes, floors = rng.uniform(1, 2, batch).astype(np.float32), rng.normal(0, 500, batch).astype(np.float32)
    panels, steps, errors, _ = pack(tile, rows)
    hits = np.zeros((batch * len(panels), 2), dtype=np.uint64)
    end = call(
        tile, "scan", panels, len(panels), panels.shape[1], steps, errors, numbers, 5, starts, slopes, floors, hits
    )
    found = set()
    for place, bits in hits[: (end - hits.ctypes.data) // 16].tolist():
        query, first = place & 0xFFFFFFFF, place >> 32
        found |= {(query, first + lane) for lane in range(tile.rows) if bits >> lane & 1}
    whole = panels.transpose(0, 2, 1, 3).reshape(len(steps), -1)[: len(rows), :dim].astype(np.int64) - tile.levels
    reach = (numbers[:, :dim].astype(np.int64) @ whole.T) * steps[: len(rows)].astype(np.float64)
    reach += errors[: len(rows)] * slopes[:, None].astype(np.float64) - floors[:, None]
    clear = np.abs(reach) > 1e-3  # of the others rounding decides
    assert clear.mean() > 0.99
    expected = {tuple(pair) for pair in np.argwhere((reach > 0) & clear).tolist()}
    assert 0 < len(expected) < reach.size
    assert expected - found == set()
    assert {pair for pair in found if clear[pair]} == expected


@pytest.mark.parametrize("k", [1, 3, 40])
@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("tile", tiles())
def test_the_best_of_the_hits(tile, dim, k):
    """Three hits: rows 70 and 73 for query 1, rows 70 and 71 for query 0, row 135 for query 1 again."""
    rng = np.random.default_rng(dim)
    rows, queries = (rng.normal(size=(size, dim)).astype(np.float32) for size in (140, 2))
    inverses = (1 / np.linalg.norm(rows, axis=1)).astype(np.float32)
    hits = np.array([[1 | 70 << 32, 0b1001], [0 | 70 << 32, 0b11], [1 | 130 << 32, 0b100000]], dtype=np.uint64)
    best, scores = np.full((2, k), -1, dtype=np.int64), np.full((2, k), -np.inf, dtype=np.float32)
    call(tile, "rescore", rows, queries, dim, inverses, hits, 3, 1000, k, best, scores)
    for query, found in enumerate(([70, 71], [70, 73, 135])):
        cosines = rows[found].astype(np.float64) @ queries[query] * inverses[found]
        order = np.argsort(-cosines)[:k]
        assert best[query, : len(order)].tolist() == [1000 + found[place] for place in order]
        assert scores[query, : len(order)] == pytest.approx(cosines[order], rel=1e-5, abs=1e-5)
        assert (best[query, len(order) :] == -1).all()


@pytest.mark.parametrize("tile", tiles())
def test_equals_stay_in_the_order_of_their_rows(tile):
    rows = np.ones((64, 16), dtype=np.float32)
    hits = np.array([[0, 0b111], [32 << 32, 0b11]], dtype=np.uint64)
    best, scores = np.full((1, 4), -1, dtype=np.int64), np.full((1, 4), -np.inf, dtype=np.float32)
    inverses = np.full(64, 0.25, dtype=np.float32)
    call(tile, "rescore", rows, rows[:1] / 4, 16, inverses, hits, 2, 0, 4, best, scores)
    assert best.tolist() == [[0, 1, 2, 32]]
    assert scores.tolist() == [[1] * 4]
