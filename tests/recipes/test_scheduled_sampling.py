"""Scheduled sampling on the copy task: running free, a model that was fed its own words is right far more often."""

import json

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    """Fed with the truth, teacher forcing is the better; running free, at least 5 points worse (measured: over 40)."""
    results = tmp_path / "figures.jsonl"
    forced, drawn = recipe["main"](["--toy", "--width", "48", "--results", str(results)])
    assert (forced["way"], drawn["way"]) == ("teacher forcing", "draws")
    assert drawn["free"] >= forced["free"] + 5
    assert forced["forced"] > 90
    assert len([json.loads(line) for line in results.read_text().splitlines()]) == 2


def test_symbols_follow_and_are_seen_as_often_as_they_should(recipe):
    """A symbol follows by 0.95 + 0.05 / 20 = 0.9525, and is seen as it is by 0.5 + 0.5 / 20 = 0.525."""
    symbols, seen = recipe["sequences"](4000, recipe["generator"](0, "test"))
    follows = (symbols[:, 1:] - symbols[:, :-1]) % recipe["SYMBOLS"] == 1
    assert follows.double().mean().item() == pytest.approx(0.9525, abs=0.004)
    assert (seen == symbols).double().mean().item() == pytest.approx(0.525, abs=0.008)
