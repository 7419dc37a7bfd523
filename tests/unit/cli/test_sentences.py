"""`firth sentences train`: the model by its name, what is written, and what is refused."""

import inspect
import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli.app import build_app
from firth.cli.sentences import HOMES, TRAIN
from firth.comparison.models import models_in
from firth.errors import FormatError, OptionError
from firth.text.batches import TextsWarning
from tests.unit.neural.models.sentences.tiny import documents

TINY = ["--dim", "4", "--hidden", "4", "--epochs", "1", "--min-count", "1", "--output-layer", "full"]


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "text").mkdir()
    for i, text in enumerate(documents(3)):
        (tmp_path / "text" / f"{i}.txt").write_text(text, encoding="utf-8")


def run(*arguments):
    line = ["sentences", "train", *arguments]
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def test_train_writes_an_encoder(capsys):
    assert run("text", "-o", "out.firth", "--held-out", "text/1.txt", "--json", "-q", *TINY) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["dim"], facts["interrupted"]) == ("skip-thought", 4, False)
    assert facts["held_out_loss"] > 0
    model = firth.load("out.firth")
    assert model.options == firth.SkipThought(dim=4, hidden=4, output="full")
    assert model.rules.sentences == "punctuation"
    assert model.encode(["w1 w2"]).any()
    line = ["info", "out.firth", "--json"]
    with pytest.raises(SystemExit):
        build_app(line)(line, prog_name="firth")
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["dim"], facts["words"]) == ("sentence encoder", 4, len(model.vocabulary))


def test_train_says_what_it_learned_and_takes_vectors(capsys):
    firth.WordVectors(["w1", "w2"], [[1.0, 2, 3, 4], [0, 1, 0, 1]]).save("v.firth")
    assert run("text", "-o", "out", "-q", "--model=Skip-Thought", "--vectors", "v.firth", *TINY) == 0
    assert "out: skip-thought, 14 words, 4 numbers per text" in capsys.readouterr().out


def test_help_shows_the_options_of_the_model(capsys):
    assert run("--model", "skip-thought", "--help") == 0
    text = capsys.readouterr().out
    assert {"--encoder", "--hidden", "--epochs", "--sentences", "--model", "--output-layer"} <= set(text.split())
    assert "Default: punctuation." in " ".join(text.replace("│", "").split())


def test_no_flag_of_a_model_has_the_name_of_another():
    for name, model in models_in(HOMES).items():
        flags = inspect.signature(TRAIN.of(model)).parameters
        assert "momentum" in flags
        assert ("key_momentum" in flags) == (name == "moco")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "skipthought"], "--model skipthought: expected one of .*; use --model skip-thought"),
        (["--model"], "--model : expected one of"),
        (["--hidden", "0"], "expected a whole number of at least 1"),
        (["--encoder", "both"], "expected one of uni, bi, combine"),
    ],
)
def test_wrong_models_and_options_are_refused_before_anything_is_read(arguments, message):
    with pytest.raises(OptionError, match=message):
        run("text", "-o", "out", *arguments)


def test_a_folder_of_something_else_is_not_replaced(tmp_path):
    with pytest.raises(OptionError, match="text is a folder of something else"):
        run("text", "-o", "text", *TINY)


def test_a_contrastive_model_starts_from_a_masked_one(capsys):
    small = ["--epochs", "1", "-q"]
    assert run("text", "-o", "m", "--model", "masked-lm", "--dim", "8", "--heads", "2", "--layers", "1", *small) == 0
    capsys.readouterr()
    assert run("text", "-o", "c", "--model", "simcse", "--start", "m", "--json", *small) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["alignment"] > 0 > facts["uniformity"]
    lines = (f"W{i} w{i + 1}.\tW{i + 1}.\t{i}\n" for i in range(4))
    Path("pairs.tsv").write_text("".join(lines), encoding="utf-8")
    assert run("text", "-o", "c2", "--model", "simcse", "--start", "m", "--held-out", "pairs.tsv", *small) == 0
    assert "held-out data: loss" in capsys.readouterr().out
    assert firth.load("c2").encode(["w1 w2"]).any()
    spans = ["--min-span", "2", "--max-span", "6", "--batch-size", "2"]
    assert run("text", "-o", "d", "--model", "declutr", "--start", "m", *spans, *small) == 0  # documents, not sentences
    assert firth.load("d").metadata["training"]["documents"] == 3
    firth.WordVectors(["w1", "w2"], [[1.0, 2], [0, 1]]).save("v.firth")
    with pytest.raises(OptionError, match="start: found word vectors, expected a sentence encoder"):
        run("text", "-o", "e", "--model", "simcse", "--start", "v.firth", *small)


def test_groups_of_texts(capsys):
    pairs = [(f"w{i} w{i + 1}", f"w{i + 1} w{i}", label) for i in range(8) for label in ("entailment", "neutral")]
    lines = [json.dumps({"sentence1": a, "sentence2": b, "gold_label": label}) for a, b, label in pairs]
    Path("nli.jsonl").write_text("\n".join(lines), encoding="utf-8")
    small = ["--model", "supervised-simcse", "--dim", "8", "--heads", "2", "--layers", "1", "--epochs", "1", "-q"]
    assert run("nli.jsonl", "-o", "s", "--json", *small) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["groups"], facts["texts"]) == ("supervised-simcse", 8, 16)
    assert isinstance(firth.load("s").options, firth.SupervisedSimCSE)
    with pytest.raises(FormatError, match="expected two texts and a label or a score between tabs or commas"):
        run("text/1.txt", "-o", "t", *small)


def test_sentences_that_are_too_long_are_counted(capsys):
    Path("lines.txt").write_text("w1 w2 , w3 .\nw2 w4 .\n" * 6 + "\n\n" + "W1 w2.\n\n" * 5, encoding="utf-8")
    with pytest.warns(
        TextsWarning, match='1 of .* more than 9 words: .* if each line is a sentence, use sentences="line"'
    ):
        assert run("lines.txt", "-o", "out", "--max-length", "9", "-q", *TINY) == 0
    assert "1 texts have more than 9 words: the rest was not read" in capsys.readouterr().out
