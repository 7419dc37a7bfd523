import io
import os
import pickle

import joblib
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

import firth
import firth.sklearn
from firth.errors import ArgumentTypeError, CorpusError, ShapeError
from firth.sklearn import AverageVectorizer, FastTextClassifier, LanguageModelFeatures, LSAVectorizer, PhraseJoiner
from firth.sklearn.base import seed_of, texts_of

TEXTS = ["the cat sat", "on the mat", "the dog"]


@pytest.mark.parametrize(
    "X",
    [
        TEXTS,
        tuple(TEXTS),
        iter(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pandas.Series(TEXTS, index=[5, 5, 7]),
        polars.Series(TEXTS),
        pyarrow.array(TEXTS),
    ],
    ids=lambda X: type(X).__name__,
)
def test_texts_come_in_every_container(X):
    assert texts_of(X) == TEXTS


def test_token_lists_are_texts():
    assert texts_of([["the", "cat"], ("a", "dog"), []]) == [["the", "cat"], ["a", "dog"], []]


def test_other_input_is_refused_with_the_reason():
    table = pandas.DataFrame({"text": TEXTS, "stars": [1, 2, 3]})
    for X, message in [
        ("the cat", "put a text into a list"),
        (table, "columns 'text', 'stars'.*pass one of its columns"),
        (np.array([TEXTS]).T, r"shape \(3, 1\).*'text' in place of \['text'\]"),
        (csr_array(np.eye(2)), "shape|list of texts"),
        (np.eye(2), r"shape \(2, 2\)"),
        ([*TEXTS, None], r"X\[3\]=None is NoneType, X\[0\] is str.*fill in missing values"),
        ([*TEXTS, ["a"]], r"X\[3\]"),
        ([1.5, 2.5], r"X\[0\]=1.5 is a float"),
        (None, "X=None"),
    ]:
        with pytest.raises((ArgumentTypeError, ShapeError), match=message):
            texts_of(X)
        with pytest.raises((ValueError, TypeError)):
            LSAVectorizer().fit(X)


def test_texts_that_look_like_files_are_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("something else entirely", encoding="utf-8")
    vectorizer = LSAVectorizer(dim=1, min_count=1, tokens="whitespace").fit(["a.txt", "b.txt", "a.txt b.txt"])
    assert sorted(vectorizer.vectors_.words) == ["a.txt", "b.txt"]


def test_no_texts_are_an_error():
    with pytest.raises(CorpusError, match="empty"):
        LSAVectorizer().fit([])
    with pytest.raises(ValueError, match="min_count"):
        LSAVectorizer(dim=1, min_count=2).fit(["rare words only"])


def test_training_leaves_the_cache_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    LSAVectorizer(dim=1, min_count=1).fit(TEXTS)
    assert list(tmp_path.iterdir()) == []


def test_seeds():
    """A number is firth's seed; a generator gives another seed each time; with None seeds differ."""
    assert [seed_of(7), seed_of(7)] == [7, 7]
    random = np.random.RandomState(0)
    assert seed_of(random) != seed_of(random)
    assert seed_of(np.int64(3)) == 3
    assert seed_of(None) != seed_of(None)


def test_n_jobs_as_in_scikit_learn():
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert [LSAVectorizer(n_jobs=n)._threads() for n in (None, 1, 3)] == [1, 1, 3]
    assert LSAVectorizer(n_jobs=-1)._threads() == processors


def test_clones_share_given_models_and_forget_what_was_learned():
    vectors = firth.WordVectors(["the", "cat"], np.eye(2, dtype=np.float32))
    fitted = AverageVectorizer(vectors=vectors, weighting="mean").set_output(transform="pandas").fit(TEXTS)
    twin = clone(fitted)
    assert twin.vectors is vectors
    assert not hasattr(twin, "vectors_")
    assert isinstance(twin.fit_transform(TEXTS), pandas.DataFrame)
    twin.set_output(transform="default")
    assert isinstance(fitted.transform(TEXTS), pandas.DataFrame)


def test_a_data_frame_through_a_column_transformer(passages):
    texts, *_ = passages
    table = pandas.DataFrame({"text": texts[:300], "length": list(map(len, texts[:300]))})
    columns = ColumnTransformer(
        [("lsa", LSAVectorizer(dim=5, random_state=0), "text"), ("length", StandardScaler(), ["length"])]
    )
    result = columns.set_output(transform="pandas").fit_transform(table)
    assert list(result.columns) == [*(f"lsa__lsavectorizer{i}" for i in range(5)), "length__length"]
    assert np.array_equal(result.iloc[:, :5], LSAVectorizer(dim=5, random_state=0).fit_transform(texts[:300]))


def test_a_pipeline_with_phrases_features_and_grid_search(passages):
    """Folds of passages of five parts: better vectors give a better score, and the search chooses them."""
    texts, labels, others, answers = passages
    features = make_union(LSAVectorizer(random_state=0), LanguageModelFeatures(order=2, discount_fallback=True))
    pipeline = make_pipeline(
        PhraseJoiner(threshold=20.0), features, StandardScaler(), LogisticRegression(C=0.1, max_iter=200)
    )
    grid = {"featureunion__lsavectorizer__dim": [2, 40]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(texts[:600], labels[:600])
    assert search.best_params_ == {"featureunion__lsavectorizer__dim": 40}
    assert search.score(others, answers) > 0.34  # the most frequent part: 0.28
    names = search.best_estimator_[:2].get_feature_names_out()
    assert [names[0], names[-1], len(names)] == [
        "lsavectorizer__lsavectorizer0",
        "languagemodelfeatures__perplexity",
        42,
    ]
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert again.predict(others).tolist() == search.predict(others).tolist()


@pytest.mark.filterwarnings("ignore:training ended")  # after one epoch
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_joblib_stores_fitted_estimators(passages, n_jobs):
    texts, labels, others, _ = passages
    model = FastTextClassifier(dim=5, epochs=1, buckets=100, n_jobs=n_jobs).fit(texts[:200], labels[:200])
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    assert np.array_equal(joblib.load(file).predict_proba(others), model.predict_proba(others))


def test_no_texts_are_an_error_about_x():
    with pytest.raises(firth.FirthError, match="X is empty, a list of 0 texts; expected one text or more"):
        firth.sklearn.AverageVectorizer(dim=2).fit([])


def test_partial_fit_is_answered():
    estimator = firth.sklearn.FastTextClassifier()
    assert not hasattr(estimator, "partial_fit")
    with pytest.raises(AttributeError, match=r"use fit on all texts, or train\(text, start=vectors\)"):
        estimator.partial_fit(["a"], ["b"])
