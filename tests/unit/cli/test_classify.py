"""`firth classify` with fastText's model."""

import json
import warnings

from firth.cli import classify
from firth.errors import CorpusError


def test_predicts_a_column_of_a_table(run, tmp_path):
    (tmp_path / "labels.txt").write_text("__label__warm red rose\n__label__cold green leaf\n" * 20, encoding="utf-8")
    (tmp_path / "table.csv").write_text('id,text\n1,"green, leaf"\n2,red rose\n', encoding="utf-8")
    train = ["classify", "train", "labels.txt", "-o", "kinds", "--lr", 1, "--epochs", 20, "--dim", 4, "--threads", 1]
    assert run(*train, "-q")[0] == 0
    status, out, _ = run("classify", "predict", "kinds", "table.csv", "--column", "text", "--json", "-q")
    assert status == 0
    assert [json.loads(line)["labels"][0]["label"] for line in out.splitlines()] == ["cold", "warm"]
    assert run("classify", "predict", "kinds", "table.csv", "--column", "2", "--json", "-q")[1] == out
    assert run("classify", "predict", "kinds", "table.csv", "--json", "-q")[1] == out  # not its lines
    (tmp_path / "other.csv").write_text('id,message\n1,"green, leaf"\n', encoding="utf-8")
    status, out, err = run("classify", "predict", "kinds", "other.csv", "-q")
    assert (status, out, "--column" in err) == (1, "", True)
    status, _, err = run("classify", "predict", "kinds", "table.csv", "--column", "body", "-q")
    assert (status, "body" in err) == (1, True)


def test_a_linear_model_is_trained_tested_and_asked(run, tmp_path):
    lines = "__label__warm a red rose\n__label__cold a green leaf\n" * 10 + "__label__cold a rosy leaf\n"
    (tmp_path / "labels.txt").write_text(lines, encoding="utf-8")
    status, out, _ = run("classify", "train", "labels.txt", "-o", "m", "--model", "linear", "--c", 5, "-q")
    assert (status, out.splitlines()[0].partition(", 2 labels")[0]) == (0, "m: linear")
    status, out, _ = run("classify", "test", "m", "labels.txt", "--confusion", "-q")
    assert status == 0
    assert out.splitlines()[-3:] == ["label  cold  warm", "cold     11     0", "warm      0    10"]
    figures = json.loads(run("classify", "test", "m", "labels.txt", "--confusion", "--json", "-q")[1])
    assert (figures["macro_f1"], figures["confusion"]) == (1.0, [[11, 0], [0, 10]])
    assert 0 < figures["calibration_error"] < 0.5
    assert run("classify", "predict", "m", "labels.txt", "-q")[1].startswith("warm\t")
    status, out, _ = run("explain", "m", "a red leafy rose", "--method", "leave-one-out", "-q")
    assert (status, out.partition(" ")[0]) == (0, "warm")


def test_the_best_model_is_chosen_with_vectors_of_raw_text(run, tmp_path):
    lines = "".join(
        f"__label__{kind} and {word} by {i}\n" for i in range(12) for kind, word in (("warm", "red"), ("cold", "sea"))
    )
    (tmp_path / "labels.txt").write_text(lines, encoding="utf-8")
    (tmp_path / "raw.txt").write_text(
        "red rose and red sun by day\nsea and green sea by night\n" * 40, encoding="utf-8"
    )
    train = ["classify", "train", "labels.txt", "-o", "m", "--model", "auto", "--threads", 1, "-q"]
    status, out, _ = run(*train, "--json")
    chosen = json.loads(out)
    assert (status, chosen["judged_on"]) == (0, "5-fold cross-validation on 24 texts")
    assert [row["name"] for row in chosen["candidates"]] == ["linear", "fasttext"]
    assert run("classify", "predict", "m", "labels.txt", "-q")[0] == 0
    how = ["--raw", "raw.txt", "--threads", 1, "-q", "--overwrite", "--epochs", 2]
    assert run("classify", "train", "labels.txt", "-o", "m", *how)[0] == 0
    assert json.loads(run("info", "m", "--json")[1])["dim"] == 100


def test_the_command_offers_the_linear_model_and_draws_curves(run, tmp_path):
    lines = "".join(f"__label__{kind} {word}{i}\n" for i in range(15) for kind, word in (("w", "red"), ("c", "sea")))
    (tmp_path / "labels.txt").write_text(lines, encoding="utf-8")
    train = ["classify", "train", "labels.txt", "-o", "m", "--threads", 1, "-q", "--overwrite"]
    status, out, _ = run(*train)  # a word of fastText is known or not; character n-grams tell what is like it
    assert status == 0
    assert "100 epochs, rate 0.5, word n-grams up to 1" in out
    assert "a linear model is better on 30 held-out texts: 100.0 % right" in out
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        err = run(*train, "--min-count", 2, "--epochs", 7)[2]
    assert "training ended no better than the most frequent label" in err
    assert "raise --epochs 7 or --lr 0.5" in err
    curve = ["classify", "curve", "labels.txt", "--model", "linear", "-q", "--sizes"]
    status, out, _ = run(*curve, "10,24", "-o", "c.svg")
    assert (status, out.splitlines()[0]) == (0, "linear")
    assert (tmp_path / "c.svg").stat().st_size > 1000
    rows = json.loads(run(*curve, 24, "--json")[1])
    assert [point["examples"] for point in rows["points"]] == [24]
    assert "such as 50,100,300" in run(*curve, "few")[2]


def test_a_model_is_saved_before_it_is_compared(run, tmp_path, monkeypatch):
    """Texts from a pipe, which cannot be read twice, and Ctrl-C in the comparison."""
    (tmp_path / "labels.txt").write_text("__label__warm red\n__label__cold sea\n" * 9, encoding="utf-8")
    train = ["classify", "train", "labels.txt", "-o", "m", "--threads", 1, "-q", "--overwrite"]
    for problem, status, told in (
        (CorpusError("labels.txt: empty"), 0, "not compared with a linear model: labels.txt: empty"),
        (KeyboardInterrupt(), 130, "the classifier is saved; its comparison with a linear model was interrupted"),
    ):

        def compared(*_, problem=problem, **__):
            raise problem

        monkeypatch.setattr(classify, "compared_with_linear", compared)
        ended, _, err = run(*train)
        assert (ended, told in err) == (status, True)
        assert run("classify", "predict", "m", "labels.txt", "-q")[0] == 0
