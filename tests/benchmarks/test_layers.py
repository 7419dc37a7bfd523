"""The table of recurrent layers, at toy size."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks.layers import main, table
from benchmarks.records import append, read


def test_every_layer_has_a_row(tmp_path):
    main(["--widths", "4", "--rounds", "1", "--out", str(tmp_path)])
    names = [row["layer"] for row in read(tmp_path / "layers.jsonl")[1:]]
    text = (tmp_path / "layers.md").read_text(encoding="utf-8")
    assert len(names) == len(set(names)) == 26
    assert all(f"| {name} |" in text for name in names)


def test_a_figure_is_the_median_of_its_rounds(tmp_path):
    file = tmp_path / "layers.jsonl"
    sizes = {"batch": 2, "steps": 3, "rounds": 3}
    append(file, {"machine": {"processor": "abacus"}, "torch": "2", "sizes": sizes})
    for round_, speed in enumerate([10.0, 2000.0, 300.0]):
        append(file, {"hidden": 8, "layer": "lstm", "round": round_, "tokens_a_second": speed})
    assert table(file).splitlines()[-1] == "| lstm | 300 (10 - 2,000) |"
