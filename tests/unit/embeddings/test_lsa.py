"""Latent semantic analysis beside a dense decomposition, and documents folded in."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError, ShapeError


def table(corpus):
    f = np.zeros((len(corpus.vocabulary), len(corpus)))
    for j, document in enumerate(corpus):
        for word in document:
            f[corpus.vocabulary.ids[word], j] += 1
    return f


def weighted(f, weighting):
    if weighting == "counts":
        return f
    if weighting == "tf-idf":
        return f * np.log(f.shape[1] / (f > 0).sum(1))[:, None]
    p = f / f.sum(1)[:, None]
    entropy = (p * np.log(np.where(p > 0, p, 1))).sum(1) / np.log(f.shape[1])
    return np.log1p(f) * (1 + entropy)[:, None]


@pytest.mark.parametrize("weighting", ["log-entropy", "tf-idf", "counts"])
@pytest.mark.parametrize("exponent", [1.0, 0.5])
def test_words_and_documents_are_the_dense_ones(pairs, weighting, exponent):
    model = firth.LatentSemanticAnalysis(dim=6, weighting=weighting, exponent=exponent)
    vectors = model.train(pairs)
    u, s, vt = np.linalg.svd(weighted(table(pairs), weighting), full_matrices=False)
    wanted = u[:, :6] * s[:6] ** exponent
    signs = np.sign((vectors.vectors * wanted).sum(0))
    np.testing.assert_allclose(vectors.vectors, wanted * signs, atol=1e-4 * s[0] ** exponent)
    documents = model.documents(pairs, vectors)
    np.testing.assert_allclose(documents.vectors, vt[:6].T * s[:6] ** exponent * signs, atol=1e-4 * s[0] ** exponent)


def test_documents_lie_by_their_topic(pairs, built):
    model = firth.LatentSemanticAnalysis(dim=2)
    vectors = model.train(pairs)
    new = model.documents(
        built([["a1", "a2", "other"], ["b5", "b7", "b8"], ["a9"]]), vectors, names=["one", "two", "three"]
    )
    assert new.similarity("one", "three") > 0.9
    assert abs(new.similarity("one", "two")) < 0.3


def test_vectors_of_another_model(pairs):
    with pytest.raises(OptionError, match="come from another model"):
        firth.LatentSemanticAnalysis().documents(pairs, firth.WordVectors(["a"], [[1.0]]))
    vectors = firth.LatentSemanticAnalysis(dim=3).train(pairs)
    with pytest.raises(ShapeError, match="vectors of width 3, the options ask for dim=4"):
        firth.LatentSemanticAnalysis(dim=4).documents(pairs, vectors)
    with pytest.raises(OptionError, match="1 names for 2,000 documents"):
        firth.LatentSemanticAnalysis(dim=3).documents(pairs, vectors, names=["x"])


def test_more_components_than_documents(built):
    with pytest.raises(OptionError, match="dim=100 for 3 words and 2 contexts: expected at most dim=2"):
        firth.LatentSemanticAnalysis().train(built([["a", "b"], ["b", "c"]]))


def test_words_of_new_documents_are_found_in_other_forms(pairs, built):
    model = firth.LatentSemanticAnalysis(dim=2)
    vectors = model.train(pairs)
    plain, capital = (
        model.documents(built(documents), vectors).vectors
        for documents in ([["a1", "a2"], ["b5"]], [["A1", "A2"], ["B5"]])
    )
    assert plain.tobytes() == capital.tobytes()
