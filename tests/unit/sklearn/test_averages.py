import pickle

import numpy as np
import polars
import pytest

import firth
from firth.corpus.encoded import Corpus
from firth.errors import ArgumentTypeError, OptionError
from firth.sklearn import AverageVectorizer, PPMIVectorizer

HOW = {"dim": 10, "min_count": 2, "random_state": 3}


def corpus(texts, tmp_path, **options):
    return Corpus.build({"text": texts}, cache=tmp_path, progress=False, min_count=2, **options)


def test_the_same_as_training_and_averaging_by_hand(passages, tmp_path):
    texts, _, others, _ = passages
    vectors = firth.Word2Vec(dim=10, epochs=1).train(corpus(texts, tmp_path), seed=3, threads=1)
    expected = firth.SentenceAverages.learn(vectors, texts)
    vectorizer = AverageVectorizer(**HOW, epochs=1).fit(texts)
    assert np.array_equal(vectorizer.vectors_.vectors, vectors.vectors)
    assert np.array_equal(vectorizer.transform(others), expected.encode(others))
    assert np.array_equal(
        AverageVectorizer(**HOW, epochs=1, weighting="mean").fit(texts).transform(others),
        firth.sentence_vectors(vectors, others, weighting="mean"),
    )


def test_ppmi_is_the_same_as_by_hand(passages, tmp_path):
    texts, _, others, _ = passages
    model = firth.AssociationVectors(dim=10, window=3)
    vectors = model.train(corpus(texts, tmp_path), seed=3, threads=1)
    vectorizer = PPMIVectorizer(**HOW, window=3).fit(texts)
    assert np.array_equal(vectorizer.vectors_.vectors, vectors.vectors)
    assert np.array_equal(vectorizer.transform(others), firth.SentenceAverages.learn(vectors, texts).encode(others))


def test_given_vectors_are_used_as_they_are(passages, tmp_path):
    """Means by hand: "the cat" is the mean of (1, 0) and (0, 2); a text without a known word is zero."""
    vectors = firth.WordVectors(["the", "cat"], np.array([[1, 0], [0, 2]], dtype=np.float32))
    vectorizer = AverageVectorizer(vectors=vectors, weighting="mean").fit(["anything"])
    assert vectorizer.vectors_ is vectors
    assert vectorizer.transform(["The CAT!", "cat dog", "the"]).tolist() == [[0.5, 1], [0, 2], [1, 0]]
    with pytest.warns(UserWarning, match="no known word"):
        assert vectorizer.transform(["dog"]).tolist() == [[0, 0]]
    vectors.save(tmp_path / "two.firth")
    from_file = AverageVectorizer(vectors=str(tmp_path / "two.firth"), weighting="mean").fit(["anything"])
    assert from_file.transform([["cat"]]).tolist() == [[0, 2]]


def test_another_model_is_trained_in_place_of_word2vec(passages):
    texts, *_ = passages
    model = firth.FastText(dim=8, epochs=1, buckets=1000)
    vectorizer = AverageVectorizer(vectors=model, weighting="mean", random_state=0).fit(texts[:300])
    assert isinstance(vectorizer.vectors_, firth.SubwordVectors)
    assert np.linalg.norm(vectorizer.transform(["presidentially"])) > 0  # a new word, by its n-grams


def test_options_without_effect_are_an_error():
    vectors = firth.WordVectors(["the"], np.ones((1, 2), dtype=np.float32))
    with pytest.raises(OptionError, match="dim=50 given with vectors="):
        AverageVectorizer(vectors=vectors, dim=50).fit(["the"])
    with pytest.raises(OptionError, match="min_count=1 given with vectors="):
        AverageVectorizer(vectors=vectors, min_count=1).fit(["the"])
    with pytest.raises(OptionError, match="weighting='median': expected one of mean, sif"):
        AverageVectorizer(weighting="median").fit(["the"])
    with pytest.raises(ArgumentTypeError, match="vectors=7 is an int; expected word vectors, their path, or options"):
        AverageVectorizer(vectors=7).fit(["the"])
    with pytest.raises(ValueError, match="dim=0: expected a whole number"):
        AverageVectorizer(dim=0).fit(["the"])


def test_columns_have_names(passages):
    texts, *_ = passages
    vectorizer = PPMIVectorizer(dim=3, random_state=0).set_output(transform="polars")
    table = vectorizer.fit_transform(texts[:300])
    assert isinstance(table, polars.DataFrame)
    assert table.columns == vectorizer.get_feature_names_out().tolist() == [f"ppmivectorizer{i}" for i in range(3)]


def test_a_pickled_estimator_gives_the_same(passages):
    texts, _, others, _ = passages
    vectorizer = PPMIVectorizer(dim=4, random_state=0).fit(texts[:300])
    assert np.array_equal(pickle.loads(pickle.dumps(vectorizer)).transform(others), vectorizer.transform(others))
