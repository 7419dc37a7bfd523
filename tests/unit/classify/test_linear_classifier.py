"""The linear classifier: what it learns, says, saves and explains; bad input."""

import numpy as np
import pytest

import firth
from firth.errors import CorpusError, OptionError
from firth.vectors.word_vectors import WordVectors

TEXTS = ["ripe apple", "sharp saw", "ripe pear", "sharp axe", "sweet apple", "heavy axe"] * 3
LABELS = ["fruit", "tool"] * 9
VECTORS = WordVectors(
    ["apple", "pear", "plum", "saw", "axe", "adze"],
    np.array([[1, 0.1], [1, 0.2], [1, 0.15], [0.1, 1], [0.2, 1], [0.15, 1]], dtype=np.float32),
)


@pytest.fixture(scope="module")
def model():
    return firth.LinearClassifier().train(TEXTS, LABELS, progress=False)


def test_predictions_and_scores(model):
    assert [row[0][0] for row in model.predict(["a ripe plum", "the saws"])] == ["fruit", "tool"]
    assert model.test(TEXTS, LABELS, progress=False).accuracy == 1.0
    probabilities = model.probabilities(["apple", "", "zzz"])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(probabilities[1:], 0.5, atol=0.01)  # of texts without a known word
    assert model.predict("saw", k=2)[0][0] == "tool"


def test_saved_and_opened_again(model, tmp_path):
    model.save(tmp_path / "m.firth")
    opened = firth.load(tmp_path / "m.firth")
    np.testing.assert_array_equal(opened.probabilities(TEXTS[:4]), model.probabilities(TEXTS[:4]))
    assert opened.metadata["training"]["options"]["c"] == 20


def test_is_a_logistic_regression_over_the_rows():
    """The gradient of the penalised loss is nearly zero where training stopped."""
    model = firth.LinearClassifier(max_n=0, c=5.0).train(TEXTS, LABELS, progress=False)
    rows, n = model.features.rows(TEXTS).toarray(), len(TEXTS)
    targets = np.array([model.labels.index(label) for label in LABELS])
    difference = model.coefficients[1] - model.coefficients[0]
    residual = model.probabilities(TEXTS)[:, 1] - targets
    np.testing.assert_allclose(rows.T @ residual / n + difference / (5.0 * n), 0, atol=3e-3)


def test_averages_know_words_that_no_text_has(tmp_path):
    model = firth.LinearClassifier(features="averages").train(TEXTS, LABELS, vectors=VECTORS, progress=False)
    assert [row[0][0] for row in model.predict(["plum", "adze"])] == ["fruit", "tool"]
    both = firth.LinearClassifier().train(TEXTS, LABELS, vectors=VECTORS, progress=False)
    assert both.metadata["training"]["options"]["features"] == "both"
    both.save(tmp_path / "m.firth")
    opened = firth.load(tmp_path / "m.firth")
    np.testing.assert_array_equal(opened.probabilities(["ripe plum"]), both.probabilities(["ripe plum"]))


def test_several_labels_are_independent():
    texts = ["ripe apple", "sharp saw", "apple saw"] * 6
    with pytest.warns(UserWarning, match="6 of 18 texts have several labels, and each label is learned on its own"):
        model = firth.LinearClassifier().train(texts, [["fruit"], ["tool"], ["fruit", "tool"]] * 6, progress=False)
    fruit, both = model.probabilities("ripe apple"), model.probabilities("apple saw")
    assert both.min() > 0.5
    assert fruit.max() > 0.5 > fruit.min()


@pytest.mark.parametrize("method", ["integrated-gradients", "leave-one-out", "gradient-x-input", "jacobian"])
@pytest.mark.parametrize("vectors", [None, VECTORS])
def test_explanations_name_the_word(method, vectors):
    model = firth.LinearClassifier().train(TEXTS, LABELS, vectors=vectors, progress=False)
    explanation = firth.explain(model, "the unheard saw", method=method)
    assert (explanation.target, explanation.top(1)[0][0]) == ("tool", "saw")
    assert explanation.probability == pytest.approx(model.probabilities("the unheard saw").max(), rel=1e-4)
    with pytest.raises(OptionError, match="linear and has no attention"):
        firth.explain(model, "saw", method="attention")


def test_class_weights_lift_the_rare_label():
    """Ten texts of one label to one of the other, all alike but for one word."""
    texts, labels = ["same word"] * 10 + ["same other"], ["often"] * 10 + ["rare"]
    plain = firth.LinearClassifier(c=0.1).train(texts, labels, progress=False)
    balanced = firth.LinearClassifier(c=0.1, class_weights="balanced").train(texts, labels, progress=False)
    assert plain.probabilities("same")[0] > 0.8
    assert balanced.probabilities("same")[0] == pytest.approx(0.5, abs=0.1)
    assert balanced.predict("other")[0][0] == "rare"


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a b", "c"], ["x", "x"], "2 texts have one label only, 'x'"),
        (["a", "b"], [[], []], "2 texts, none with a label and a word"),
        (["", " "], ["x", "y"], "2 texts, none with a label and a word"),
    ],
)
def test_bad_input(texts, labels, message):
    with pytest.raises(CorpusError, match=message):
        firth.LinearClassifier().train(texts, labels, progress=False)


def test_averages_need_vectors():
    with pytest.raises(OptionError, match="features='averages' without vectors: expected vectors="):
        firth.LinearClassifier(features="averages").train(TEXTS, LABELS, progress=False)


def test_a_very_long_text_and_one_example_of_a_label():
    texts = [*TEXTS, " ".join(["word"] * 30_000)]
    model = firth.LinearClassifier().train(texts, [*LABELS, "once"], progress=False)
    assert model.predict(" ".join(["word"] * 30_000))[0][0] == "once"
