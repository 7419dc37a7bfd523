"""Sums of table rows and their gradients against plain loops."""

import numpy as np

from firth.kernels.transition_states import FEATURES, NODES
from firth.parsing.feature_sums import add_gradients, sum_rows
from tests.unit.parsing.states import LABELS, TAGS, WORDS, random_tables

PLACES = [slice(0, NODES), slice(NODES, 2 * NODES), slice(2 * NODES, FEATURES)]


def test_sums_and_gradients_are_those_of_single_rows():
    random, tables = np.random.default_rng(3), random_tables(2)[2][:3]
    sizes = zip((WORDS, TAGS, LABELS), PLACES, strict=True)
    parts = [random.integers(0, size + 1, (20, part.stop - part.start)) for size, part in sizes]
    features = np.concatenate(parts, axis=1).astype(np.int32)
    sums, gradients = np.empty((20, 6), np.float32), random.normal(size=(20, 6)).astype(np.float32)
    sum_rows(features, *tables, sums)
    changed, expected = [np.zeros_like(table) for table in tables], [np.zeros_like(table) for table in tables]
    add_gradients(features, gradients, *changed)
    for m in range(20):
        rows = [table[part[m, i], i] for table, part in zip(tables, parts, strict=True) for i in range(part.shape[1])]
        assert np.allclose(sums[m], np.sum(rows, axis=0), atol=1e-5)
        for table, part in zip(expected, parts, strict=True):
            for i in range(part.shape[1]):
                table[part[m, i], i] += gradients[m]
    assert all(np.allclose(one, other, atol=1e-5) for one, other in zip(changed, expected, strict=True))
