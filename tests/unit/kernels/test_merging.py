"""The merge rule against the same in NumPy."""

import numpy as np
import pytest

from firth.kernels.merging import merge_rows
from firth.kernels.rows import FLOATS, aligned_rows

ROWS, DIM = 50, 40


def replicas_of(common, shards):
    stack = aligned_rows(shards * len(common), common.shape[1]).reshape(shards, *common.shape)
    stack[:] = common
    return stack


@pytest.fixture
def common():
    rows = aligned_rows(ROWS, DIM)
    rows[:, :DIM] = np.random.default_rng(0).normal(size=(ROWS, DIM))
    return rows


@pytest.mark.parametrize("shards", [1, 2, 4, 7])
def test_the_rule(common, shards):
    """Each shard changes a third of the rows; half of all rows are due, each with a weight of its own."""
    random = np.random.default_rng(shards)
    replicas = replicas_of(common, shards)
    for own in replicas:
        changed = random.random(ROWS) < 1 / 3
        own[changed, :DIM] += random.normal(size=(changed.sum(), DIM)).astype(np.float32)
    due = np.flatnonzero(random.random(ROWS) < 0.5).astype(np.int32)
    weights = random.random(ROWS).astype(np.float32)
    before, kept = common.astype(np.float64), replicas.copy()
    merged = before + weights[:, None] * (replicas - before).sum(0)

    merge_rows(common, replicas, due, weights)
    others = np.setdiff1d(np.arange(ROWS), due)
    np.testing.assert_allclose(common[due], merged[due], rtol=1e-5, atol=1e-6)
    assert all((own[due] == common[due]).all() for own in replicas)
    assert (common[others] == before[others].astype(np.float32)).all()
    assert (replicas[:, others] == kept[:, others]).all()


def test_a_row_that_one_shard_has_changed_is_its_own(common):
    """The sum of changes: nothing is divided among shards that did nothing."""
    replicas = replicas_of(common, 4)
    replicas[2, 5, :DIM] = 1
    merge_rows(common, replicas, np.arange(ROWS, dtype=np.int32), np.ones(ROWS, dtype=np.float32))
    np.testing.assert_allclose(common[5, :DIM], 1, rtol=1e-6)


def test_a_change_beyond_the_first_cache_line_is_one(common):
    """Vectors whose first numbers are zero, and steps that are too small to change them all, by rounding."""
    replicas = replicas_of(common, 3)
    replicas[1, 5, FLOATS + 4] += 1
    expected = replicas[1, 5].copy()
    merge_rows(common, replicas, np.arange(ROWS, dtype=np.int32), np.ones(ROWS, dtype=np.float32))
    np.testing.assert_array_equal(common[5], expected)
    assert (replicas[:, 5] == expected).all()


def test_replicas_that_agree_are_averaged_with_a_weight_of_one_by_their_number(common):
    replicas = replicas_of(common, 4)
    replicas[:, 5, :DIM] = 1
    merge_rows(common, replicas, np.arange(ROWS, dtype=np.int32), np.full(ROWS, 1 / 4, dtype=np.float32))
    np.testing.assert_allclose(common[5, :DIM], 1, rtol=1e-6)


def test_parts_in_any_order_give_the_same_bits(common):
    random = np.random.default_rng(1)
    stacks = [replicas_of(common, 4) for _ in range(2)]
    changes = random.normal(size=(4, ROWS, DIM)).astype(np.float32)
    for stack in stacks:
        stack[:, :, :DIM] += changes
    whole, parted = common.copy(), common.copy()
    weights, rows = np.full(ROWS, 0.7, dtype=np.float32), np.arange(ROWS, dtype=np.int32)
    merge_rows(whole, stacks[0], rows, weights)
    for part in reversed(np.array_split(rows, 3)):
        merge_rows(parted, stacks[1], part, weights)
    assert whole.tobytes() == parted.tobytes()
