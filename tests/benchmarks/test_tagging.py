"""The table of taggers, at toy size."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks import tagging
from benchmarks.records import read


def rows(folder):
    """The jobs and contenders of a round, and the lines of the table."""
    path = folder / "a.txt"
    path.write_text("Ann B-PER\nsleeps O\n\nin O\nNew B-LOC\nYork I-LOC\n\n" * 5, encoding="utf-8")
    tagging.main([str(path), "--rounds", "1", "--sentences", "6", "--out", str(folder)])
    found = [(row["job"], row["contender"]) for row in read(folder / "speed.jsonl")[1:]]
    lines = (folder / "speed.md").read_text(encoding="utf-8").splitlines()
    return found, sum(line.startswith(("| training | ", "| prediction | ")) for line in lines)


def test_firth_has_a_row_for_each_job(tmp_path, monkeypatch):
    monkeypatch.setattr(tagging.importlib.util, "find_spec", lambda name: None)
    assert rows(tmp_path) == ([("training", "firth"), ("prediction", "firth")], 2)


def test_pytorch_has_a_row_for_each_job(tmp_path):
    pytest.importorskip("torchcrf", reason="pytorch-crf is not installed: pip install pytorch-crf")
    both = ("firth", tagging.PYTORCH)
    assert rows(tmp_path) == ([(job, name) for job in ("training", "prediction") for name in both], 4)
