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


def test_lines_of_raw_text_to_standard_output(capfdbinary, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("Ada came\nhome.", "utf-8")

    def printed(*flags):
        line = ["annotate", "in.txt", "-o", "-", "-q", *flags]
        build_app(line)(line, prog_name="firth", standalone_mode=False)
        lines = capfdbinary.readouterr().out.decode().splitlines()
        return " ".join(line.split("\t")[1] if line and line[0] != "#" else "/" for line in lines if line[:1] != "#")

    assert printed() == "Ada came home . /"
    assert printed("--one-sentence-per-line") == printed("--lines", "sentence") == "Ada came / home . /"
    assert printed("--lines", "word") == "Ada came home. /"
    with pytest.raises(OptionError, match="with --one-sentence-per-line: expected one of both"):
        printed("--lines", "word", "--one-sentence-per-line")
    with pytest.raises(OptionError, match="-o - prints CoNLL-U"):
        printed("--json")
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_lines_without_raw_text(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    write_documents("in.jsonl", [Document.from_text("Ada came.")])
    line = ["annotate", "in.jsonl", "-o", "out.jsonl", "-q", "--lines", "word"]
    with pytest.raises(OptionError, match=r"--lines word: of raw text, and in\.jsonl is none"):
        build_app(line)(line, prog_name="firth", standalone_mode=False)


def test_a_file_without_text_is_said_to_be_one(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text(" \n\n", "utf-8")
    line = ["annotate", "in.txt", "-o", "out.jsonl", "-q"]
    with pytest.raises(SystemExit):
        build_app(line)(line, prog_name="firth")
    assert capsys.readouterr().err == "out.jsonl: 1 document, no text\n"
