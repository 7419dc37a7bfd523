"""Recall, and the queries that it is taken with."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.vectors.index import trial
from firth.vectors.index.trial import hold_out_words, recall, try_indexes


@pytest.fixture
def vectors():
    words = [f"w{i}" for i in range(2000)]
    return firth.WordVectors(words, np.random.default_rng(0).normal(size=(2000, 16)).astype(np.float32))


def test_recall_by_hand():
    """Of (1, 2, 3) the index found 1 and 3, of (4, 5, 6) only 6: three of six."""
    assert recall(np.array([[3, 9, 1], [6, -1, -1]]), np.array([[1, 2, 3], [4, 5, 6]])) == 0.5


def test_queries_are_no_points_of_the_index(vectors):
    rest, asked = hold_out_words(vectors, 300, seed=1)
    assert (len(rest), len(asked)) == (1700, 300)
    assert not {row.tobytes() for row in rest.vectors} & {row.tobytes() for row in asked}
    for word in rest.words[::100]:
        assert np.array_equal(rest[word], vectors[word])
    again, _ = hold_out_words(vectors, 300, seed=1)
    assert again.words == rest.words
    assert hold_out_words(vectors, 300, seed=2)[0].words != rest.words


def test_a_trial(vectors):
    choices = [
        ("exact", {}),
        ("lsh", {"tables": 4, "bits": 8, "probes": 1}),
        ("lsh", {"tables": 4, "bits": 8, "probes": 256}),
    ]
    exact, poor, whole = try_indexes(vectors, choices, queries=100, k=5)
    assert (exact.recall, exact.scanned, exact.megabytes) == (1, 1, 0)
    assert (whole.recall, whole.scanned) == (1, 1)
    assert poor.recall < 0.8
    assert poor.scanned < 0.2
    assert poor.build_seconds == whole.build_seconds  # one index, asked with another effort
    assert (poor.words, poor.dim, poor.queries, poor.k) == (1900, 16, 100, 5)
    # 4 tables of 1,900 rows and of 257 beginnings, the normals of 4 8 hyperplanes and the centre, 4 bytes each.
    assert poor.megabytes == pytest.approx(4 * (4 * (1900 + 257) + (4 * 8 + 1) * 16) / 1e6)


def test_choices_without_usearch(monkeypatch):
    monkeypatch.setattr(trial, "find_spec", lambda _: None)
    kinds = {kind for kind, _ in trial.usual_choices()}
    assert kinds == {"exact", "lsh"}


@pytest.mark.parametrize("queries", [0, 1999, 5000])
def test_too_few_words(vectors, queries):
    with pytest.raises(OptionError, match="of 2000 words: expected from 1 to 1998"):
        hold_out_words(vectors, queries)
