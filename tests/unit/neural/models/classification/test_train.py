"""Training of models of texts with labels: what selects the model, bad input, pairs."""

import dataclasses
import re

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import CorpusError, FormatError, OptionError
from firth.neural.models.classification.train import learned_labels
from firth.text.batches import TextsWarning
from tests.unit.neural.models.classification.tiny import SMALL, examples, pair_examples, trained, training_for

CNN = SMALL["cnn"]


def train(data, options=CNN, **arguments):
    return options.train(data, training=training_for(options), progress=False, **arguments)


def test_planted_words_are_learned():
    """New texts with the same planted words; chance is right in half of all cases."""
    assert trained().test(list(examples(60, seed=1)), progress=False).f1 > 0.95


def test_a_tenth_selects_the_model_and_is_not_trained_on():
    model = train(list(examples()))
    facts = model.metadata["training"]
    assert (facts["texts"], facts["held_out_texts"]) == (108, 12)
    assert facts["rows"][-1]["held_out_error"] <= 1
    given = train(list(examples()), held_out=[*examples(6, seed=2), ("the goal", "a label that is not learned")])
    assert (given.metadata["training"]["texts"], given.metadata["training"]["held_out_texts"]) == (120, 6)


def test_a_seed_determines_every_bit_and_a_run_resumes(tmp_path):
    first, second = (train(list(examples()), seed=5).module.state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    whole = CNN.train(list(examples()), training=training_for(CNN, epochs=2), progress=False, seed=5)

    def stop(row):
        raise KeyboardInterrupt

    how = {"training": training_for(CNN, epochs=2), "progress": False, "seed": 5, "checkpoint": tmp_path}
    with pytest.warns(UserWarning, match="interrupted"):
        CNN.train(list(examples()), callbacks=[stop], **how)
    resumed = CNN.train(list(examples()), **how)
    for name, tensor in whole.module.state_dict().items():
        assert torch.equal(resumed.module.state_dict()[name], tensor), name


def test_texts_without_label_or_words_are_left_out_and_long_ones_counted():
    options = dataclasses.replace(CNN, max_length=5)
    data = [*examples(), ("", "sport"), ("no label", ())]
    with pytest.warns(TextsWarning, match="have more than 5 words: the rest of them is not read") as found:
        model = train(data, options)
    facts = model.metadata["training"]
    assert facts["texts_left_out"] == 2
    assert facts["texts_truncated"] == found[0].message.count > 0


def test_several_labels_of_a_text_share_its_target():
    data = [(text, [label, "all"]) for text, label in examples()]
    with pytest.warns(UserWarning, match="108 of 108 texts have several labels"):
        model = train(data)
    assert model.labels == ["all", "news", "sport"]


@pytest.mark.parametrize(
    ("data", "labels", "message"),
    [
        ([("a b", "x")] * 20, None, "18 examples have one label only, 'x'; expected two or more"),
        (["a b", "c d"], ["x"], "1 labels for 2 texts; expected one per text"),
        (["a b", "c d"], None, "texts: 2 texts, none with a label"),
        (["", " "], None, "texts: no texts"),
        ([("", "x"), (" ", "y")], None, "every text with a label is empty"),
        ([(3, "x"), ("b", "y")], None, "expected a string"),
    ],
)
def test_bad_examples(data, labels, message):
    with pytest.raises((CorpusError, OptionError), match=message):
        train(data, labels=labels)


def test_held_out_texts_without_a_known_label_are_refused_by_name():
    held_out = [("the goal", label) for label in ("one", "two", "three", "four", "five", "six")]
    message = (
        "held_out: none of its labels ('one', 'two', 'three', 'four', 'five', ...) is one of the training examples; "
        "expected 'news', 'sport'"
    )
    with pytest.raises(CorpusError, match=re.escape(message)):
        train(list(examples()), held_out=held_out)


def pair_model(kind, data, **changes):
    options = dataclasses.replace(CNN, pairs=kind, **changes)
    return options.train(
        list(data), training=training_for(options, epochs=2, lr=0.01, optimiser="adam"), progress=False
    )


def test_swapping_a_pair_changes_nothing_but_for_entailment():
    pairs = [pair for pair, _ in pair_examples(10, seed=4)]
    swapped = [(b, a) for a, b in pairs]
    same = pair_model("paraphrase", pair_examples())
    assert np.array_equal(same.probabilities(pairs), same.probabilities(swapped))
    directed = pair_model("entailment", pair_examples())
    assert np.abs(directed.probabilities(pairs) - directed.probabilities(swapped)).max() > 1e-4


def test_related_pairs_have_scores():
    """Two words in common or none: 5 or 1, from the words themselves."""
    data = [(pair, "4.5" if label == "same" else "1.2") for pair, label in pair_examples()]
    model = pair_model("relatedness", data)
    assert model.labels == ["1", "2", "3", "4", "5"]
    assert "held_out_error" not in model.metadata["training"]["rows"][-1]  # the loss selects the model
    scores = model.relatedness([pair for pair, _ in data])
    assert scores == pytest.approx(model.probabilities([pair for pair, _ in data]) @ [1, 2, 3, 4, 5])
    assert scores.mean() == pytest.approx(np.mean([float(score) for _, score in data]), abs=0.5)
    with pytest.raises(CorpusError, match=r"score 5.5 of pair \d+: expected a number from 1 to 5"):
        pair_model("relatedness", [*data[:60], *[(pair, 5.5) for pair, _ in data[60:]]])
    with pytest.raises(CorpusError, match="expected a score per pair, such as"):
        pair_model("relatedness", pair_examples())


def test_pairs_in_a_table(tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = ["one\tother\tlabel", *(f"{a}\t{b}\t{label}" for (a, b), label in pair_examples())]
    path.write_text("\n".join(rows), encoding="utf-8")
    options = dataclasses.replace(CNN, pairs="paraphrase")
    model = train(path, options, column="one,other", labels="label")
    assert set(model.labels) == {"same", "other"}
    mappings = [{"one": a, "other": b, "label": label} for (a, b), label in pair_examples()]
    assert model.test(mappings, "label", column="one,other", progress=False) == model.test(
        path, "label", column="one,other", progress=False
    )
    with pytest.raises(CorpusError, match="second"):
        train(path, options, column="one,second", labels="label")
    with pytest.raises(FormatError, match=r"line 1: the label 'label' occurs nowhere else.*column='FIRST,SECOND'"):
        train([path], options)
    path.write_text("\n".join([*rows[1:], "a\tb\t-"]), encoding="utf-8")  # no header; the last pair has no gold label
    model = train([path], options)
    assert (set(model.labels), model.metadata["training"]["texts_left_out"]) == ({"same", "other"}, 1)
    assert model.test(path).texts == len(rows) - 1
    with pytest.raises(CorpusError, match="pairs with labels, expected scores"):
        train(path, dataclasses.replace(CNN, pairs="relatedness"))
    with pytest.raises(OptionError, match=r"expected column='FIRST,SECOND'"):
        train(path, options, column="one", labels="label")


@pytest.mark.parametrize("item", ["a b", ("a", "b", "c", "x"), (("a",), "x"), ((1, "b"), "x")])
def test_wrong_pairs(item):
    with pytest.raises(CorpusError, match="expected"):
        train([(("a", "b"), "x"), item], dataclasses.replace(CNN, pairs="paraphrase"))


def test_texts_with_several_labels_are_warned_of():
    learned, _ = learned_labels(CNN, [["a"], ["b"]], "texts")
    assert learned.names == ["a", "b"]
    with pytest.warns(UserWarning, match=r"1 of 3 texts have several labels.* TextClassifier\(loss='ova'\)"):
        learned_labels(CNN, [["a"], ["a", "b"], ["b"]], "texts")
    with pytest.warns(UserWarning, match=r"'a;b', look like several labels"):
        learned_labels(CNN, [["a;b"], ["b;a"], ["b"]], "texts")
