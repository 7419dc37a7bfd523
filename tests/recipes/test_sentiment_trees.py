"""The recipe on a made-up treebank: the place of "not" in the tree decides, which counting words cannot know."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    rows = recipe["main"](["--toy", "--results", str(tmp_path / "a.jsonl"), "--table", str(tmp_path / "a.md")])
    accuracy = {row["model"]: row["accuracy"] for row in rows}
    assert accuracy["Tree-LSTM, n-ary"] > 0.97
    assert accuracy["Tree-LSTM, lstm"] < 0.65  # chance, with two standard deviations of 0.04 and more
    assert accuracy["TF-IDF, logistic regression"] < 0.65
    assert [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()] == rows
    assert "| two | Tree-LSTM, n-ary |" in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_training_trees_of_the_other_sets_are_left_out(recipe, tmp_path):
    for name, text in {"train": "(1 a)\n(0 b)\n(1 c)\n", "dev": "(0 b)\n", "test": "(1 d)\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    assert [tree.sentence for tree in recipe["treebank"](tmp_path)["train"]] == [("a",), ("c",)]
