"""`firth tag`: train, predict and test."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli.app import build_app
from firth.errors import OptionError

TINY = ["--dim", "8", "--hidden", "8", "--char-width", "4", "--epochs", "4", "--lr", "0.05", "-q"]
CONLLU = "1\tShe\tshe\tPRON\t_\tCase=Nom\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ner.txt").write_text("Ann NNP I-PER\nruns VBZ O\n\nin IN O\nRome NNP I-LOC\n\n" * 15, encoding="utf-8")
    (tmp_path / "a.conllu").write_text(CONLLU * 20, encoding="utf-8")


def run(*arguments):
    line = ["tag", *arguments]
    return firth_command(*line)


def firth_command(*line):
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def test_columns(capsys, tmp_path):
    assert run("train", "ner.txt", "-o", "n", "--held-out", "ner.txt", "--json", *TINY) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["tags"], facts["sentences"]) == ("bilstm-crf", {"tag": 5}, 30)
    assert firth.load("n").options.hidden == 8
    assert run("test", "n", "ner.txt", "--json", "-q") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["spans"]["gold"] == 30
    assert scores["score"] > 0.9
    assert run("test", "n", "ner.txt", "-q") == 0
    assert "30 gold spans" in capsys.readouterr().out
    (tmp_path / "new.txt").write_text("Ann runs in Rome\n\nRome\n", encoding="utf-8")
    assert run("predict", "n", "new.txt", "-q") == 0
    assert capsys.readouterr().out.split("\n\n")[0] == "Ann\tB-PER\nruns\tO\nin\tO\nRome\tB-LOC"
    assert run("predict", "n", "new.txt", "-q", "--probabilities") == 0
    assert 0 <= float(capsys.readouterr().out.splitlines()[0].split("\t")[2]) <= 1
    assert run("predict", "n", "ner.txt", "-q", "--columns", "--json") == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first == {"words": ["Ann", "runs"], "tags": {"tag": ["B-PER", "O"]}}


def test_conllu_with_two_targets(capsys):
    assert run("train", "a.conllu", "-o", "p", "--targets", "upos,feats", *TINY) == 0
    assert "p: bilstm-crf, 2 tags of upos, 2 tags of feats, 2 words" in capsys.readouterr().out
    assert run("predict", "p", "a.conllu", "-q") == 0
    assert capsys.readouterr().out == CONLLU * 20
    assert run("test", "p", "a.conllu", "-q") == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("feats: accuracy 100.00")


def test_a_window(capsys):
    how = ["--dim", "8", "--hidden", "8", "--epochs", "1", "-q"]
    assert run("train", "ner.txt", "-o", "w", "--model", "window", *how) == 0
    assert "w: window, 5 tags of tag" in capsys.readouterr().out
    assert firth.load("w").options.head == "margin"
    assert firth_command("info", "w", "-q") == 0
    assert "TaggerModel: window, margin, 5 tags of tag" in capsys.readouterr().out


def test_what_is_refused(tmp_path):
    with pytest.raises(OptionError, match="expected one of bilstm-crf, window"):
        run("train", "ner.txt", "-o", "n", "--model", "hmm")
    firth.WordVectors(["a"], [[1.0]]).save(tmp_path / "v")
    with pytest.raises(OptionError, match="expected a tagger"):
        run("predict", "v", "ner.txt")
