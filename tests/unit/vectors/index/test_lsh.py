"""Hyperplanes: the chance to be parted, the buckets, and the order in which they are looked into."""

import numpy as np
import pytest

from firth.vectors import cosine, neighbours
from firth.vectors.index.lsh import HyperplaneSearch, hyperplanes, signatures
from firth.vectors.index.options import LshOptions
from firth.vectors.index.results import Points


def points_of(vectors):
    return Points(vectors, cosine.row_norms(vectors))


@pytest.fixture
def random_points():
    return points_of(np.random.default_rng(0).normal(size=(3000, 24)).astype(np.float32))


@pytest.mark.parametrize("degrees", [0, 10, 45, 60, 90, 135, 180])
def test_chance_of_the_same_side(degrees):
    """Charikar: P = 1 - t / pi, here over 10,000 hyperplanes and within four standard deviations, 0.02 at most."""
    angle = np.radians(degrees)
    two = np.zeros((2, 50), dtype=np.float32)
    two[0, 0], two[1, 0], two[1, 1] = 1, np.cos(angle), np.sin(angle)
    sides = two @ hyperplanes(10_000, 50, seed=3).T > 0
    expected = 1 - angle / np.pi
    assert np.mean(sides[0] == sides[1]) == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 1e4))


def test_signatures_by_hand():
    """Two tables of three hyperplanes: (+ - +) is 1 + 4 = 5, (- - -) is 0; (- + +) is 2 + 4 = 6, (+ - -) is 1."""
    projections = np.array([[1, -1, 2, -1, -1, 0], [-1, 3, 1, 2, -1, -2]], dtype=np.float32)
    assert signatures(projections, 3).tolist() == [[5, 0], [6, 1]]


def test_every_point_is_in_its_bucket(random_points):
    made = HyperplaneSearch.build(random_points, LshOptions(tables=3, bits=5)).tensors()
    rows = random_points.vectors / random_points.norms[:, None] - made["centre"]
    keys = signatures(rows @ made["planes"].T, 5)
    for table in range(3):
        bounds = zip(made["starts"][table], made["starts"][table][1:], strict=False)
        for key, (low, high) in enumerate(bounds):
            assert made["order"][table, low:high].tolist() == np.flatnonzero(keys[:, table] == key).tolist()


@pytest.mark.parametrize("probes", [1, 2, 7, 33, 64, 1000])
def test_the_likeliest_buckets_of_all_tables_are_looked_into(random_points, probes):
    """Against ranking every bucket of every table by the squared distances to the hyperplanes between."""
    options = LshOptions(tables=4, bits=6, probes=probes, seed=1)
    search = HyperplaneSearch.build(random_points, options)
    made = search.tensors()
    queries = cosine.unit(np.random.default_rng(1).normal(size=(9, 24)).astype(np.float32))
    found = search.search(queries, 5)
    projections = ((queries - made["centre"]) @ made["planes"].T).reshape(9, 4, 6)
    for query, projected in enumerate(projections):
        costs = []
        for table in range(4):
            for key in range(64):
                crossed = (projected[table] > 0) != (key >> np.arange(6) & 1 == 1)
                costs.append((float(np.sum(projected[table, crossed] ** 2)), table, key))
        chosen = sorted(costs)[: 4 * probes]  # a table's own bucket costs nothing
        rows = {
            row
            for _, table, key in chosen
            for row in made["order"][table, made["starts"][table, key] : made["starts"][table, key + 1]].tolist()
        }
        assert found.scanned[query] == len(rows)
        cosines = random_points.vectors @ queries[query] / random_points.norms
        best = sorted(rows, key=lambda row: -cosines[row])[:5]
        assert found.rows[query].tolist() == (best + [-1] * 5)[:5]
        assert found.scores[query][: len(best)] == pytest.approx(cosines[best], abs=1e-6)


def test_every_bucket_is_exact_search(random_points):
    search = HyperplaneSearch.build(random_points, LshOptions(tables=1, bits=4, probes=16))
    queries = np.random.default_rng(2).normal(size=(40, 24))
    rows, scores = neighbours.nearest(random_points.vectors, random_points.norms, queries, 20)
    found = search.search(cosine.unit(queries), 20)
    assert np.array_equal(found.rows, rows)
    assert found.scores == pytest.approx(scores, abs=1e-6)
    assert found.scanned.tolist() == [3000] * 40


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_precisions(random_points, dtype):
    vectors = random_points.vectors.astype(dtype)
    found = HyperplaneSearch.build(points_of(vectors), LshOptions(probes=10**4)).search(
        cosine.unit(random_points.vectors[:3]), 2
    )
    assert found.rows[:, 0].tolist() == [0, 1, 2]


def test_equals_and_zeros():
    """Duplicates come in the order of their rows; a zero vector has the cosine 0 with everything."""
    vectors = np.zeros((9, 3), dtype=np.float32)
    vectors[[2, 5, 7], 0] = [1, 2, 3]
    found = HyperplaneSearch.build(points_of(vectors), LshOptions(probes=100)).search(vectors[[2, 0]], 9)
    assert found.rows.tolist() == [[2, 5, 7, 0, 1, 3, 4, 6, 8], list(range(9))]
    assert found.scores.tolist() == [[1] * 3 + [0] * 6, [0] * 9]


def test_few_words_have_few_bits(random_points):
    def bits(count):
        part = Points(random_points.vectors[:count], random_points.norms[:count])
        return HyperplaneSearch.build(part, LshOptions()).options.bits

    assert [bits(count) for count in (0, 1, 5, 64, 3000)] == [1, 1, 1, 4, 10]


def test_the_seed_decides(random_points):
    one, same, other = (
        HyperplaneSearch.build(random_points, LshOptions(tables=2, seed=seed)).tensors()["order"] for seed in (0, 0, 1)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_answers_do_not_depend_on_the_batch(random_points):
    search = HyperplaneSearch.build(random_points, LshOptions(tables=4, bits=8, probes=4))
    queries = cosine.unit(np.random.default_rng(3).normal(size=(100, 24)).astype(np.float32))
    whole = search.search(queries, 5)
    for query in (0, 1, 50, 99):
        alone = search.search(queries[query : query + 1], 5)
        assert alone.rows[0].tolist() == whole.rows[query].tolist()
        assert alone.scanned[0] == whole.scanned[query]
