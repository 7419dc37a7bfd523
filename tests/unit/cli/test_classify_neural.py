"""`firth classify train --model NAME`, and predict and test of what it writes."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli import classify
from firth.cli.app import build_app
from firth.errors import CorpusError, FormatError, OptionError

TINY = ["--dim", "6", "--filters", "4", "--epochs", "2", "--lr", "0.02", "-q"]


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    lines = [f"__label__{label} {text}" for label, text in (("fruit", "ripe apple"), ("tool", "sharp saw"))] * 20
    (tmp_path / "train.txt").write_text("\n".join(lines), encoding="utf-8")
    rows = ["one\tother\tscore", *["red apple\tapple red\t4.6", "red apple\tgreen saw\t1.4"] * 12]
    (tmp_path / "pairs.tsv").write_text("\n".join(rows), encoding="utf-8")


def run(*arguments):
    line = ["classify", *arguments]
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def test_train_predict_and_test(capsys, tmp_path):
    assert run("train", "train.txt", "-o", "k", "--model", "cnn", "--held-out", "train.txt", "--json", *TINY) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["labels"], facts["words"], facts["texts"]) == ("cnn", 2, 4, 40)
    assert facts["held_out_error"] <= 0.5
    assert firth.load("k").options.filters == 4
    assert run("test", "k", "train.txt", "--json") == 0
    assert json.loads(capsys.readouterr().out)["texts"] == 40
    (tmp_path / "new.txt").write_text("a ripe apple\na saw\n", encoding="utf-8")
    assert run("predict", "k", "new.txt", "-n", "2", "-q") == 0
    first, second = capsys.readouterr().out.splitlines()
    assert {first.split("\t")[0], first.split("\t")[2]} == {"fruit", "tool"}
    assert second != first


def test_ctrl_c_in_the_comparison_does_not_lose_the_model(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(classify, "linear_accuracy", interrupt)
    assert run("train", "train.txt", "-o", "k", "--model", "cnn", *TINY) == 130
    assert firth.load("k").options.filters == 4


def test_pairs_with_scores(capsys, tmp_path):
    columns = ["--column", "one,other", "--labels", "score"]
    how = ["--model", "lstm", "--hidden", "4", "--dim", "6", "--pairs", "relatedness", "--epochs", "1", "-q"]
    assert run("train", "pairs.tsv", "-o", "r", *columns, *how) == 0
    assert "r: lstm, 5 labels, 4 words" in capsys.readouterr().out
    assert run("test", "r", "pairs.tsv", *columns, "--json") == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 24
    (tmp_path / "new.txt").write_text("red apple\tapple red\n", encoding="utf-8")
    assert run("predict", "r", "new.txt", "-q") == 0
    assert 1 < float(capsys.readouterr().out) < 5
    (tmp_path / "new.txt").write_text("red apple\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 1: 1 texts, expected two with a tab between them"):
        run("predict", "r", "new.txt", "-q")


def test_help_shows_the_options_of_the_model(capsys):
    assert run("train", "--model", "vdcnn", "--help") == 0
    words = set(capsys.readouterr().out.split())
    assert {"--depth", "--[no-]shortcuts", "--epochs", "--held-out"} <= words
    assert not {"--vectors", "--word-ngrams"} & words
    assert run("train", "--help") == 0
    words = set(capsys.readouterr().out.split())
    assert {"--word-ngrams", "--autotune", "--model"} <= words
    assert "--depth" not in words


def test_wrong_models():
    with pytest.raises(
        OptionError,
        match="--model svm: expected one of fasttext, auto, linear, cnn, encoder, lstm, transformer, tree-lstm, vdcnn",
    ):
        run("train", "train.txt", "-o", "k", "--model", "svm")
    with pytest.raises(OptionError, match=r"depth 10|depth=10"):
        run("train", "train.txt", "-o", "k", "--model", "vdcnn", "--depth", "10")


def test_trees(capsys, tmp_path):
    (tmp_path / "trees.txt").write_text("(1 (0 not) (0 bad))\n(0 (0 so) (0 bad))\n" * 12, encoding="utf-8")
    how = ["--model", "tree-lstm", "--hidden", "4", "--dim", "6", "--epochs", "1", "-q"]
    assert run("train", "trees.txt", "-o", "t", *how) == 0
    assert "tree-lstm, 2 labels, 3 words" in capsys.readouterr().out
    assert run("test", "t", "trees.txt", "--json") == 0
    assert json.loads(capsys.readouterr().out)["texts"] == 24
    (tmp_path / "new.txt").write_text("(x (x so) (x bad))\n", encoding="utf-8")
    assert run("predict", "t", "new.txt", "-q") == 0
    assert capsys.readouterr().out.split("\t")[0] in "01"


def test_the_encoder_of_a_classifier_is_a_folder():
    with pytest.raises(
        OptionError, match=r"the encoder is missing: give --encoder FOLDER, as firth\.MaskedLM or firth"
    ):
        run("train", "train.txt", "-o", "k", "--model", "encoder", "-q")
    with pytest.raises(OptionError, match=r"train\.txt is a file that holds no model, expected the folder of a contex"):
        run("train", "train.txt", "-o", "k", "--model", "encoder", "--encoder", "train.txt", "-q")


def test_damaged_trees_of_dependencies_can_be_skipped(tmp_path):
    rest = "\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    sound = "".join(f"# label = {label}\n1\t{word}{rest}" for word, label in (("good", "1"), ("bad", "0"))) * 6
    (tmp_path / "a.conllu").write_text(sound + "1\tlost\n\n", encoding="utf-8")
    model = ["--model", "tree-lstm", "--kind", "child-sum", "--hidden", "4", "--dim", "6", "--epochs", "1", "-q"]
    train, test, predict = (
        ["train", "a.conllu", "-o", "t", *model],
        ["test", "t", "a.conllu"],
        ["predict", "t", "a.conllu"],
    )
    with pytest.raises(FormatError, match=r"line 37: 2 columns, .*--on-error skip"):
        run(*train)
    for line in (train, test, predict):
        with pytest.warns(UserWarning, match="skipped 1 of 13 sentences: line 37"):
            assert run(*line, "--on-error", "skip") == 0
