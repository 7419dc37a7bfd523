"""The exact index, by cosine and by CSLS."""

import numpy as np
import pytest

from firth.vectors import cosine, csls, neighbours
from firth.vectors.index.exact import ExactSearch
from firth.vectors.index.options import ExactOptions
from firth.vectors.index.results import Points


@pytest.fixture
def points():
    vectors = np.random.default_rng(0).normal(size=(60, 6)) + 0.5
    return Points(vectors, cosine.row_norms(vectors))


def test_by_cosine(points):
    found = ExactSearch.build(points, ExactOptions()).search(cosine.unit(points.vectors[:5]), 4)
    rows, scores = neighbours.nearest(points.vectors, points.norms, points.vectors[:5], 4)
    assert np.array_equal(found.rows, rows)
    assert found.scores == pytest.approx(scores, abs=1e-15)
    assert found.scanned.tolist() == [60] * 5


def test_by_csls_against_two_loops(points):
    """A word is no neighbour of itself: its surroundings are the mean cosine of its 3 nearest other words."""
    unit = cosine.unit(points.vectors)
    around = [np.mean(sorted((float(x @ y) for j, y in enumerate(unit) if i != j), reverse=True)[:3])
              for i, x in enumerate(unit)]  # fmt: skip
    expected = np.array([[2 * float(x @ y) - around[i] - around[j] for j, y in enumerate(unit)]
                         for i, x in enumerate(unit)])  # fmt: skip
    found = ExactSearch.build(points, ExactOptions(csls=3)).search(unit, 60)
    assert np.array_equal(found.rows, np.argsort(-expected, axis=1))
    assert found.scores == pytest.approx(-np.sort(-expected, axis=1), abs=1e-12)


def test_a_query_from_outside_counts_all_words(points):
    query = cosine.unit(np.random.default_rng(1).normal(size=(1, 6)))
    found = ExactSearch.build(points, ExactOptions(csls=3)).search(query, 2)
    around = csls.surroundings(points.vectors, points.vectors, 3, own=True)
    cosines = cosine.unit(points.vectors) @ query[0]
    expected = 2 * cosines - around - np.sort(cosines)[-3:].mean()
    assert found.scores[0] == pytest.approx(-np.sort(-expected)[:2], abs=1e-12)
