"""Averages of words: the same bits from tokens and from bytes, whatever the vectors."""

import numpy as np
import pytest

import firth
from firth.sentences import averages as module
from firth.sentences import word_rows
from firth.sentences.averages import SentenceAverages

WORDS = ["the", "sea", "ship", "crew", "3.14", "straße", "strasse", "three", "東", "don't"]
TEXTS = [
    "The sea, the ship!",
    "",
    "unknown words alone",
    "the the the sea\nship",
    "Straße 3.14 東京 don't 3",
    "\x00 \r\n",
    "the\tship" * 50,
]


def space(dtype=np.float32, order="C"):
    rows = np.random.default_rng(0).normal(size=(len(WORDS), 7)).astype(dtype)
    return firth.WordVectors(WORDS, np.asarray(rows, order=order), counts=np.arange(len(WORDS), 0, -1))


def direction():
    row = np.random.default_rng(1).normal(size=7).astype(np.float32)
    return row / np.linalg.norm(row)


ENCODERS = {
    "mean": SentenceAverages(space(), "mean"),
    "sif": SentenceAverages(space(), "sif", direction=direction()),
    "whitespace": SentenceAverages(space(), "sif", tokens="whitespace"),
    "text8": SentenceAverages(space(), "mean", tokens="text8"),
    "float16": SentenceAverages(space(np.float16), "sif", direction=direction()),
    "float64": SentenceAverages(space(np.float64), "mean"),
    "by columns": SentenceAverages(space(order="F"), "mean"),
    "quantised": SentenceAverages(space().quantise("int8"), "sif"),
}


@pytest.mark.filterwarnings("ignore:.*have no known word")
@pytest.mark.parametrize("name", ENCODERS)
def test_bytes_and_tokens_give_the_same_bits(name, monkeypatch):
    encoder = ENCODERS[name]
    texts = TEXTS
    slow = encoder.encode(texts)
    monkeypatch.setattr(module, "COMPILED", 0)
    for batch_size in (3, 1000):
        assert encoder.encode(texts, batch_size=batch_size).tobytes() == slow.tobytes()


def test_by_hand():
    """("a" twice and "b" once) / 3, with weights 0.1 and 0.5: (2 * 0.1 * (1, 0) + 0.5 * (0, 3)) / 3."""
    vectors = firth.WordVectors(["a", "b"], np.array([[1, 0], [0, 3]], np.float32), counts=np.array([90, 10]))
    encoder = SentenceAverages(vectors, "sif", smoothing=0.1)
    lines = encoder.line_averages()
    found, without = lines.averages(b"a b a\n\nc\nb\n", 4)
    assert found == pytest.approx(np.array([[0.2 / 3, 0.5], [0, 0], [0, 0], [0, 1.5]]))
    assert without == 1


def test_tables_begin_anew_after_many_words(monkeypatch):
    monkeypatch.setattr(word_rows, "MOST_WORDS", 3)
    lines = SentenceAverages(space(np.float16), "mean").line_averages()
    texts = ["the sea", "ship crew sea", "crew don't", "the 東", "sea"]
    found = [lines.averages(f"{text}\n".encode(), 1)[0][0].copy() for text in texts]
    assert np.array(found).tobytes() == SentenceAverages(space(np.float16), "mean").encode(texts).tobytes()


def test_words_from_subwords_are_averaged(monkeypatch):
    vectors = firth.FastText(dim=6, epochs=1, buckets=50).train(["the sea the ship", "a ship"], min_count=1, threads=1)
    encoder = SentenceAverages(vectors, "sif")
    texts = ["the unseen ships", "seas"] * 3
    slow = encoder.encode(texts)
    assert slow.any(axis=1).all()
    monkeypatch.setattr(module, "COMPILED", 0)
    assert encoder.encode(texts).tobytes() == slow.tobytes()


def test_other_tokenisers_have_no_lines():
    assert SentenceAverages(space(), tokens=str.split).line_averages() is None
