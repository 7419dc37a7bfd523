"""Few labels in a field of its own, on a small grammar."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth

SHORT = firth.TrainingOptions(epochs=4, batch_size=16, lr=0.003, optimiser="adamw", warmup=10)


def test_toy(recipe, tmp_path):
    """A transformer that goes on from an encoder of other text, and of its size, is a row; all rows are drawn."""
    work, figures, plot = tmp_path / "work", tmp_path / "figures.jsonl", tmp_path / "curves.png"
    other = firth.MaskedLM(dim=16, layers=1, heads=2, max_length=32).train(
        [" ".join(text) for text in recipe["toy_data"]()[0]], max_size=200, training=SHORT, progress=False
    )
    other.save(tmp_path / "other")
    recipe["main"](["--toy", "--work", str(work), "--models", "TF-IDF", "--results", str(figures)])
    began = ["--wikipedia", str(tmp_path / "other"), "--models", "TF-IDF", "transformer", "averaged"]
    _, rows = recipe["main"](["--toy", "--work", str(work), *began, "--plot", str(plot), "--results", str(figures)])
    names = {row["model"] for row in rows}
    transformers = ("from scratch", "reviews", "Wikipedia", "Wikipedia, then reviews")
    assert names == {"TF-IDF", "averaged vectors of reviews", *(f"transformer, {name}" for name in transformers)}
    assert all(row["interval"][0] <= row["accuracy"] <= row["interval"][1] for row in rows)
    assert min(row["accuracy"] for row in rows if row["labels"] == 200) > 80
    assert plot.stat().st_size > 10_000
    assert len(figures.read_text().splitlines()) == 2 + 2 + 3 + len(rows)
    assert json.loads(figures.read_text().splitlines()[0])["encoder"] == "from scratch"


def test_reviews_that_hold_a_sentence_of_a_test_are_left_out(recipe):
    texts = [["One.", "The film is GOOD!"], ["Two.", "Three."], ["the film, is good"]]
    assert recipe["raw_text"](texts, ["the film is good ."]) == (["Two. Three."], 2)


def test_intervals_are_of_seeds_and_sentences(recipe):
    random = np.random.default_rng(0)
    same = np.tile(random.random(400) < 0.8, (5, 1))
    low, high = recipe["interval"](same)
    assert high - low == pytest.approx(2 * 1.96 * 100 * (0.8 * 0.2 / 400) ** 0.5, rel=0.15)
    assert recipe["interval"](np.ones((2, 50), dtype=bool)) == [100, 100]
    low, high = recipe["interval"](np.repeat([[True], [False]], 400, axis=1))
    assert (low, high) == (0, 100)
