"""Files of spaCy without spaCy; tests/golden/exchange/test_spacy_documents_peer.py has those with it."""

import sys

import pytest

import firth
from firth.documents.document import Document
from firth.errors import MissingExtraError, OptionError


def test_spacy_is_missing(tmp_path, monkeypatch):
    """It is said before any work."""
    monkeypatch.setitem(sys.modules, "spacy", None)
    (tmp_path / "a.spacy").write_bytes(b"\x78")
    (tmp_path / "a.txt").write_text("Ada came.")
    problem = r"spacy is needed to read and write files named \.spacy: pip install .*\[spacy\]"
    with pytest.raises(MissingExtraError, match=problem):
        list(firth.read_documents(tmp_path / "a.spacy"))
    with pytest.raises(MissingExtraError, match=problem):
        firth.write_documents(tmp_path / "b.spacy", [Document.from_text("Ada came.")])
    with pytest.raises(MissingExtraError, match=problem):
        firth.annotate_files(tmp_path / "a.txt", tmp_path / "b.spacy")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.spacy", "a.txt"]


def test_it_has_one_shape(tmp_path):
    with pytest.raises(OptionError, match=r"shape='prodigy': .*a\.ann is not JSON"):
        firth.write_documents(tmp_path / "a.ann", [], shape="prodigy")
