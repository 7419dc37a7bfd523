"""The merge rule against the same in NumPy; and the same in steps, whose bits are those of the rule."""

import numpy as np
import pytest

from firth.kernels.merging import AHEAD, collect_rows, merge_lists, merge_rows, take_rows
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


@pytest.mark.parametrize("count", range(AHEAD + 2))
def test_few_rows(common, count):
    """Fewer than are fetched ahead."""
    replicas, rows = replicas_of(common, 2), np.arange(count, dtype=np.int32)
    replicas[0, :, 0] += 1
    expected = common.copy()
    expected[:count, 0] = replicas[0, :count, 0]
    merge_rows(common, replicas, rows, np.ones(ROWS, dtype=np.float32))
    np.testing.assert_allclose(common, expected, rtol=1e-6)


class TestCollecting:
    @pytest.fixture
    def replica(self, common):
        """Row 3 differs in its first number, row 7 in its last, row 9 in none, row 11 is not due."""
        own = common.copy()
        own[3, 0] += 1
        own[7, DIM - 1] += 1
        own[11] += 1
        return own

    def test_changed_rows_are_copied(self, common, replica):
        due = np.array([1, 3, 7, 9, 20], dtype=np.int32)
        rows, values = np.full(5, -1, dtype=np.int32), aligned_rows(5, DIM)
        assert collect_rows(common, replica, due, rows, values) == 2
        assert rows[:2].tolist() == [3, 7]
        assert (values[:2] == replica[[3, 7]]).all()

    def test_every_row_may_have_changed(self, common):
        due = np.arange(ROWS, dtype=np.int32)
        rows, values = np.empty(ROWS, dtype=np.int32), aligned_rows(ROWS, DIM)
        assert collect_rows(common, common + 1, due, rows, values) == ROWS
        assert (rows == due).all()
        assert (values == common + 1).all()


@pytest.mark.parametrize("shards", [1, 2, 4, 7])
def test_steps_have_the_bits_of_the_rule(common, shards):
    """Lists of different lengths, one of them empty if there are several."""
    random = np.random.default_rng(shards)
    replicas = replicas_of(common, shards)
    for own in replicas[: max(1, shards - 1)]:
        changed = random.random(ROWS) < 1 / 3
        own[changed, :DIM] += random.normal(size=(changed.sum(), DIM)).astype(np.float32)
    due, weights = np.flatnonzero(random.random(ROWS) < 0.7).astype(np.int32), random.random(ROWS).astype(np.float32)
    here, there, taken = replicas.copy(), common.copy(), common.copy()

    kept = []
    for own in replicas:
        rows, values = np.empty(len(due), dtype=np.int32), aligned_rows(len(due), DIM)
        count = collect_rows(common, own, due, rows, values)
        kept.append((rows[:count], values[:count]))
    lists = np.array([(rows.ctypes.data, values.ctypes.data, len(rows)) for rows, values in kept])
    merged, values = np.empty(ROWS, dtype=np.int32), aligned_rows(ROWS, DIM)
    count = merge_lists(there, weights, lists, merged, values)
    take_rows(taken, replicas, merged[:count], values[:count])

    merge_rows(common, here, due, weights)
    assert merged[:count].tolist() == sorted(set(np.concatenate([rows for rows, _ in kept]).tolist()))
    assert there.tobytes() == taken.tobytes() == common.tobytes()
    assert replicas.tobytes() == here.tobytes()


def test_no_lists_and_empty_ones(common):
    before, weights = common.copy(), np.ones(ROWS, dtype=np.float32)
    for shards in (0, 3):
        lists = np.zeros((shards, 3), dtype=np.int64)
        assert merge_lists(common, weights, lists, np.empty(0, dtype=np.int32), aligned_rows(0, DIM)) == 0
    assert (common == before).all()
