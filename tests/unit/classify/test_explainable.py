"""A classifier's answer as a function of its rows: probabilities, gradients and shares, against oracles."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from tests.planted import planted

TRAINING = [("good fine good film", "pos"), ("bad dull bad film", "neg"), ("odd film of two parts", "odd")] * 10
TEXT = "good dull film unseen"


def trained(**options):
    return firth.TextClassifier(dim=6, epochs=20, lr=0.5, **options).train(TRAINING, seed=1, threads=1)


@pytest.fixture(
    scope="module",
    params=[
        {},
        {"word_ngrams": 2, "buckets": 50},
        {"word_ngrams": 3, "min_n": 2, "max_n": 3, "buckets": 200},
        {"loss": "hierarchical"},
        {"loss": "ova"},
    ],
    ids=["words", "bigrams", "characters", "hierarchical", "ova"],
)
def classifier(request):
    return trained(**request.param)


def test_the_answer_is_that_of_predict(classifier):
    for label in classifier.labels:
        text = classifier.explainable(TEXT, label)
        expected = classifier.probabilities(TEXT)[classifier.labels.index(label)]
        assert np.exp(text.log_prob(text.rows[None])[0]) == pytest.approx(expected, rel=1e-5)
    assert classifier.explainable(TEXT).target == classifier.predict(TEXT)[0][0]


def test_every_row_belongs_to_tokens(classifier):
    text = classifier.explainable(TEXT)
    assert text.tokens == ["good", "dull", "film", "unseen", "</s>"]
    assert text.shares.shape == (5, len(text.rows))
    assert np.allclose(text.shares.sum(axis=0), 1)
    if classifier.map.max_n == 0:  # a word has its own row, and shares its bigrams
        row = classifier.inputs[classifier.words.index("dull")]
        assert (text.rows[text.shares[1] == 1] == row).all()


def test_gradients_are_finite_differences(classifier):
    text = classifier.explainable(TEXT, "pos")
    gradient = text.gradient(text.rows[None])[0]
    random = np.random.default_rng(0)
    for _ in range(5):
        direction = random.normal(size=text.rows.shape)
        ends = text.log_prob(np.stack([text.rows + 1e-5 * direction, text.rows - 1e-5 * direction]))
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx((gradient * direction).sum(), rel=1e-6, abs=1e-9)


def test_leaving_a_word_out_is_predicting_without_it(classifier):
    text = classifier.explainable(TEXT, "neg")
    number = classifier.labels.index("neg")
    words = TEXT.split()
    for place in range(len(words)):
        rest = " ".join(words[:place] + words[place + 1 :])
        expected = np.log(classifier.probabilities(rest)[number])
        assert text.log_probs_without()[place] == pytest.approx(expected, rel=1e-5)


def test_a_quantised_and_pruned_classifier():
    small = trained(word_ngrams=2, buckets=50).quantise(keep=12)
    text = small.explainable(TEXT, "pos")
    expected = small.probabilities(TEXT)[small.labels.index("pos")]
    assert np.exp(text.log_prob(text.rows[None])[0]) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("options", [{}, {"word_ngrams": 2, "buckets": 500}, {"loss": "ova"}], ids=str)
def test_planted_words_come_first(options):
    data = [(text, label) for text, label, _ in planted(400, seed=0, words=30, length=8, labels=3)]
    model = firth.TextClassifier(dim=8, epochs=30, lr=0.5, **options).train(data, seed=1, threads=1)
    for method in ("gradient-x-input", "integrated-gradients", "leave-one-out"):
        first = [
            firth.explain(model, text, method=method).top(1)[0][0] == key
            for text, _, key in planted(50, seed=1, words=30, length=8, labels=3)
        ]
        assert np.mean(first) >= 0.95, method


def test_integrated_gradients_sum_to_the_difference(classifier):
    for label in classifier.labels:
        explanation = firth.explain(classifier, TEXT, target=label)
        assert explanation.scores.sum() == pytest.approx(explanation.difference, abs=1e-3)


def test_what_cannot_be_explained():
    model = trained(min_count=2)
    with pytest.raises(OptionError, match="has no attention"):
        firth.explain(model, "good", method="attention")
    with pytest.raises(OptionError, match=r"target='x': expected a label .*: .*pos"):
        firth.explain(model, "good", target="x")
    with pytest.raises(OptionError, match="expected one of jacobian, gradient-x-input"):
        firth.explain(model, "good", method="shap")
    with pytest.raises(OptionError, match="expected 1 or 2"):
        firth.explain(model, "good", method="jacobian", norm=3)
    with pytest.raises(firth.errors.ArgumentTypeError, match="expected a classifier or a neural language model"):
        firth.explain(firth.WordVectors(["a"], np.eye(1)), "a")
    with pytest.raises(firth.errors.ArgumentTypeError, match="text"):
        firth.explain(model, ["good"])
