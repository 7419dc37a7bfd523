"""Vectors of associations beside a dense decomposition."""

import numpy as np
import pytest

import firth
from firth.counts.association import correlation, pmi
from firth.errors import OptionError


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRTH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def dense_vectors(matrix, first, last, exponent):
    u, s, _ = np.linalg.svd(matrix.toarray(), full_matrices=False)
    return u[:, first:last] * s[first:last] ** exponent


def same_up_to_signs(one, other, atol=1e-6):
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=atol)


def test_ppmi_vectors_are_the_dense_ones(pairs):
    counts = firth.Cooccurrence(window=5, weights="ramped").count(pairs)
    model = firth.AssociationVectors(dim=15, drop=1, shift=2.0, smoothing=0.5)
    wanted = dense_vectors(pmi(counts, shift=2.0, smoothing=0.5), 1, 16, 0.5)
    made = model.train(pairs)
    same_up_to_signs(made.vectors, wanted)
    assert made.output_vectors.shape == made.vectors.shape
    assert made.vectors.tobytes() == model.train(counts, threads=1).vectors.tobytes()


def test_coals_vectors_are_the_dense_ones(pairs):
    counts = firth.Cooccurrence(window=4, weights="ramped").count(pairs)
    made = firth.AssociationVectors(association="correlation", dim=10, contexts=30, exclude_frequent=2).train(pairs)
    same_up_to_signs(made.vectors, dense_vectors(correlation(counts)[:, 2:32], 0, 10, 1.0))
    assert made.output_vectors is None


def test_capped_counts_are_the_dense_ones(zipf):
    counts = firth.Cooccurrence(window=3, weights="flat").count(zipf)
    made = firth.AssociationVectors(association="counts", dim=2, window=3, weights="flat", cap=100.0).train(zipf)
    x = counts.to_scipy().toarray()
    assert (x > 100).any()
    u, s, _ = np.linalg.svd(np.minimum(x, 100))
    same_up_to_signs(made.vectors, u[:, :2] * s[:2], atol=1e-5 * s[0] ** 2)


def test_words_of_one_topic_lie_together(pairs):
    for association in ("ppmi", "correlation"):
        vectors = firth.AssociationVectors(association=association, dim=5).train(pairs)
        assert all(word.startswith("b") for word, _ in vectors.most_similar("b1", topn=15))


def test_facts_are_kept(pairs, tmp_path):
    firth.AssociationVectors(dim=5).train(pairs, seed=3).save(tmp_path / "v")
    facts = firth.load(tmp_path / "v").metadata["training"]
    assert facts["options"]["window"] == facts["counts"]["window"] == 5
    assert (facts["seed"], facts["unit"], facts["interrupted"]) == (3, "cells", False)
    assert facts["singular_values"] == sorted(facts["singular_values"], reverse=True)


def test_more_components_than_words(pairs):
    with pytest.raises(OptionError, match=r"dim=39 and drop=5 for 40 words and 40 contexts: expected at most dim=35"):
        firth.AssociationVectors(dim=39, drop=5).train(pairs)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"shift": 0.0}, "shift=0"),
        ({"smoothing": 2.0}, "smoothing=2"),
        ({"exponent": -1.0}, "exponent=-1"),
        ({"cap": 0.0}, "cap=0"),
        ({"association": "pmi"}, "association='pmi'"),
        ({"association": "correlation", "shift": 2.0}, "they are for association='ppmi' only"),
    ],
)
def test_options_out_of_range(wrong, said):
    with pytest.raises(OptionError, match=said):
        firth.AssociationVectors(**wrong)
