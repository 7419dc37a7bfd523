"""The recipe on made-up documents: pronouns and "the man" agree with names by their titles, which a rule cannot use."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    rows = recipe["main"](["--toy", "--results", str(tmp_path / "a.jsonl"), "--table", str(tmp_path / "a.md")])
    figures = {row["model"]: row["b_cubed"] for row in rows}
    assert figures["rule"] < 0.6
    assert min(figures["pairs"], figures["ranking"], figures["clusters"]) > 0.95
    assert [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()] == rows
    assert "| ranking |" in (tmp_path / "a.md").read_text(encoding="utf-8")
