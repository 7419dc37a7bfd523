"""Neural classifiers beside TF-IDF: on planted words, and on public sets."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    """Sixty sentences with one of six planted words, in two of ten folds."""
    results = tmp_path / "rows.jsonl"
    rows = recipe["main"](["--toy", "--folds", "2", "--epochs", "6", "--results", str(results)])
    assert [row["model"] for row in rows] == ["TF-IDF", "cnn"]
    assert {row["tested"] for row in rows} == {12}
    assert rows[1]["accuracy"] > 75
    assert rows[1]["above_tfidf"] == pytest.approx(rows[1]["accuracy"] - rows[0]["accuracy"], abs=0.02)
    assert [json.loads(line) for line in results.read_text().splitlines()] == rows


@pytest.mark.experiment
def test_trec(recipe, shared_data):
    """Kim 2014, table 2: 91.2 with random vectors; TF-IDF has 89."""
    rows = recipe["main"]([str(shared_data / "sentence" / "sentclass" / "TREC.test.all"), "--epochs", "8"])
    assert rows[1]["tested"] == 500
    assert rows[1]["accuracy"] >= 90


@pytest.mark.experiment
def test_reviews_by_their_characters(recipe, shared_data):
    """Nine layers reach 92.5; words with TF-IDF 94."""
    rows = recipe["main"]([str(shared_data / "sentence" / "pros_cons.zip"), "--models", "vdcnn-9", "--epochs", "4"])
    assert rows[0]["accuracy"] > 93.5
    assert rows[1]["accuracy"] >= 92.5
