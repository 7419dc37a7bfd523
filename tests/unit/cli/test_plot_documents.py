"""`firth plot parse`, `entities` and `coref`."""

import json

import pytest

from firth.documents.document import Document
from firth.documents.files import write_documents
from firth.readers.conllu import DependencySentence


@pytest.fixture
def file(tmp_path):
    first = DependencySentence.of(["Ada", "left"]).annotated(heads=[2, 0], relations=["nsubj", "root"])
    document = Document([first, first], "a", entities=[(0, 1, "PER")], clusters=[[(0, 1), (2, 3)], [(1, 2)]])
    write_documents(tmp_path / "d.conllu", [document, Document([first], "b")])
    return "d.conllu"


def test_on_the_terminal(run, file):
    status, out, err = run("plot", "parse", file, "-n", "1")
    assert (status, out) == (0, "┌─> Ada   _  nsubj\n└── left  _  root\n")
    assert "the first 1 of 2 sentences" in err
    assert run("plot", "entities", file)[1] == "[Ada PER] left\nAda left\n"
    assert run("plot", "coref", file)[1] == "[Ada 1] left\n[Ada 1] left\n"
    assert run("plot", "coref", file, "--singletons")[1] == "[Ada 1] [left 2]\n[Ada 1] left\n"
    assert run("plot", "coref", file, "--document", "b")[1] == "Ada left\n"


def test_into_files(run, file, tmp_path):
    for name, kind in (("t.svg", "parse"), ("t.html", "parse"), ("e.html", "entities"), ("c.html", "coref")):
        status, _, err = run("plot", kind, file, "-o", name)
        assert status == 0
        assert f"{name}: a" in err
        assert "Ada" in (tmp_path / name).read_text("utf-8")


def test_as_json(run, file):
    assert [json.loads(line)["heads"] for line in run("plot", "parse", file, "--json")[1].splitlines()] == [[2, 0]] * 2
    entity, chain = (json.loads(run("plot", kind, file, "--json")[1]) for kind in ("entities", "coref"))
    assert entity == {"start": 0, "end": 1, "label": "PER", "text": "Ada"}
    assert chain == {"mentions": [[0, 1], [2, 3]], "texts": ["Ada", "Ada"]}


def test_help_names_the_formats_that_are_written(run, file):
    shared = " ".join(run("plot", "--help")[1].split())
    assert "parse as SVG, HTML or characters" in shared
    for kind, endings in (
        ("parse", {".svg", ".html", ".txt"}),
        ("entities", {".html", ".txt"}),
        ("coref", {".html", ".txt"}),
    ):
        own = run("plot", kind, "--help")[1]
        for ending in (".svg", ".html", ".txt", ".png", ".pdf"):
            assert (ending in own) == (ending in endings)
            assert (run("plot", kind, file, "-o", f"d{ending}")[0] == 0) == (ending in endings)


def test_what_is_wrong_is_said(run, file):
    assert "no document 'c'; expected one of a, b" in run("plot", "parse", file, "--document", "c")[2]
    assert "ends in .html, .txt" in run("plot", "coref", file, "-o", "a.svg")[2]
