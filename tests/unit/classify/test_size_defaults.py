"""The options of a text classifier that follow from the size of its data."""

import logging

import pytest

import firth
from firth.classify.size_defaults import epochs

TEXTS = ["a red rose", "a green leaf"] * 100
LABELS = ["warm", "cold"] * 100


@pytest.mark.parametrize(
    ("texts", "words", "labels", "expected"),
    [
        (100, 1_000, 6, 100),
        (1_000, 10_000, 2, 40),
        (5_452, 55_000, 6, 22),
        (11_314, 3_400_000, 20, 14),  # at most 50 million words
        (1_000_000, 20_000_000, 2, 5),
        (0, 0, 2, 100),
    ],
)
def test_epochs(texts, words, labels, expected):
    assert epochs(texts, words, labels) == expected


def test_what_was_chosen_is_logged_and_kept_and_what_is_given_wins(caplog):
    with caplog.at_level(logging.INFO, "firth"):
        model = firth.TextClassifier(lr=0.3).train(TEXTS, LABELS, threads=1, progress=False)
    assert "epochs=100, word_ngrams=1, dim=100: chosen for 200 texts, 2 labels" in caplog.text
    options = model.metadata["training"]["options"]
    assert [options[name] for name in ("epochs", "lr", "word_ngrams", "dim")] == [100, 0.3, 1, 100]
    assert model.test(TEXTS, LABELS, progress=False).accuracy == 1.0  # fastText's five epochs end at chance


def test_pairs_of_words_from_three_hundred_texts():
    model = firth.TextClassifier(epochs=1, dim=2).train(TEXTS * 2, LABELS * 2, threads=1, progress=False)
    assert model.map.word_ngrams == 2
