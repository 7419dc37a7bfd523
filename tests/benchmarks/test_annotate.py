"""The table of annotation, at toy size."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks import annotate
from benchmarks.records import read
from firth.readers.conllu import write_conllu
from tests.unit.neural.models.parsers.tiny import treebank


@pytest.mark.slow
def test_every_contender_of_firth_has_a_row(tmp_path, monkeypatch):
    monkeypatch.setattr(annotate, "peer", lambda *_: [])
    write_conllu(tmp_path / "a.conllu", treebank(12))
    (tmp_path / "a.txt").write_text("the cat sees. She left.", "utf-8")
    annotate.main([str(tmp_path / "a.conllu"), str(tmp_path / "a.txt"), "--rounds", "1", "--out", str(tmp_path)])
    rows = read(tmp_path / "annotate.jsonl")[1:]
    assert len(rows) == 5
    assert all(row["tokens_a_second"] > 0 for row in rows)
