"""`firth coref`: train, predict and test."""

import json
import re

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli.app import build_app
from firth.documents.coreference_files import write_coreference
from firth.documents.files import read_documents
from firth.errors import FormatError, OptionError
from tests.unit.neural.models.coreference.toys import documents

TINY = ["--dim", "4", "--hidden", "8", "--min-count", "1", "--dropout", "0", "--epochs", "6", "--lr", "0.02", "-q"]


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    write_coreference("train.conll", documents())


def run(*arguments):
    line = ["coref", *arguments]
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def test_a_round(capsys):
    assert run("train", "train.conll", "-o", "m", "--held-out", "train.conll", "--json", *TINY) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["documents"], facts["mentions"]) == ("ranking", 8, 32)
    assert run("test", "m", "train.conll", "-q") == 0
    assert "gold mentions, 8 documents" in capsys.readouterr().out
    assert run("test", "m", "train.conll", "-q", "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["gold"]["scores"]["conll"] == 1
    assert run("predict", "m", "train.conll", "-q", "-o", "out.jsonl") == 0
    assert [each.clusters for each in read_documents("out.jsonl")] == [each.clusters for each in documents()]
    assert run("predict", "m", "train.conll", "-q") == 0
    assert "Entity=" in capsys.readouterr().out
    write_coreference("one.conll", [documents()[0].annotated(clusters=[[(0, 1)]])])
    for flags, chains in ((), 1), (("--no-singletons",), 0):
        assert run("predict", "m", "one.conll", "-q", "--json", *flags) == 0
        assert len(json.loads(capsys.readouterr().out).get("clusters", [])) == chains
    assert run("predict", "m", "train.conll", "-q", "--json") == 0
    assert len([json.loads(line) for line in capsys.readouterr().out.splitlines()]) == 8


def test_pairs(capsys):
    assert run("train", "train.conll", "-o", "p", "--model", "pairs", *TINY) == 0
    printed = capsys.readouterr().out
    assert "p: pairs, 12 words" in printed
    assert re.search(r"best epoch \d+: B-cubed F1 \d+\.\d\d on 1 held-out document\n", printed)
    assert firth.load("p").options.objective == "pairs"


def test_what_is_refused(tmp_path):
    with pytest.raises(OptionError, match="expected one of"):
        run("train", "train.conll", "-o", "n", "--model", "rules")
    firth.WordVectors(["a"], [[1.0]]).save(tmp_path / "v")
    with pytest.raises(OptionError, match="expected a model of coreference"):
        run("predict", "v", "train.conll")


def test_both_kinds_of_models_have_one_name(tmp_path):
    from firth.cli.vectors import open_model
    from tests.fuzz.readers import READERS

    for name in ("coreference", "coreference-spans"):
        READERS[name].make(tmp_path / name)
        assert open_model(tmp_path / name, "a model of coreference").words


def test_damaged_documents_can_be_skipped(capsys, tmp_path):
    from firth.documents.files import write_documents

    write_documents("train.jsonl", documents())
    with (tmp_path / "train.jsonl").open("a") as file:
        file.write("{\n")
    with pytest.raises(FormatError, match=r"line 9: .*--on-error skip"):
        run("train", "train.jsonl", "-o", "d", "--model", "pairs", *TINY)
    for line in (["train", "train.jsonl", "-o", "d", "--model", "pairs", *TINY], ["test", "d", "train.jsonl"]):
        with pytest.warns(UserWarning, match="skipped 1 of 9 documents"):
            assert run(*line, "--on-error", "skip") == 0
    with pytest.warns(UserWarning, match="skipped 1 of 9 documents"):
        assert run("predict", "d", "train.jsonl", "-q", "--json", "--on-error", "skip") == 0
