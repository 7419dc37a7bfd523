import numpy as np
import pandas
import pytest
from sklearn import config_context
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import firth
from firth.sklearn import LSAVectorizer, PhraseJoiner

TEXTS = ["I love New York.", "New York is big", "a car is big and York Minster"] * 10


def test_phrases_are_joined():
    joiner = PhraseJoiner(threshold=0.5, scoring="npmi", min_count=11).fit(TEXTS)
    assert joiner.transform(["In New York; new, york"]) == ["in new_york new_york"]
    assert joiner.transform([["new", "york"], ["new", "car"]]) == [["new_york"], ["new", "car"]]
    table = firth.Phrases(threshold=0.5, scoring="npmi", min_count=11).learn({"text": TEXTS}, threads=1)
    assert list(joiner.phrases_) == list(table)


def test_joined_texts_go_through_a_pipeline():
    pipeline = make_pipeline(PhraseJoiner(threshold=0.5, scoring="npmi", min_count=11), CountVectorizer())
    pipeline.fit(TEXTS)
    assert "new_york" in pipeline.get_feature_names_out()
    vectors = make_pipeline(
        PhraseJoiner(threshold=0.5, scoring="npmi", min_count=11), LSAVectorizer(dim=2, random_state=0)
    )
    table = vectors.set_output(transform="pandas").fit_transform(np.array(TEXTS))
    assert isinstance(table, pandas.DataFrame)
    assert "new_york" in vectors[-1].vectors_
    assert vectors.get_feature_names_out().tolist() == ["lsavectorizer0", "lsavectorizer1"]


def test_the_output_stays_texts():
    with config_context(transform_output="pandas"):
        assert PhraseJoiner(threshold=0.5, scoring="npmi", min_count=11).fit_transform(TEXTS)[0] == "i love new_york"
    assert PhraseJoiner().get_feature_names_out().tolist() == ["text"]
    assert PhraseJoiner().get_feature_names_out(["body"]).tolist() == ["body"]


def test_wrong_options_are_an_error_of_fit():
    with pytest.raises(ValueError, match="scoring='best'"):
        PhraseJoiner(scoring="best").fit(TEXTS)
