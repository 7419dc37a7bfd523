"""Contrastive encoders on a small grammar: all rows of the table, and captions as people write them."""

import json

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.readers.text_groups import TextGroup


def test_toy(recipe, tmp_path):
    """Vectors spread out in contrastive training, and rank pairs by shared words better than the reference."""
    results = tmp_path / "figures.jsonl"
    rows = {row["model"]: row for row in recipe["main"](["--toy", "--results", str(results)])}
    assert len(rows) == 10
    reference = rows["masked LM, mean (reference)"]
    assert rows["SimCSE"]["uniformity"] < reference["uniformity"] - 0.1
    assert rows["SimCSE"]["mean"] > reference["mean"]
    assert rows["TF-IDF"]["mean"] > 90  # the score is the share of words
    assert len([json.loads(line) for line in results.read_text().splitlines()]) == 10


def test_captions_are_written_as_people_write(recipe):
    assert recipe["plain"]("two dogs , one brown , on a man 's lap .") == "Two dogs, one brown, on a man's lap."


def test_texts_of_tests_are_left_out(recipe):
    groups = [TextGroup(("A man eats.", "Someone eats!", "He eats"), ("A man sleeps.",)), TextGroup(("x", "y"))]
    tests = {"dev": [("a man, eats", "a man sleeps", 1.0), ("X", "z", 2.0)]}
    assert recipe["without"](groups, tests) == ([TextGroup(("Someone eats!", "He eats"))], 3)
