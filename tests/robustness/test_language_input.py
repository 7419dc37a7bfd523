"""`firth lm` and what goes wrong around it: a sentence and exit status 1, and nothing half-written."""

import json
import shutil
import signal
import sys

import numpy as np
import pytest

import firth as library
from firth.cli import app
from tests.robustness.command import Command, Ended, end_by, sentences, wait_until

NOUNS = ["door", "house", "garden", "letter", "river"]
TEXT = "".join(f"the {a} of the {b} is old\na {a} stands near the {b}\n" for a in NOUNS for b in NOUNS)
SMALL = ["--min-count", 1, "--discount-fallback", "-q"]


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A model that the installed command trained, once for all tests."""
    firth = Command(tmp_path_factory.mktemp("once"))
    (firth.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    ended = firth("lm", "train", "kneser-ney", "text.txt", "-o", "model", "--order", 3, *SMALL)
    assert ended.status == 0, ended.err
    return firth.folder / "model"


def test_two_outputs_are_refused(firth):
    """`--output` named the output layer once; click would take the last and train another model than was meant."""
    (firth.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    ended = firth("lm", "train", "lstm", "text.txt", "-o", "model", "--output", "adaptive")
    assert ended.status == 1
    assert "-o and --output: expected one output; the output layer of the model is --output-layer" in ended.complaint
    assert not (firth.folder / "model").exists()
    assert not (firth.folder / "adaptive").exists()


@pytest.fixture
def model(firth, once):
    (firth.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    (firth.folder / "unknown.txt").write_text("nothing anybody knows\nat all\n", encoding="utf-8")
    (firth.folder / "empty.txt").write_text("", encoding="utf-8")
    library.WordVectors(["a", "b"], np.eye(2, dtype=np.float32)).save(firth.folder / "vectors")
    return shutil.copytree(once, firth.folder / "model")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["train", "kneser-ney", "empty.txt", "-o", "new", "-q"], "empty.txt holds no words"),
        (["train", "kneser-ney", "missing.txt", "-o", "new", "-q"], "missing.txt: no such file"),
        (["train", "kneser-ney", "text.txt", "-o", "new", "--order", "0", "-q"], "--order 0: expected a whole number"),
        (["train", "kneser-ney", "text.txt", "-o", "text.txt", "-q"], "text.txt is a file"),
        (["train", "kneser-ney", "text.txt", "-o", "new", "--held-out", "missing.txt", "-q"], "missing.txt: no such"),
        (["perplexity", "model", "unknown.txt", "-q"], "none of the 5 words of the held-out text"),
        (["perplexity", "model", "empty.txt", "-q"], "empty.txt holds no words"),
        (["perplexity", "missing", "text.txt", "-q"], "missing: No such file or directory; expected a language model"),
        (["perplexity", "vectors", "text.txt", "-q"], "vectors holds word vectors, expected a language model"),
        (
            ["score", "text.txt", "text.txt"],
            "text.txt: not a language model; expected a folder saved by `firth lm train`",
        ),
        (["score", "model", "missing.txt"], "missing.txt"),
        (["generate", "model", "the", "--temperature", "-1"], "--temperature -1.0"),
        (["generate", "model", "the", "--search", "best"], "--search best: expected one of sample, greedy, beam"),
        (["generate", "model", "the", "--min-length", "9", "--max-length", "3"], "--min-length 9"),
        (["next", "model", "the", "-n", "0"], "-n 0: expected a whole number"),
        (["compare", "model", "--held-out", "text.txt", "-q"], "1 models; expected at least 2"),
        (["mix", "model", "--held-out", "unknown.txt", "-o", "new", "-q"], "none of the 5 words"),
        (["info", "vectors"], "holds word vectors"),
    ],
)
def test_mistakes_get_a_sentence(arguments, told, firth, model, monkeypatch, capsys):
    monkeypatch.chdir(firth.folder)
    monkeypatch.setenv("FIRTH_CACHE", str(firth.cache))
    monkeypatch.setattr(sys, "argv", ["firth", "lm", *arguments])
    before = {path: path.stat().st_mtime_ns for path in firth.folder.rglob("*")}
    with pytest.raises(SystemExit) as ended:  # in this process: thirty starts of the program would take a minute
        app.main()
    out, err = capsys.readouterr()
    assert told in Ended(ended.value.code, out, err).complaint
    after = {path: path.stat().st_mtime_ns for path in firth.folder.rglob("*")}
    assert {path for path in after if "cache" not in path.parts and path not in before} == set()


def test_held_out_text_without_a_known_word_loses_no_model(firth, model):
    ended = firth("lm", "train", "kneser-ney", "text.txt", "-o", "new", "--held-out", "unknown.txt", *SMALL)
    assert "none of the 5 words of the held-out text" in ended.complaint
    assert firth("lm", "info", "new").status == 0


def test_models_of_two_corpora_are_told_apart(firth, model):
    (firth.folder / "other.txt").write_text(TEXT.replace("door", "gate"), encoding="utf-8")
    assert firth("lm", "train", "kneser-ney", "other.txt", "-o", "other", *SMALL).status == 0
    complaint = firth("lm", "compare", "model", "other", "--held-out", "text.txt", "-q").complaint
    assert "model and other have 14 and 14 words; word 8 is 'door' in the first" in complaint
    assert "train both on the same corpus" in complaint
    assert (
        "model 1 and model 2"
        in firth("lm", "mix", "model", "other", "--held-out", "text.txt", "-o", "x", "-q").complaint
    )


def test_a_corpus_that_left_words_out_is_no_text_for_a_language_model(firth, model):
    corpus = library.Corpus.build(firth.folder / "text.txt", min_count=26, cache=firth.cache)
    complaint = firth("lm", "train", "kneser-ney", corpus.path, "-o", "new", "-q").complaint
    assert "left out" in complaint
    assert "unknown='<unk>'" in complaint


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.json", "config.json"])
def test_a_damaged_model(name, firth, model):
    file = model / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert "model" in firth("lm", "score", "model", "text.txt").complaint


def test_prompts_of_unknown_words_are_warned_of(firth, model):
    ended = firth("lm", "generate", "model", "the castle", "--max-length", 4)
    assert ended.status == 0
    assert ended.err == "firth: warning: prompt: 'castle' not in the vocabulary; read as <unk>\n"
    assert ended.out.startswith("the <unk>")


def test_from_standard_input_to_a_mixture(firth):
    for order in (1, 3):
        ended = firth("lm", "train", "kneser-ney", "-", "-o", f"m{order}", "--order", order, *SMALL, stdin=TEXT)
        assert ended.status == 0, ended.err
    (firth.folder / "held.txt").write_text("the door of the house is old\n" * 3, encoding="utf-8")
    assert firth("lm", "mix", "m1", "m3", "--held-out", "held.txt", "-o", "both", "-q").status == 0
    rows = firth("lm", "compare", "m1", "m3", "both", "--held-out", "held.txt", "--json", "-q").out.splitlines()
    assert {json.loads(row)["model"] for row in rows[:3]} == {"m1", "m3", "both"}
    (row,) = firth("lm", "score", "both", "-", "--json", stdin="the door is old").out.splitlines()
    assert json.loads(row)["tokens"] == ["the", "door", "is", "old", "</s>"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_counting_that_is_stopped_leaves_nothing(number, firth):
    words = [f"word{i}" for i in range(3000)]
    (firth.folder / "text.txt").write_text(sentences(150_000, words), encoding="utf-8")
    process = firth.start("lm", "train", "kneser-ney", "text.txt", "-o", "new", "--order", 6, "--threads", 1, "-q")
    wait_until(lambda: any(firth.cache.rglob("corpus.json")), process)
    ended = end_by(process, number)
    assert ended.status == 128 + number
    assert "Traceback" not in ended.err
    assert not list(firth.folder.glob("*new*"))


def test_learning_that_a_system_ends_saves_what_was_learned(firth):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    (firth.folder / "text.txt").write_text(TEXT * 20, encoding="utf-8")
    line = ["lm", "train", "rnn", "text.txt", "-o", "new", "--dim", 8, "--hidden", 8, "--layers", 1, "--epochs", 10_000,
            "--threads", 1, "--checkpoint", "state", "-q"]  # fmt: skip
    process = firth.start(*line)
    wait_until(lambda: (firth.folder / "state").is_dir() and any((firth.folder / "state").iterdir()), process)
    ended = end_by(process, signal.SIGTERM)
    assert ended.status == 143, ended.err
    assert "training was interrupted" in ended.err
    assert firth("lm", "generate", "new", "the", "--max-length", 4).status == 0
