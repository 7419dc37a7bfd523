"""Paragraph vectors of 2,000 film reviews: a review is found again by its text, and praise is told from blame."""

import zipfile

import numpy as np
import pytest

import firth


@pytest.fixture(scope="module")
def reviews(shared_data):
    """Texts in random order, and whether each is praise."""
    with zipfile.ZipFile(shared_data / "sentence" / "movie_reviews" / "movie_reviews.zip") as files:
        names = sorted(name for name in files.namelist() if name.endswith(".txt") and "/cv" in name)
        texts = [files.read(name).decode("latin-1") for name in names]
    order = np.random.default_rng(0).permutation(len(texts))
    return [texts[i] for i in order], np.array(["/pos/" in names[i] for i in order])


@pytest.fixture(scope="module")
def corpus(reviews, tmp_path_factory):
    cache = tmp_path_factory.mktemp("reviews")
    return firth.Corpus.build(reviews[0][:1600], sentences="text", keep_empty=True, cache=cache)


@pytest.mark.parametrize(("options", "least"), [({"architecture": "dbow"}, 0.70), ({}, 0.65)], ids=["dbow", "dm"])
def test_what_is_learned_of_reviews(options, least, reviews, corpus):
    """The last 400 are inferred; the halves on either side of the middle are right for 0.77 (dbow) and 0.73 (dm)."""
    texts, praise = reviews
    assert len(corpus) == 1600
    vectors = firth.ParagraphVectors(epochs=10, **options).train(corpus, threads=2, progress=False)
    again = vectors.infer(texts[:200])
    found = [name for ((name, _),) in vectors.most_similar([[v] for v in again], topn=1)]
    assert np.mean([name == str(i) for i, name in enumerate(found)]) > 0.95  # measured: 1.00
    unit = vectors.vectors / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)
    direction = unit[praise[:1600]].mean(0) - unit[~praise[:1600]].mean(0)
    sides = np.concatenate([unit, vectors.infer(texts[1600:])]) @ direction
    right = (sides[1600:] > np.median(sides[1600:])) == praise[1600:]
    print(f"right: {right.mean():.3f}")
    assert right.mean() > least
