"""The choice of a text classifier by its accuracy on texts that it did not learn from."""

from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import firth
from firth.comparison import classifiers
from firth.errors import CorpusError, OptionError

FRUIT, TOOLS = ["apple", "pear", "plum", "fig"], ["saw", "axe", "adze", "plane"]
TEXTS = [f"a {adjective} {noun}" for adjective in ("red", "old", "big") for noun in (*FRUIT, *TOOLS)]
LABELS = ["fruit" if text.split()[-1] in FRUIT else "tool" for text in TEXTS]
ROWS = np.array([[1, 0.1]] * 4 + [[0.1, 1]] * 4, np.float32) + np.arange(8, dtype=np.float32)[:, None] / 100
VECTORS = firth.WordVectors([*FRUIT, *TOOLS], ROWS)


def choose(**options):
    return firth.choose_classifier(TEXTS, LABELS, threads=1, progress=False, **options)


def test_the_best_is_chosen_told_and_trained_on_all_texts(tmp_path):
    choice = choose()
    assert [score.name for score in choice.scores] == ["linear", "fasttext"]
    best = max(choice.scores, key=lambda score: score.accuracy)
    assert choice.name == best.name
    assert choice.classifier.metadata["training"]["texts"] == len(TEXTS)
    assert choice.classifier.metadata["choice"]["chosen"] == choice.name
    first, second, third = str(choice).splitlines()
    assert first == f"{choice.name} is best by 5-fold cross-validation on 24 texts; the most frequent label: 50.0 %"
    assert "linear over TF-IDF (--model linear)" in second
    assert "% right [" in third
    choice.classifier.save(tmp_path / "m")
    assert firth.load(tmp_path / "m").metadata["choice"] == choice.described()


def test_accuracy_is_that_of_the_folds():
    """A candidate that knows every text but one has an accuracy of 23 of 24."""
    wrong = TEXTS[3]

    class Known:
        metadata: ClassVar = {"training": {}}

        def predict(self, texts):
            return [[("x" if text == wrong else LABELS[TEXTS.index(text)], 1.0)] for text in texts]

    sizes = []

    def train(texts, labels, **run):
        sizes.append(len(texts))
        return Known()

    candidate = classifiers.Candidate("known", "knows", train)
    examples = classifiers.Examples([(text,) for text in TEXTS], [[label] for label in LABELS], "texts")
    splits, _ = classifiers.comparison_splits(examples, 0)
    score = classifiers._judge(candidate, examples, splits, {})
    assert score.accuracy == 23 / 24
    assert sum(len(test) for _, test in splits) == 24
    assert sum(24 - size for size in sizes) == 24  # each text is judged once


def test_ctrl_c_in_a_training_ends_the_comparison(monkeypatch):
    """A training that is interrupted returns what it has learned, which is not to be compared."""
    stopped = SimpleNamespace(metadata={"training": {"interrupted": True}})
    monkeypatch.setattr(firth.TextClassifier, "train", lambda *_, **__: stopped)
    with pytest.raises(KeyboardInterrupt):
        choose()
    with pytest.raises(KeyboardInterrupt):
        firth.classifier_curves(TEXTS, LABELS, models=["fasttext"], sizes=[15], progress=False)
    monkeypatch.setattr(firth.FastText, "train", lambda *_, **__: stopped)
    with pytest.raises(KeyboardInterrupt):
        choose(raw="text.txt", models=["linear"])


def test_vectors_bring_their_candidates():
    choice = choose(vectors=VECTORS, models=["linear", "averages", "both", "fasttext-vectors"])
    assert {score.name: score.problem for score in choice.scores} == dict.fromkeys(
        ["linear", "averages", "both", "fasttext-vectors"], ""
    )
    assert next(score.accuracy for score in choice.scores if score.name == "averages") == 1.0


def test_what_is_out_of_time_is_left_out_and_said(monkeypatch):
    monkeypatch.setattr(classifiers, "_judge", lambda c, *_: classifiers.CandidateScore(c.name, "", 0.9, 0.8, 1.0, 0))
    choice = choose(vectors=VECTORS, models=["linear", "averages", "both"], seconds=1e-9)
    assert [score.problem for score in choice.scores] == ["", "", "left out: 1e-09 seconds had passed"]


def test_many_texts_are_judged_on_a_tenth():
    texts = classifiers.Examples([("a",)] * 30_000, [["x"], ["y"]] * 15_000, "texts")
    ((train, test),), what = classifiers.comparison_splits(texts, 0)
    assert (len(train), len(test)) == (20_000, 2_000)
    assert not set(train.tolist()) & set(test.tolist())
    assert what == "2,000 held-out texts, after training on 20,000"


def test_a_choice_no_better_than_the_most_frequent_label_warns():
    texts = [f"word{i}" for i in range(20)]
    with pytest.warns(UserWarning, match="training ended no better than the most frequent label, 'a'"):
        firth.choose_classifier(texts, ["a"] * 15 + ["b"] * 5, threads=1, progress=False, models=["linear"])


def test_the_baseline_of_several_labels_is_the_share_of_texts_that_have_the_most_frequent_one():
    texts, labels = ["red apple", "green leaf", "red rose", "green sea"] * 5, [["warm", "all"], ["cold", "all"]] * 10
    with pytest.warns(UserWarning, match="several labels|ended no better than the most frequent label, 'all'"):
        choice = firth.choose_classifier(texts, labels, threads=1, progress=False, models=["linear"])
    assert choice.baseline == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": ["svm"]}, r"models=\['svm'\]: expected names among linear, fasttext; others read vectors"),
        ({"models": []}, "expected names among"),
        ({"vectors": VECTORS, "raw": "text.txt"}, "vectors and raw: word vectors are either given or learned"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(OptionError, match=message):
        choose(**options)


def test_one_label():
    with pytest.raises(CorpusError, match="2 texts have one label only, 'x'"):
        firth.choose_classifier(["a", "b"], ["x", "x"], progress=False)


def test_curves_by_size_on_held_out_texts():
    (curve,) = firth.classifier_curves(TEXTS * 3, LABELS * 3, models=["linear"], sizes=[1, 20, 57], progress=False)
    first, _, last = curve.points
    assert (curve.name, first.value, len(first.draws)) == ("linear", pytest.approx(0.5, abs=0.1), 3)  # one label alone
    assert last.value == 1.0


def test_curves_are_judged_on_given_texts():
    test = [("a red apple", "fruit"), ("a red saw", "new label"), ("unlabelled", [])]
    (curve,) = firth.classifier_curves(TEXTS, LABELS, test=test, models=["linear"], sizes=[24], progress=False)
    assert curve.points[0].value == 0.5


def test_a_linear_model_that_is_clearly_better_is_offered():
    advantage = classifiers.LinearAdvantage(model=0.6, linear=0.8, texts=100)
    assert advantage.advice.startswith("a linear model is better on 100 held-out texts: 80.0 % right, this kind 60.0 %")
    assert classifiers.LinearAdvantage(model=0.78, linear=0.8, texts=100).advice == ""

    def train(texts, labels, **run):
        return firth.TextClassifier(epochs=1, lr=1e-6, dim=2).train(texts, labels, **run)

    compared = classifiers.compared_with_linear(train, TEXTS, labels=LABELS, threads=1)
    assert compared.linear > compared.model
    assert "--model linear" in compared.advice
