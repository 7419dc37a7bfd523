"""`firth distil`: what it writes, prints and refuses."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli.app import build_app
from firth.errors import MissingFileError, OptionError
from tests.unit.neural.models.bidirectional.tiny import untrained


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    untrained().save(tmp_path / "lm")
    (tmp_path / "text.txt").write_text("Ada sees apples\nBo sees Ada\n", encoding="utf-8")


def run(*arguments):
    line = ["distil", *arguments]
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def test_vectors_are_those_of_the_function(capsys):
    assert run("lm", "text.txt", "-o", "v.firth", "--tokens", "cased", "--min-count", "2", "--layer", "0", "-q") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("v.firth: 2 words x 12, ")
    assert lines[1] == "next: firth neighbours v.firth Ada"
    expected = firth.distil(untrained(), "text.txt", tokens="cased", min_count=2, layer=0)
    found = firth.load("v.firth")
    assert found.index_to_key == expected.index_to_key == ["Ada", "sees"]
    assert (found.vectors == expected.vectors).all()
    assert run("lm", "text.txt", "-o", "v.vec", "--min-count", "1", "--max-size", "3", "--json", "-q") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["vectors"], facts["words"], facts["dim"], facts["tokens"]) == ("v.vec", 3, 12, 6)


def test_what_is_refused():
    for arguments, error, message in (
        (("lm", "text.txt", "-o", "v", "--layer", "5"), OptionError, "--layer 5: expected -3 to 2"),
        (("text", "text.txt", "-o", "v"), MissingFileError, "a model or vectors; did you mean text.txt"),
    ):
        line = ["distil", *arguments, "-q"]
        with pytest.raises(error, match=message):
            build_app(line)(line, prog_name="firth", standalone_mode=False)
