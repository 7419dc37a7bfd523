"""`firth summarize`: train, predict and test."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli.app import build_app


def run(*arguments):
    line = [*arguments]
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def test_train_predict_and_test(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    rows = [("send the report a1", "report a1"), ("send b2", "b2")] * 8
    (tmp_path / "mails.tsv").write_text("".join(f"{text}\t{title}\n" for text, title in rows), encoding="utf-8")
    (tmp_path / "in").write_text("send the c3\n\nb2\n", encoding="utf-8")
    tiny = ["--hidden", "8", "--dim", "6", "--epochs", "1", "--held-out", "mails.tsv", "--no-coverage"]
    assert run("summarize", "train", "mails.tsv", "-o", "s", "-q", "--json", *tiny) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["pairs"]) == ("pointer-generator", 16)
    assert run("summarize", "predict", "s", "in", "-q") == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines == [*(each.text for each in firth.load("s").summarize(["send the c3", "", "b2"])), ""]
    assert run("summarize", "predict", "s", "in", "-q", "--temperature", "1", "--seed", "3") == 0
    sampled = firth.GenerationOptions(max_length=60, temperature=1)
    drawn = [each.text for each in firth.load("s").summarize(["send the c3", "", "b2"], options=sampled, seed=3)]
    assert capsys.readouterr().out.split("\n") == [*drawn, ""] != lines
    assert run("summarize", "test", "s", "mails.tsv", "-q", "--beam", "1") == 0
    assert "rouge-l" in capsys.readouterr().out
