import dataclasses
import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.cli.app import build_app
from firth.cli.language_train import CORPUS, COUNTING, NEURAL, train, trainers
from firth.comparison.models import models_in
from firth.errors import MissingExtraError, OptionError, install_command
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
    "start",
    "old_held_out",
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


@pytest.mark.parametrize("name", list(models_in(COUNTING)))
def test_every_option_of_every_model_that_counts_has_a_flag(name):
    model = models_in(COUNTING)[name]
    fields = {field.name for field in dataclasses.fields(model.kind)}
    assert model.unused <= fields
    assert fields - set(model.preset) - model.unused <= set(parameters(name))
    assert not (set(model.preset) | model.unused) & set(parameters(name))
    assert {field.name for field in dataclasses.fields(CORPUS.kind)} - CORPUS.without <= set(parameters(name))


def test_every_option_of_every_neural_model_has_a_flag_and_none_takes_anothers_place():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    for name, model in models_in(NEURAL).items():
        fields = {field.name for field in dataclasses.fields(model.kind) if field.metadata}
        assert "output" in fields  # -o/--output is the file to write
        own = fields - set(model.preset) - model.unused - {"output"} | {"output_layer"}
        loop = {field.name for field in dataclasses.fields(type(model.kind.training)) if field.metadata}
        text = (
            {field.name for field in dataclasses.fields(CORPUS.kind)} - CORPUS.without - {"stop_words"}
        )  # a file of them
        kinds = [own, loop, text, OWN]
        assert len(set().union(*kinds)) == sum(map(len, kinds)), name
        absent = {"start", "old_held_out"} - set(inspect.signature(model.kind.train).parameters)
        assert own | loop | OWN - absent <= set(parameters(name))
        assert not absent & set(parameters(name))
        told = parameters(name)["epochs"].annotation.__metadata__[0].help
        assert told.endswith(f"Default: {model.kind.training.epochs}.")


def test_trains_what_python_code_would(capsys):
    assert run("kneser-ney", "text.txt", "-o", "out.firth", "--order", 3, "--discount-fallback", "--min-count", 6,
               "--json", "-q", "--held-out", "held.txt") == 0  # fmt: skip
    told = json.loads(capsys.readouterr().out)
    corpus = firth.Corpus.build("text.txt", min_count=6, unknown=UNK)
    expected = firth.NgramLM(order=3, discount_fallback=True).train(corpus)
    found = firth.load("out.firth")
    text = found.token_ids(TEXT_FILE.splitlines())
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
    run("kneser-ney", "text.txt", "-o", "all.firth", "--discount-fallback", "--min-count", 1, "-q")
    assert "all of them kept" in capsys.readouterr().out


def test_trains_a_neural_model_with_its_own_training_and_flags(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert run("lstm", "text.txt", "-o", "out.firth", "--dim", 8, "--hidden", 8, "--layers", 1, "--epochs", 2,
               "--tokens", "Unicode", "--min-count", 1, "--lr", 0.01, "--threads", 1, "--seed", 3, "--held-out",
               "held.txt", "--json", "-q") == 0  # fmt: skip
    told, found = json.loads(capsys.readouterr().out), firth.load("out.firth")
    usual = firth.RecurrentLM.training
    training = dataclasses.replace(usual, epochs=2, lr=0.01)
    corpus = firth.Corpus.build("text.txt", min_count=1, unknown=UNK)
    how = firth.RecurrentLM(cell="lstm", dim=8, hidden=8, layers=1)
    expected = how.train(corpus, training=training, held_out="held.txt", seed=3, threads=1, progress=False)
    assert told["held_out"]["perplexity"] == expected.perplexity("held.txt").value
    text = found.token_ids(TEXT_FILE.splitlines())
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
    text = found.token_ids(["the house 1 is old", "the house 111 is old"])
    assert list(found.vocabulary.words) == list(expected.vocabulary.words)
    logs = found.log_probs(text)
    np.testing.assert_array_equal(logs, expected.log_probs(text))
    assert text.ids[2] == text.ids[8] == text.unk_id
    assert found.score("the 1 is")[0].log_probs[2] != found.score("the 111 is")[0].log_probs[2]


TINY = ["--dim", 8, "--hidden", 8, "--layers", 1, "--epochs", 2, "--threads", 1, "-q"]


def test_neural_models_read_subwords_with_case_and_punctuation(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    Path("cased.txt").write_text(TEXT_FILE.replace("the", "The").replace("old", "old!"), encoding="utf-8")
    assert run("LSTM", "cased.txt", "-o", "out.firth", *TINY, "--held-out", "cased.txt") == 0
    told = capsys.readouterr().out.splitlines()
    found = firth.load("out.firth")
    corpus = firth.Corpus.build("cased.txt", tokens="subwords", unknown=UNK)
    assert set(corpus.vocabulary.words) <= set(found.vocabulary.words)
    assert told[0].startswith(f"out.firth: lstm, {len(found.vocabulary):,} subwords, ")
    assert told[1] == f"learned from {corpus.num_tokens:,} subwords ({corpus.characters:,} characters)"
    assert told[2].startswith("perplexity ")
    assert told[3].startswith("bits: ")
    assert told[3].endswith(" per character")
    text = "The river of The door is old!"
    assert found.generate(text, options=firth.GenerationOptions(max_length=1), search="greedy")[0].startswith(text)
    assert found.token_ids(["Ünseen 東京"]).ids.tolist().count(found.vocabulary.ids[UNK]) == 0
    assert run("gru", "cased.txt", "-o", "letters.firth", *TINY, "--tokens", "characters") == 0
    assert "letters.firth: gru, 258 characters, " in capsys.readouterr().out


def test_a_start_is_continued_and_what_it_forgot_is_told(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert run("lstm", "text.txt", "-o", "old.firth", *TINY) == 0
    Path("new.txt").write_text("Some other text, about a castle!\n" * 40, encoding="utf-8")
    capsys.readouterr()
    line = ["lstm", "new.txt", "-o", "new.firth", "--start", "old.firth", "--epochs", 3, "--threads", 1, "-q"]
    assert run(*line, "--old-held-out", "text.txt", "--dropout", 0.5) == 0
    told = capsys.readouterr().out
    old, new = firth.load("old.firth"), firth.load("new.firth")
    before, after = old.perplexity("text.txt").value, new.perplexity("text.txt").value
    assert f"old text: perplexity {before:,.2f} before, {after:,.2f} after" in told
    assert (new.options.dim, new.options.dropout) == (8, 0.5)
    assert run(*line, "--old-held-out", "text.txt", "--overwrite", "--json") == 0
    assert json.loads(capsys.readouterr().out)["old_held_out"]["before"]["perplexity"] == pytest.approx(before)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["lstm", "--dim", 9], "--dim 9 with --start: the start has --dim 8, which cannot change; leave it out"),
        (["lstm", "--min-count", 2], "--min-count 2 with --start: the text is read like that of the start"),
        (["gru"], "--start old.firth: old.firth was made by firth lm train lstm, not gru; train lstm"),
        (["lstm", "--start", "counts.firth"], "counts.firth holds an n-gram model, expected a neural language model"),
    ],
)
def test_what_contradicts_a_start_is_named(line, told):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    run("lstm", "text.txt", "-o", "old.firth", *TINY)
    run("kneser-ney", "text.txt", "-o", "counts.firth", "--discount-fallback", "-q")
    start = [] if "--start" in line else ["--start", "old.firth"]
    arguments = ["lm", "train", line[0], "text.txt", "-o", "new.firth", *start, *map(str, line[1:]), "-q"]
    with pytest.raises(OptionError) as caught:
        build_app(arguments)(arguments, prog_name="firth")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["kneser-ney", "--order", "two"], "--order two: expected a whole number of at least 1"),
        (["add-k", "--add", "much"], "--add much: expected a finite number above 0"),
        (["kneser-ney", "--threads", "many"], "--threads many: expected a whole number"),
        (["kneser-ney", "--cutoff", 3], "No such option: --cutoff"),
    ],
)
def test_values_of_the_wrong_kind(line, told, capsys):
    assert run(*line, "text.txt", "-o", "out.firth") == 2
    assert told in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_values_out_of_range_are_named_by_their_flag():
    with pytest.raises(OptionError, match=r"^--order 0: expected a whole number of at least 1$"):
        build_app(["lm"])(["lm", "train", "kneser-ney", "text.txt", "-o", "out.firth", "--order", "0"])


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
    with pytest.raises(MissingExtraError, match=r"'lstm', which is not an n-gram model.*pip install .*\[neural\]"):
        trainers(["lstm", "text.txt"])
    names = {command.name for command in trainers(["--help"]).registered_commands}
    assert names == set(models_in(COUNTING))
    assert install_command("neural") in capsys.readouterr().err


def test_help_shows_every_model(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    for arguments, status in (([], 2), (["--help"], 0)):
        assert run(*arguments) == status
        told = capsys.readouterr().out
        assert all(name in told for name in ("kneser-ney", "lstm", "char-aware"))


def test_a_model_that_does_not_exist_is_a_mistake_of_usage(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert run("nosuch", "text.txt", "-o", "out.firth") == 2
    assert "No such command 'nosuch'" in capsys.readouterr().err


def test_its_docstring_is_its_help():
    assert "firth lm train MODEL CORPUS... -o OUT" in (inspect.getdoc(train) or "")
