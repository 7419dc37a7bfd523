"""Digits: features beside scikit-learn's, and likelihood beside independent units."""

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'firth[sklearn]'")


def test_toy(recipe):
    rows = recipe["main"](["--toy"])
    accuracy = {row["model"]: row["value"] for row in rows if row["task"] == "accuracy"}
    assert accuracy.keys() == {"pixels", "ours", "scikit-learn"}
    assert min(accuracy.values()) > 40
    gains = [row["value"] - row["independent_units"] for row in rows if row["task"] == "likelihood"]
    assert len(gains) == 4
    assert min(gains) > 2
    assert all(row["value"] < 0 for row in rows if row["task"] == "likelihood")
