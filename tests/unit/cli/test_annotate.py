"""`firth annotate`."""

import json
from pathlib import Path

import pytest

from firth.cli.app import build_app
from firth.documents.document import Document
from firth.documents.files import write_documents
from firth.errors import OptionError


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


def test_entities_in_the_shape_of_another_program(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    documents = [Document.from_text(text).annotated(entities=[(0, 1, "PER")]) for text in ("Ada came.", "Zoë left.")]
    write_documents("in.jsonl", documents)
    for line in (["in.jsonl", "-o", "out.json"], ["out.json", "-o", "out.jsonl", "--shape", "spacy"]):
        with pytest.raises(SystemExit):
            build_app(["annotate", *line, "-q"])(["annotate", *line, "-q"], prog_name="firth")
    (first, second) = map(json.loads, Path("out.jsonl").read_text("utf-8").splitlines())
    assert (first, second) == (
        ["Ada came.", {"entities": [[0, 3, "PER"]]}],
        ["Zoë left.", {"entities": [[0, 3, "PER"]]}],
    )
    capsys.readouterr()
    line = ["annotate", "in.jsonl", "-o", "out.conllu", "--shape", "spacy"]
    with pytest.raises(OptionError, match=r"--shape spacy: out\.conllu is not JSON"):
        build_app(line)(line, prog_name="firth", standalone_mode=False)
