"""The table of transition parsers, at toy size."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks import parsers
from benchmarks.records import read
from firth.readers.conllu import write_conllu
from tests.unit.neural.models.parsers.tiny import treebank


def test_every_contender_of_firth_has_a_row(tmp_path, monkeypatch):
    monkeypatch.setattr(parsers, "peer", lambda *_: [])
    write_conllu(tmp_path / "a.conllu", treebank(12))
    parsers.main([str(tmp_path / "a.conllu"), str(tmp_path / "a.conllu"), "--rounds", "1", "--out", str(tmp_path)])
    assert [(row["job"], row["contender"]) for row in read(tmp_path / "transition.jsonl")[1:]] == [
        ("training", "firth, static oracle"),
        ("training", "firth, dynamic oracle"),
        ("parsing", "firth, greedy"),
        ("parsing", "firth, beam 4"),
    ]
