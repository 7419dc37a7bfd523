"""Every row starts on a cache line; the padding is zero."""

import numpy as np
import pytest

from firth.kernels.rows import aligned_rows


@pytest.mark.parametrize("dim", [1, 3, 15, 16, 17, 100, 300])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_rows_are_padded_and_aligned(count, dim):
    rows = aligned_rows(count, dim)
    assert rows.shape == (count, (dim + 15) // 16 * 16)
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    assert not rows.any()
    assert all(row.ctypes.data % 64 == 0 for row in rows)


@pytest.mark.parametrize("attempt", range(20))
def test_alignment_does_not_hang_on_where_memory_was_free(attempt):
    held = [np.zeros(attempt * 7 + 1, dtype=np.float32) for _ in range(3)]
    assert aligned_rows(3, 20).ctypes.data % 64 == 0
    assert len(held) == 3
