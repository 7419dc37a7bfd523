"""The table of taggers, at toy size."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks.records import read
from benchmarks.tagging import main


def test_every_contender_has_a_row(tmp_path):
    pytest.importorskip("torchcrf", reason="pytorch-crf is not installed: pip install pytorch-crf")
    path = tmp_path / "a.txt"
    path.write_text("Ann B-PER\nsleeps O\n\nin O\nNew B-LOC\nYork I-LOC\n\n" * 5, encoding="utf-8")
    main([str(path), "--rounds", "1", "--sentences", "6", "--out", str(tmp_path)])
    assert [row["contender"] for row in read(tmp_path / "speed.jsonl")[1:]] == ["firth", "PyTorch, pytorch-crf"]
    lines = (tmp_path / "speed.md").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith(("| training | ", "| prediction | ")) for line in lines) == 4
