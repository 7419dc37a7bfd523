import numpy as np
import pandas
import pytest

import firth
from firth.errors import ArgumentTypeError, OptionError
from firth.sklearn import LanguageModelFeatures

TEXTS = ["a b", "a c", "a b c"]


def test_log_probabilities_by_hand():
    """Add-1 unigrams of a b, a c, a b c: a 3, b 2, c 2, </s> 3 of 10 tokens, with <unk> 5 words: p(a) = 4 / 15."""
    how = {"order": 1, "smoothing": "add-k", "min_count": 1, "features": ("log_prob", "mean_log_prob", "perplexity")}
    features = LanguageModelFeatures(**how).fit(TEXTS)
    total = np.log(4 / 15) + np.log(3 / 15) + np.log(4 / 15)  # a, b, </s>
    assert features.transform(["a b"]) == pytest.approx(np.array([[total, total / 3, np.exp(-total / 3)]]))
    end = np.log(4 / 15)
    assert features.transform([""]) == pytest.approx(np.array([[end, end, np.exp(-end)]]))


def test_the_same_as_firths_model(passages):
    texts, _, others, _ = passages
    features = LanguageModelFeatures(order=3).set_output(transform="pandas").fit(texts)
    table = features.transform(others)
    model = firth.NgramLM(order=3).train({"text": texts}, sentences="text", threads=1)
    scores = model.score(others)
    assert isinstance(table, pandas.DataFrame)
    assert table["log_prob"].tolist() == [score.total for score in scores]
    assert table["perplexity"].tolist() == [score.perplexity for score in scores]
    # Passages in the wrong order are less probable.
    turned = features.transform([" ".join(reversed(text.split())) for text in others])
    assert (turned["log_prob"] < table["log_prob"]).mean() > 0.9


def test_a_given_model_is_used(tmp_path):
    model = firth.NgramLM(order=1, smoothing="add-k", eos=False).train(TEXTS, min_count=1)
    features = LanguageModelFeatures(model=model, features=["perplexity"]).fit(["other texts"])
    assert features.model_ is model
    assert features.transform([["a"], []]) == pytest.approx(np.array([[11 / 4], [1.0]]))  # p(a) = (3 + 1) / (7 + 4)
    model.save(tmp_path / "lm")
    assert LanguageModelFeatures(model=str(tmp_path / "lm")).fit([]).transform(["a"]).shape == (1, 2)


def test_wrong_parameters():
    with pytest.raises(OptionError, match="expected a list of log_prob, mean_log_prob, perplexity"):
        LanguageModelFeatures(features=("loss",)).fit(TEXTS)
    model = firth.NgramLM(order=1, smoothing="add-k").train(TEXTS, min_count=1)
    with pytest.raises(OptionError, match="order=2 given with model="):
        LanguageModelFeatures(model=model, order=2).fit(TEXTS)
    with pytest.raises(ArgumentTypeError, match="model="):
        LanguageModelFeatures(model=7).fit(TEXTS)
    with pytest.raises(OptionError, match=r"discount_fallback|too"):
        LanguageModelFeatures(min_count=1).fit(TEXTS)
