"""`firth annotate`."""

import pytest

from firth.cli.app import build_app
from firth.documents.document import Document
from firth.documents.files import write_documents


def test_what_was_written_is_counted(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    write_documents("in.jsonl", [Document.from_text("Ada came.").annotated(entities=[(0, 1, "PER")])])
    line = ["annotate", "in.jsonl", "-o", "out.jsonl", "-q"]
    with pytest.raises(SystemExit):
        build_app(line)(line, prog_name="firth")
    assert capsys.readouterr().err == "out.jsonl: 1 document, 1 sentence, 3 tokens, 1 entity\n"


def test_the_language_of_raw_text(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("Am 3. Tag.", "utf-8")
    line = ["annotate", "in.txt", "-o", "out.jsonl", "-q", "--language", "de"]
    with pytest.raises(SystemExit):
        build_app(line)(line, prog_name="firth")
    assert capsys.readouterr().err == "out.jsonl: 1 document, 1 sentence, 4 tokens\n"
