"""HNSW graphs of usearch."""

import signal
import sys
import threading

import numpy as np
import pytest

from firth.errors import MissingExtraError
from firth.vectors import cosine, neighbours
from firth.vectors.index.hnsw import SmallWorldSearch
from firth.vectors.index.options import HnswOptions
from firth.vectors.index.results import Points


def test_without_usearch(monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    vectors = np.eye(3, dtype=np.float32)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[ann\]"):
        SmallWorldSearch.build(Points(vectors, cosine.row_norms(vectors)), HnswOptions())


@pytest.fixture
def points():
    pytest.importorskip("usearch", reason="usearch is not installed: pip install 'firth[ann]'")
    vectors = np.random.default_rng(0).normal(size=(2000, 16)).astype(np.float32) * 3
    return Points(vectors, cosine.row_norms(vectors))


def test_graphs_have_key_lookups(points, monkeypatch):
    """Without them usearch 2.16.0 to 2.26.0, which pyproject.toml admits, corrupts its heap."""
    import usearch.index

    made, index = [], usearch.index.Index
    monkeypatch.setattr(usearch.index, "Index", lambda **options: made.append(options) or index(**options))
    built = SmallWorldSearch.build(points, HnswOptions())
    SmallWorldSearch.restore(points, HnswOptions(), built.tensors())
    assert [options.get("enable_key_lookups", True) for options in made] == [True, True]


def test_finds_nearly_all(points):
    queries = cosine.unit(np.random.default_rng(1).normal(size=(100, 16)).astype(np.float32))
    rows, scores = neighbours.nearest(points.vectors, points.norms, queries, 10)
    found = SmallWorldSearch.build(points, HnswOptions(expansion_search=200)).search(queries, 10)
    same = [len(set(one) & set(other)) for one, other in zip(found.rows.tolist(), rows.tolist(), strict=True)]
    assert np.mean(same) > 9.8
    hit = found.rows == rows
    assert found.scores[hit] == pytest.approx(scores[hit], abs=1e-6)
    assert (np.diff(found.scores, axis=1) <= 0).all()
    assert 0 < found.scanned.mean() < 2000


def test_the_same_vectors_make_the_same_graph(points):
    one, other = (SmallWorldSearch.build(points, HnswOptions()).tensors()["graph"] for _ in range(2))
    assert np.array_equal(one, other)


def test_zero_vectors_and_half_precision(points):
    vectors = points.vectors[:50].astype(np.float16)
    vectors[7] = 0
    small = Points(vectors, cosine.row_norms(vectors))
    found = SmallWorldSearch.build(small, HnswOptions()).search(cosine.unit(vectors[[3, 7]]), 50)
    assert found.rows[0, 0] == 3
    assert np.isfinite(found.scores[found.rows >= 0]).all()
    assert set(found.scores[1][found.rows[1] >= 0].tolist()) == {0}


def test_ctrl_c_while_a_graph_is_built_is_ctrl_c():
    pytest.importorskip("usearch", reason="usearch is not installed: pip install 'firth[ann]'")
    vectors = np.random.default_rng(0).normal(size=(100_000, 32)).astype(np.float32)
    points = Points(vectors, cosine.row_norms(vectors))
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            SmallWorldSearch.build(points, HnswOptions())
    finally:
        timer.cancel()
