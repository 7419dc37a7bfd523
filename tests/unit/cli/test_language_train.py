import dataclasses
import inspect
import json
import subprocess
import sys

import numpy as np
import pytest

import firth
from firth.cli.app import build_app
from firth.cli.language_train import CORPUS, COUNTING, NEURAL, train, trainers
from firth.comparison.named import named
from firth.errors import MissingExtraError
from firth.language.text import UNK, training_text

NOUNS = ["door", "house", "garden", "letter", "river"]
TEXT_FILE = "".join(
    f"the {a} of the {b} is old\na {a} stands near the {b} {i}\n" for i, a in enumerate(NOUNS) for b in NOUNS
)
OWN = {
    "corpus",
    "output",
    "held_out",
    "seed",
    "threads",
    "checkpoint",
    "column",
    "stop_words",
    "cache",
    "quiet",
    "json",
}


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "text.txt").write_text(TEXT_FILE, encoding="utf-8")
    (tmp_path / "held.txt").write_text("the letter of the castle is old\na river stands\n", encoding="utf-8")


def run(*arguments):
    line = ["lm", "train", *map(str, arguments)]
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def parameters(name):
    (command,) = [each for each in trainers([name]).registered_commands if each.name == name]
    return inspect.signature(command.callback).parameters


@pytest.mark.parametrize("name", list(named(COUNTING)))
def test_every_option_of_every_model_that_counts_has_a_flag(name):
    model = named(COUNTING)[name]
    fields = {field.name for field in dataclasses.fields(model.kind)}
    assert fields - set(model.preset) <= set(parameters(name))
    assert not set(model.preset) & set(parameters(name))
    assert {field.name for field in dataclasses.fields(CORPUS.kind)} - CORPUS.without <= set(parameters(name))


def test_every_option_of_every_neural_model_has_a_flag_and_none_takes_anothers_place():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    for name, model in named(NEURAL).items():
        fields = {field.name for field in dataclasses.fields(model.kind) if field.metadata}
        assert "output" in fields  # -o/--output is the file to write
        own = fields - set(model.preset) - {"output"} | {"output_layer"}
        loop = {field.name for field in dataclasses.fields(type(model.kind.training)) if field.metadata}
        text = (
            {field.name for field in dataclasses.fields(CORPUS.kind)} - CORPUS.without - {"stop_words"}
        )  # a file of them
        kinds = [own, loop, text, OWN]
        assert len(set().union(*kinds)) == sum(map(len, kinds)), name
        assert own | loop | OWN <= set(parameters(name))
        told = parameters(name)["epochs"].annotation.__metadata__[0].help
        assert told.endswith(f"Default: {model.kind.training.epochs}.")


def test_trains_what_python_code_would(capsys):
    assert run("kneser-ney", "text.txt", "-o", "out.firth", "--order", 3, "--discount-fallback", "--min-count", 6,
               "--json", "-q", "--held-out", "held.txt") == 0  # fmt: skip
    told = json.loads(capsys.readouterr().out)
    corpus = firth.Corpus.build("text.txt", min_count=6, unknown=UNK)
    expected = firth.NgramLM(order=3, discount_fallback=True).train(corpus)
    found = firth.load("out.firth")
    text = found.encode(TEXT_FILE.splitlines())
    np.testing.assert_array_equal(found.log_probs(text), expected.log_probs(text))
    assert found.metadata["name"] == "out"
    assert told["held_out"] == expected.perplexity("held.txt").described()
    assert (told["kind"], told["words"], told["interrupted"]) == ("kneser-ney", len(expected.vocabulary), False)
    assert told["unknown"] == corpus.vocabulary.counts[corpus.vocabulary.ids[UNK]] == 25  # the numbers, five of each


def test_says_what_became_of_rare_words_and_what_next(capsys):
    run("kneser-ney", "text.txt", "-o", "out.firth", "--discount-fallback", "--min-count", 6, "-q")
    where, learned, what_next = capsys.readouterr().out.splitlines()
    assert where.startswith("out.firth: kneser-ney, 14 words, ")
    assert learned == "learned from 350 words, 25 of them (7.1 %) rare and read as <unk>"
    assert what_next == "next: firth lm generate out.firth"
    run("kneser-ney", "text.txt", "-o", "out.firth", "--discount-fallback", "--min-count", 1, "-q")
    assert "all of them kept" in capsys.readouterr().out


def test_trains_a_neural_model_with_its_own_training_and_flags(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert run("lstm", "text.txt", "-o", "out.firth", "--dim", 8, "--hidden", 8, "--layers", 1, "--epochs", 2,
               "--min-count", 1, "--lr", 0.01, "--threads", 1, "--seed", 3, "--held-out", "held.txt", "--json",
               "-q") == 0  # fmt: skip
    told, found = json.loads(capsys.readouterr().out), firth.load("out.firth")
    usual = firth.RecurrentLM.training
    training = dataclasses.replace(usual, epochs=2, lr=0.01)
    corpus = firth.Corpus.build("text.txt", min_count=1, unknown=UNK)
    how = firth.RecurrentLM(cell="lstm", dim=8, hidden=8, layers=1)
    expected = how.train(corpus, training=training, held_out="held.txt", seed=3, threads=1, progress=False)
    assert told["held_out"]["perplexity"] == expected.perplexity("held.txt").value
    text = found.encode(TEXT_FILE.splitlines())
    np.testing.assert_array_equal(found.log_probs(text), expected.log_probs(text))


@pytest.mark.parametrize("built", [False, True])
def test_a_model_over_characters_reads_words_that_it_does_not_predict(capsys, built):
    """The same from text and from a corpus of every word; the limits are of what is predicted."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    corpus = firth.Corpus.build("text.txt", min_count=1)
    source = corpus.path if built else "text.txt"
    line = [source, "-o", "out.firth", "--epochs", 1, "--hidden", 8, "--layers", 1, "--threads", 1, "--min-count", 6]
    assert run("char-aware", *line, "-q") == 0
    assert "25 of them (7.1 %) rare and predicted as <unk>" in capsys.readouterr().out
    found = firth.load("out.firth")
    how = firth.RecurrentLM(embedding="char-cnn", hidden=8, layers=1)
    training = dataclasses.replace(how.training, epochs=1)
    expected = how.train(
        training_text(corpus, {"min_count": 6}, spelled=True), training=training, threads=1, progress=False
    )
    text = found.encode(["the house 1 is old", "the house 111 is old"])
    assert list(found.vocabulary.words) == list(expected.vocabulary.words)
    logs = found.log_probs(text)
    np.testing.assert_array_equal(logs, expected.log_probs(text))
    assert text.ids[2] == text.ids[8] == text.unk_id
    assert found.score("the 1 is")[0].log_probs[2] != found.score("the 111 is")[0].log_probs[2]


def test_models_that_count_wait_for_no_torch(monkeypatch):
    """The names of neural models are not looked for where a counting one is meant, nor is PyTorch."""
    program = (
        "import sys; from firth.cli.language_train import trainers; trainers(['kneser-ney', 'x']); "
        "import firth.cli.language; print(sorted(set(sys.modules) & {'torch', 'numba.cuda'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def without_torch(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch" or name.startswith("firth.neural")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("RecurrentLM", "FeedForwardLM", "LogBilinearLM", "TransformerLM", "TrainingOptions"):
        monkeypatch.delitem(vars(firth), name, raising=False)


def test_a_rate_that_grows_too_high_fails_and_keeps_the_best_model():
    """The warm-up passes rates that teach something before it comes to those that teach nothing."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    line = ["rnn", "text.txt", "-o", "out.firth", "--held-out", "held.txt", "--dim", 8, "--hidden", 8, "--layers", 1,
            "--epochs", 200, "--optimiser", "sgd", "--lr", 10_000, "--warmup", 5000, "--clip-norm", 0, "--schedule",
            "constant", "--patience", 0, "--plateau-factor", 1]  # fmt: skip
    with pytest.warns(UserWarning, match=r"diverged by step.*The best model, of step \d+, is kept"):
        assert run(*line, "-q") == 1
    assert firth.load("out.firth").metadata["training"]["ended"] == "diverged"


def test_without_torch_neural_names_say_what_to_install(without_torch, capsys):
    with pytest.raises(MissingExtraError, match=r"'lstm', which is not an n-gram model.*pip install 'firth\[neural\]'"):
        trainers(["lstm", "text.txt"])
    names = {command.name for command in trainers(["--help"]).registered_commands}
    assert names == set(named(COUNTING))
    assert "pip install 'firth[neural]'" in capsys.readouterr().err


def test_help_shows_every_model(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    for arguments in ([], ["--help"]):
        assert run(*arguments) == 0
        told = capsys.readouterr().out
        assert all(name in told for name in ("kneser-ney", "lstm", "char-aware"))


def test_a_model_that_does_not_exist_is_a_mistake_of_usage(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert run("nosuch", "text.txt", "-o", "out.firth") == 2
    assert "No such command 'nosuch'" in capsys.readouterr().err


def test_its_docstring_is_its_help():
    assert "firth lm train MODEL CORPUS... -o OUT" in (inspect.getdoc(train) or "")
