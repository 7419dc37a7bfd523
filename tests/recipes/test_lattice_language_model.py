"""Lattices beside LSTMs: figures of both, and their speed."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    rows = recipe["main"](["--toy", "--save", str(tmp_path)])
    bits = {row["model"]: row["bits_per_character"] for row in rows}
    assert bits.keys() == {"lstm", "lattice", "words", "words-senses"}
    assert all(0 < value < 8 for value in bits.values())
    assert all(len(row["valid"]) == row["epochs"] for row in rows)
    assert json.dumps(rows)
    assert (tmp_path / "lattice" / "config.json").exists()


def test_speed(recipe):
    rows = recipe["main"](["--toy", "--speed", "--models", "lstm", "lattice"])
    assert rows[0]["times_lstm"] == 1
    assert rows[1]["characters_per_cpu_second"] > 0


def test_short_texts_are_refused(recipe, tmp_path):
    (tmp_path / "text.txt").write_text("too short")
    with pytest.raises(SystemExit, match="the text has 10 characters"):
        recipe["main"](["--text", str(tmp_path / "text.txt")])
