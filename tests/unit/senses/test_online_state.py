"""What a word is in a context: centred and whitened global vectors."""

import numpy as np
import pytest

from firth.kernels.rows import aligned_rows
from firth.senses.online_state import SenseState


def rows_of(numbers):
    rows = aligned_rows(len(numbers), 2)
    rows[:, :2] = numbers
    return rows


def test_centred_and_whitened():
    """Rows (5, 1), (1, 1), (3, 2), (3, 0) of equal shares: mean (3, 1), deviations (2, 0), (-2, 0), (0, 1), (0, -1).
    Variances 8/4 = 2 and 2/4 = 1/2, relative to the larger 1 and 1/4; to the power -1/2 A is diag(1, 2), and every
    word is 2 long."""
    outputs, state = rows_of([(5, 1), (1, 1), (3, 2), (3, 0)]), SenseState.empty(np.ones(4, np.int64), 2)
    state.fit_whitening(outputs, np.full(4, 0.25), 0.5)
    state.refresh(outputs, 0)
    assert state.mean == pytest.approx([3, 1])
    assert state.matrix == pytest.approx(np.diag([1.0, 2.0]))
    assert state.words[:, :2] == pytest.approx(np.array([(2, 0), (-2, 0), (0, 2), (0, -2)]))


def test_shares_weigh_words():
    """With shares 3/4 and 1/4 the mean of (0, 0) and (4, 8) is (1, 2); without whitening A is the identity."""
    outputs, state = rows_of([(0, 0), (4, 8)]), SenseState.empty(np.ones(2, np.int64), 2)
    state.fit_whitening(outputs, np.array([0.75, 0.25]), 0.0)
    state.refresh(outputs, 0)
    assert state.matrix == pytest.approx(np.eye(2))
    assert state.words[:, :2] == pytest.approx(np.array([(-1, -2), (3, 6)]))


def test_vectors_that_are_all_alike_have_no_direction():
    outputs, state = rows_of([(1, 2)] * 3), SenseState.empty(np.ones(3, np.int64), 2)
    state.fit_whitening(outputs, np.full(3, 1 / 3), 0.35)
    state.refresh(outputs, 0)
    assert np.isfinite(state.matrix).all()
    assert np.abs(state.words).max() < 1e-3


def test_mean_and_matrix_are_found_again():
    random = np.random.default_rng(0)
    outputs, shares = aligned_rows(50, 6), random.dirichlet(np.ones(50))
    outputs[:, :6] = random.normal(size=(50, 6))
    state, again = SenseState.empty(np.ones(50, np.int64), 6), SenseState.empty(np.ones(50, np.int64), 6)
    state.fit_whitening(outputs, shares, 0.35)
    state.refresh(outputs, 0)
    again.restore_whitening(outputs[:, :6], state.words[:, :6])
    assert again.matrix == pytest.approx(state.matrix, abs=1e-5)
    assert again.mean == pytest.approx(state.mean, abs=1e-5)


def test_room_for_senses():
    state = SenseState.empty(np.array([3, 1, 2]), 5)
    assert state.firsts.tolist() == [0, 3, 4, 6]
    assert len(state.centres) == 6
