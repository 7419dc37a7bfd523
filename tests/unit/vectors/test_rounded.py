"""Answers by rounded products are those of sorting all cosines."""

import numpy as np
import pytest

from firth.kernels import threads
from firth.kernels.byte_product import host_tile
from firth.vectors import cosine, neighbours, rounded

pytestmark = pytest.mark.skipif(host_tile() is None, reason="this processor has no product of bytes")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks, none a whole number of panels, of vectors that a test can make."""
    monkeypatch.setattr(rounded, "ROWS", 1500)
    monkeypatch.setattr(rounded, "SAMPLE", 400)
    monkeypatch.setattr(rounded, "QUERIES", 70)


def sorted_all(vectors, queries, k, start=0, end=None):
    cosines = cosine.unit(queries.astype(np.float64)) @ cosine.unit(vectors[start:end].astype(np.float64)).T
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return order + start, np.take_along_axis(cosines, order, axis=1)


def ask(vectors, queries, k, start=0, end=None):
    norms = cosine.row_norms(vectors)
    unit = cosine.unit(queries).astype(np.float32)
    return rounded.nearest_rounded(vectors, norms, unit, k, start, len(vectors) if end is None else end)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("dim", [16, 37, 64])
def test_random_vectors(dim, dtype, count, monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", str(count))
    monkeypatch.setattr(threads, "usable_threads", lambda _: 3)
    rng = np.random.default_rng(dim)
    vectors = (rng.normal(size=(5000, dim)) * rng.lognormal(size=(5000, 1))).astype(dtype)
    queries = rng.normal(size=(150, dim))
    rows, scores = ask(vectors, queries, 9)
    expected_rows, expected = sorted_all(vectors, queries, 9)
    assert scores == pytest.approx(expected, abs=1e-6)
    apart = np.diff(expected, axis=1, append=-2) < -1e-6  # closer ones may change places
    assert np.array_equal(rows[apart], expected_rows[apart])


def test_a_window_of_rows():
    rng = np.random.default_rng(1)
    vectors, queries = rng.normal(size=(5000, 20)).astype(np.float32), rng.normal(size=(40, 20))
    rows, scores = ask(vectors, queries, 5, 700, 4300)
    expected_rows, expected = sorted_all(vectors, queries, 5, 700, 4300)
    assert np.array_equal(rows, expected_rows)
    assert scores == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_equals_come_in_the_order_of_their_rows(count, monkeypatch):
    """Every vector stands there four times, far apart, some among the sample that the first floors come from."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", str(count))
    base = np.random.default_rng(2).normal(size=(1250, 24)).astype(np.float32)
    vectors = np.tile(base, (4, 1))
    rows, scores = ask(vectors, base[:200], 6)
    assert rows[:, :4].tolist() == [[row, row + 1250, row + 2500, row + 3750] for row in range(200)]
    assert (scores[:, :1] == scores[:, :4]).all()
    assert rows[:, 5].tolist() == (rows[:, 4] + 1250).tolist()


def test_zero_rows_and_extreme_lengths():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(5000, 16)).astype(np.float32)
    vectors[::7] = 0
    vectors[1::7] *= np.float32(1e-15)
    vectors[2::7] *= np.float32(1e15)
    queries = rng.normal(size=(50, 16))
    rows, scores = ask(vectors, queries, 20)
    expected_rows, expected = sorted_all(vectors, queries, 20)
    assert np.array_equal(rows, expected_rows)
    assert scores == pytest.approx(expected, abs=1e-6)


def test_one_number_that_dwarfs_the_others():
    """Rounding then keeps next to nothing of the others: many pairs are compared exactly, and none is lost."""
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(5000, 16)).astype(np.float32)
    vectors[::50, 3] = 1000
    queries = rng.normal(size=(50, 16))
    rows, _ = ask(vectors, queries, 5)
    assert np.array_equal(rows, sorted_all(vectors, queries, 5)[0])


def test_vectors_that_rounding_cannot_tell_apart():
    vectors = np.ones((5000, 16), dtype=np.float32)
    assert ask(vectors, np.ones((10, 16)), 3) is None


def test_another_processor(monkeypatch):
    monkeypatch.setattr(rounded, "host_tile", lambda: None)
    assert ask(np.ones((5000, 16), dtype=np.float32), np.ones((10, 16)), 3) is None


def test_nearest_asks_here_for_large_work_only(monkeypatch):
    asked = []
    monkeypatch.setattr(rounded, "nearest_rounded", lambda *arguments: asked.append(arguments))
    rng = np.random.default_rng(5)
    vectors, queries = rng.normal(size=(5000, 16)).astype(np.float32), rng.normal(size=(200, 16)).astype(np.float32)
    norms = cosine.row_norms(vectors)
    expected, _ = neighbours.nearest(vectors, norms, queries, 3)
    assert not asked
    monkeypatch.setattr(neighbours, "WORTH", 0)
    monkeypatch.setattr(neighbours, "SCREENED", 0)
    assert np.array_equal(neighbours.nearest(vectors, norms, queries, 3)[0], expected)  # told None, it does the work
    assert len(asked) == 1
    neighbours.nearest(vectors, norms, queries[:10], 3)
    neighbours.nearest(vectors.astype(np.float64), norms.astype(np.float64), queries, 3)
    neighbours.nearest(vectors[:, :8], norms, queries[:, :8], 3)
    assert len(asked) == 1


def test_a_query_of_zeros_among_others(monkeypatch):
    monkeypatch.setattr(neighbours, "WORTH", 0)
    monkeypatch.setattr(neighbours, "SCREENED", 0)
    rng = np.random.default_rng(6)
    vectors, queries = rng.normal(size=(5000, 16)).astype(np.float32), rng.normal(size=(200, 16))
    queries[[4, 199]] = 0
    rows, scores = neighbours.nearest(vectors, cosine.row_norms(vectors), queries, 3, start=100)
    assert rows[4].tolist() == rows[199].tolist() == [100, 101, 102]
    assert not scores[[4, 199]].any()
    queries = np.delete(queries, [4, 199], axis=0)
    assert np.array_equal(np.delete(rows, [4, 199], axis=0), sorted_all(vectors, queries, 3, 100)[0])
