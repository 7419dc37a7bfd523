"""gensim's Doc2Vec beside ParagraphVectors: on the same documents with the same options, they serve a classifier alike.

The measure is the accuracy of the nearest class mean (cosine) on Reuters' 2,189 test documents, whose vectors are
inferred. Measured with gensim 4.4, seeds 1 to 3: see the test.
"""

import tarfile

import numpy as np
import pytest

import firth

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]  # gensim warns as it likes

POINTS = 0.02  # that the two may differ by
MODELS = {
    "dbow": ({"architecture": "dbow"}, {"dm": 0}),
    "dbow with words": ({"architecture": "dbow", "words": True}, {"dm": 0, "dbow_words": 1}),
    "dm": ({}, {"dm": 1}),
}


@pytest.fixture(scope="module")
def reuters(shared_data):
    """Documents and labels of the train and of the test part."""
    parts = []
    with tarfile.open(shared_data / "documents" / "r8.tar.gz") as files:
        for part in ("train", "test"):
            lines = files.extractfile(f"data/R8/{part}.txt").read().decode().splitlines()
            labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
            parts.append(([text.split() for text in texts], np.array(labels)))
    return parts


def accuracy(vectors, labels, unseen, truth):
    classes = sorted(set(labels))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    means = np.stack([unit[labels == each].mean(0) for each in classes])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    return np.mean(np.array(classes)[(unseen @ means.T).argmax(1)] == truth)


@pytest.mark.parametrize("name", MODELS)
def test_documents_are_classified_as_well_as_with_gensim(name, reuters, tmp_path):
    peer = pytest.importorskip("gensim.models.doc2vec", reason="compares with gensim: pip install gensim")
    ours, theirs = MODELS[name]
    (train, labels), (test, truth) = reuters
    corpus = firth.Corpus.build(train, cache=tmp_path)
    assert len(corpus) == len(train)
    found, expected = [], []
    for seed in (1, 2, 3):
        vectors = firth.ParagraphVectors(**ours).train(corpus, seed=seed, threads=2, progress=False)
        found.append(accuracy(vectors.vectors, labels, vectors.infer(test), truth))
        documents = [peer.TaggedDocument(words, [i]) for i, words in enumerate(train)]
        model = peer.Doc2Vec(
            documents, vector_size=100, min_count=5, sample=1e-3, epochs=10, workers=2, seed=seed, **theirs
        )
        unseen = np.array([model.infer_vector(words) for words in test])
        expected.append(accuracy(model.dv.vectors, labels, unseen, truth))
    assert np.mean(found) > np.mean(expected) - POINTS, (found, expected)
    assert np.mean(found) > 0.6
