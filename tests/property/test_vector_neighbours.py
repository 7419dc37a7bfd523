"""Exact top-k against sorting all scores, over any shapes, blocks and ties."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from firth.vectors.neighbours import best_rows


@st.composite
def problems(draw):
    batch, rows = draw(st.integers(1, 5)), draw(st.integers(1, 40))
    few = st.integers(-3, 3).map(float)  # few values, so that ties are many
    scores = draw(arrays.arrays(np.float32, (batch, rows), elements=few))
    start = draw(st.integers(0, rows))
    return scores, draw(st.integers(0, 50)), start, draw(st.integers(start, rows)), draw(st.integers(1, 45))


@given(problems())
@settings(max_examples=150, deadline=None)
def test_best_rows_are_those_of_a_full_sort(problem):
    scores, k, start, end, block = problem
    found_rows, found_scores = best_rows(lambda low, high: scores[:, low:high], len(scores), k, start, end, block)
    part = scores[:, start:end]
    order = np.argsort(-part, axis=1, kind="stable")[:, :k]
    assert np.array_equal(found_rows, order + start)
    assert np.array_equal(found_scores, np.take_along_axis(part, order, axis=1))
