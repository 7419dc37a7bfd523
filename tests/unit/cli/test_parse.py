"""`firth parse`: train, predict and test."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli.app import build_app
from firth.errors import OptionError
from firth.readers.conllu import read_conllu, write_conllu
from tests.unit.neural.models.parsers.tiny import treebank

TINY = ["--dim", "8", "--tag-dim", "6", "--hidden", "24", "--min-count", "1", "--epochs", "5", "--batch-size", "4"]
TAGGER = ["--dim", "8", "--hidden", "8", "--characters", "none", "--epochs", "4", "--lr", "0.05", "-q"]


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    write_conllu("train.conllu", treebank(60))
    write_conllu("test.conllu", treebank(20, 2))


def run(*arguments):
    line = [*arguments]
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def test_train_test_and_predict(capsys, tmp_path):
    line = ["parse", "train", "train.conllu", "-o", "p", "--held-out", "train.conllu", "--json", "--lr", "0.01", "-q"]
    assert run(*line, *TINY) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["relations"], facts["sentences"]) == ("transition", 7, 60)
    assert firth.load("p").options.hidden == 24
    assert run("parse", "test", "p", "test.conllu", "--json", "-q") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["tags"] == "gold"
    assert scores["las"] > 0.9
    assert run("parse", "predict", "p", "test.conllu", "-q") == 0
    parsed = capsys.readouterr().out
    (tmp_path / "found.conllu").write_text(parsed, encoding="utf-8")
    assert [each.words for each in read_conllu("found.conllu")] == [each.words for each in treebank(20, 2)]
    (tmp_path / "raw.txt").write_text("the cat sees fish .\n\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"raw\.txt is not named \.conllu, and raw text has no tags; use --tagger"):
        run("parse", "predict", "p", "raw.txt", "-q")
    assert run("tag", "train", "train.conllu", "-o", "t", "--held-out", "train.conllu", *TAGGER) == 0
    capsys.readouterr()
    assert run("parse", "predict", "p", "raw.txt", "--tagger", "t", "-q") == 0
    columns = [line.split("\t") for line in capsys.readouterr().out.splitlines() if line]
    assert [(row[1], row[3], row[6], row[7]) for row in columns[:3]] == [
        ("the", "DET", "2", "det"), ("cat", "NOUN", "3", "nsubj"), ("sees", "VERB", "0", "root"),
    ]  # fmt: skip
    assert run("parse", "predict", "p", "raw.txt", "--tagger", "t", "-q", "--json") == 0
    assert json.loads(capsys.readouterr().out)["heads"] == [2, 3, 0, 3, 3]
    assert run("parse", "test", "p", "test.conllu", "--tagger", "t", "-q") == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows[:3]] == ["tags", "gold", "predicted"]
    assert run("parse", "predict", "p", "test.conllu", "--beam", "3", "-q") == 0
    assert [row.heads for row in read_conllu("test.conllu")] == [
        tuple(int(line.split("\t")[6]) for line in each.splitlines())
        for each in capsys.readouterr().out.strip().split("\n\n")
    ]
    with pytest.raises(OptionError, match="TransitionParser has no precision in parsing"):
        run("parse", "test", "p", "test.conllu", "--precision", "bf16", "-q")
    with pytest.raises(OptionError, match="holds a tagger, expected a parser"):
        run("parse", "test", "t", "test.conllu")


def test_what_follows_from_the_treebank_is_shown(capsys):
    small = ["--dim", "8", "--tag-dim", "6", "--hidden", "24", "--epochs", "5", "--lr", "0.01"]
    assert run("parse", "train", "train.conllu", "-o", "p", *small) == 0
    assert "tag=upos, spelling=False, beam=4, batch_size=5: chosen for 54 sentences, " in capsys.readouterr().err
    assert run("parse", "train", "--help") == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "by default those that the treebank has" in shown
    assert "by the size of the" in shown
