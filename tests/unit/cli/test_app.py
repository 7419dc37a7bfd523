"""What the command line prints, and with which status it ends: in this process; `tests/robustness` runs the program."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer

import firth
from firth.cli import app, output
from firth.cli.files import print_facts
from firth.vectors.word_vectors import WordVectors
from tests import fork_server

WORDS = ["man", "woman", "king", "queen", "boy", "girl"]
ROWS = [[1, 0], [-1, 0], [1, 1], [-1, 1], [1, -1], [-1, -1]]


@pytest.fixture
def vectors(tmp_path):
    WordVectors(WORDS, np.array(ROWS, dtype=np.float32), counts=range(6, 0, -1)).save(tmp_path / "v.firth")
    return "v.firth"


def test_help_names_every_command(run):
    status, out, _ = run("--help")
    assert status == 0
    for name, (_, _, line) in app.COMMANDS.items():
        assert name in out
        assert line in " ".join(out.replace("│", " ").split())  # Typer 0.16 breaks lines inside its frame


CONVERSE = ("explore", "serve", "shell")  # they print no answer of their own


def help_of(run, *command):
    status, out, complaint = run(*command, "-h")
    if "torch is needed to" in " ".join(complaint.split()):  # a model's options are a part of the help
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert status == 0
    return out


@pytest.mark.parametrize("command", ["sentences train", "lm train", "classify train", "train", "plot", "neighbours"])
def test_without_arguments_the_help_is_a_usage_error(run, command):
    status, out, _ = run(*command.split())
    if status == 1:
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert (status, f"Usage: firth {command} " in out) == (2, True)


@pytest.mark.parametrize("name", list(app.COMMANDS))
def test_every_command_explains_itself(run, name):
    out = help_of(run, name)
    assert f"firth {name}" in out
    assert "<bool>" not in out
    several = app._load(*app.COMMANDS[name][:2])
    if isinstance(several, typer.Typer):
        for command in several.registered_commands:
            assert command.name in out
            out_of_one = help_of(run, name, command.name)
            if "MODEL CORPUS" not in out_of_one:  # firth lm train has a command per model
                assert {"--json", "--quiet"} <= set(out_of_one.split())
    else:
        assert {"--quiet"} | (set() if name in CONVERSE else {"--json"}) <= set(out.split())


@pytest.mark.parametrize(
    ("arguments", "stage"),
    [
        (["neighbours", "v.firth", "king"], "searching neighbours"),
        (["similarity", "v.firth", "king", "man"], "reading v.firth"),
        (["analogy", "v.firth", "man", "king", "woman"], "reading v.firth"),
        (["index", "v.firth", "-o", "v.index", "--kind", "exact"], "building the index"),
        (["index", "v.firth", "--compare", "--queries", "2", "-n", "2"], "measuring index"),
        (["axis", "v.firth", "--poles", "man:woman"], "reading v.firth"),
        (["semantic-change", "v.firth", "v.firth", "--min-count", "1"], "comparing the two times"),
        (["convert", "v.firth", "v.txt"], "writing v.txt"),
        (["info", "v.firth"], "reading v.firth"),
        (["info", "v.firth", "--verify"], "reading v.firth"),
        (["postprocess", "v.firth", "center", "-o", "out"], "centre"),
        (["quantise", "v.firth", "-o", "out"], "quantising"),
        (["evaluate", "v.firth", "--similarity", "pairs.txt"], "reading v.firth"),
        (["diversity", "pairs.txt"], "counting patterns"),
        (["plot", "map", "v.firth", "king", "man", "boy", "--json"], "drawing"),
        (["plot", "curve", "v.firth", "--json"], "drawing"),
    ],
)
def test_work_without_progress_of_its_own_shows_the_time_on_a_terminal(run, vectors, monkeypatch, arguments, stage):
    """`elapsed` waits a second before it shows anything; here it is replaced by a list of what it would show."""
    (Path.cwd() / "pairs.txt").write_text("man king 5\nman woman 1\nking queen 3\n", encoding="utf-8")
    stages = []

    @contextlib.contextmanager
    def record(stage, progress):
        if progress is None:  # what a terminal shows
            stages.append(stage)
        yield

    monkeypatch.setattr(output, "elapsed", record)
    run(*arguments)
    assert any(shown.startswith(stage) for shown in stages), stages
    stages.clear()
    run(*arguments, "--quiet", *(["--overwrite"] if {"convert", "out"} & {*arguments} else []))
    assert stages == []


def test_lines_are_counted_where_answers_go_to_a_file(monkeypatch):
    monkeypatch.setattr(output, "_INTERVAL", -1.0)
    statuses = []

    @contextlib.contextmanager
    def record(progress):
        yield statuses.append if progress is None else lambda status: None

    monkeypatch.setattr(output, "reporting", record)
    assert list(output.with_progress([["a", "b"], ["c"]], "scoring", quiet=False)) == [["a", "b"], ["c"]]
    assert [(status.stage, status.done, status.unit) for status in statuses] == [
        ("scoring", 2, "lines"),
        ("scoring", 3, "lines"),
    ]
    statuses.clear()
    assert list(output.with_progress([["a"]], "scoring", quiet=True)) == [["a"]]
    assert statuses == []


def test_help_fits_80_columns_and_groups_the_commands(run):
    """Each command has one line in the panel of its group."""
    lines = run("--help")[1].splitlines()
    assert max(map(len, lines)) <= 80
    headings = [line.split()[1] for line in lines if line.startswith("╭")]
    assert headings == ["Options", *(panel.split()[0] for panel in app.PANELS)]


@pytest.mark.parametrize(
    ("other", "name"), [("neighbors", "neighbours"), ("quantize", "quantise"), ("summarise", "summarize")]
)
def test_both_spellings_of_a_command(run, other, name):
    assert f"firth {name} " in run(other, "-h")[1]


def test_both_spellings_of_a_flag(run, vectors):
    assert run("plot", "neighbors", vectors, "king", "--json") == run("plot", "neighbours", vectors, "king", "--json")


def test_version(run):
    assert run("--version")[:2] == (0, f"firth {firth.__version__}\n")


def test_neighbors(run, vectors):
    status, out, err = run("neighbours", vectors, "king", "-n", 2)
    assert (status, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [["man", "0.7071"], ["queen", "0.0000"]]


def test_neighbors_of_several_words(run, vectors):
    _, out, _ = run("neighbours", vectors, "king", "queen", "-n", 1)
    assert out.splitlines() == ["king", "  man  0.7071", "queen", "  woman  0.7071"]


def test_neighbors_as_json(run, vectors):
    _, out, _ = run("neighbours", vectors, "king", "queen", "-n", 1, "--json")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"query": "king", "neighbours": [{"word": "man", "score": pytest.approx(0.70710678)}]},
        {"query": "queen", "neighbours": [{"word": "woman", "score": pytest.approx(0.70710678)}]},
    ]


def test_similarity(run, vectors):
    assert run("similarity", vectors, "man", "king")[:2] == (0, "0.7071\n")
    _, out, _ = run("similarity", vectors, "man", "king", "--json")
    assert json.loads(out) == {"a": "man", "b": "king", "similarity": pytest.approx(0.70710678)}


@pytest.mark.parametrize("method", ["add", "mul"])
def test_analogy(run, vectors, method):
    assert run("analogy", vectors, "man", "king", "woman", "--method", method)[1].startswith("queen ")
    _, out, _ = run("analogy", vectors, "man", "king", "woman", "-n", 1, "--method", method, "--json")
    found = json.loads(out)
    assert list(found) == ["a", "b", "c", "method", "answers"]
    assert [answer["word"] for answer in found["answers"]] == ["queen"]


FIGURE = [
    *("vectors", "suite", "set", "metric", "value", "low", "high"),
    *("covered", "total", "baseline", "baseline_name", "baseline_low", "baseline_high", "baseline_p"),
]


def test_evaluate(run, vectors, tmp_path):
    (tmp_path / "pairs.txt").write_text("man king 5\nman woman 1\nking queen 3\n", encoding="utf-8")
    (tmp_path / "questions.txt").write_text(": royal\nman king woman queen\n", encoding="utf-8")
    gold = ("--similarity", "pairs.txt", "--analogies", "questions.txt")
    _, out, _ = run("evaluate", vectors, *gold, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert all(list(line) == FIGURE for line in lines)
    assert [(line["set"], line["metric"], line["value"]) for line in lines] == [
        ("pairs", "spearman", 1.0),
        ("questions", "3cosadd", 1.0),
        ("questions/royal", "3cosadd", 1.0),
        ("questions", "3cosmul", 1.0),
        ("questions/royal", "3cosmul", 1.0),
    ]
    assert len(run("evaluate", vectors, *gold)[1].splitlines()) == 1 + 3
    assert len(run("evaluate", vectors, *gold, "--sections")[1].splitlines()) == 1 + 5


@pytest.mark.parametrize(
    ("name", "flags", "format"),
    [
        ("copy.txt", (), "word2vec"),
        ("copy.vec.gz", (), "word2vec"),
        ("copy.bin", (), "word2vec-binary"),
        ("copy", (), "firth"),
        ("copy.txt", ("--to", "glove"), "glove"),
        ("copy", ("--to", "word2vec"), "word2vec"),
        ("copy", ("--dtype", "float16"), "firth"),
        ("copy.npy", (), "npy"),
        ("copy.parquet", (), "parquet"),
        ("copy.parquet", ("--map", "pca"), "parquet"),
        ("copy", ("--to", "projector"), "projector"),
        ("copy", ("--to", "sentence-transformers"), "sentence-transformers"),
        ("copy", ("--to", "spacy"), "spacy"),
    ],
)
def test_convert(run, vectors, name, flags, format):
    status, out, err = run("convert", vectors, name, *flags)
    assert (status, out) == (0, "")
    assert err == f"{name}: 6 words x 2, as {format}\n"
    copy = firth.load(name)
    assert copy.words == WORDS
    np.testing.assert_array_equal(copy.vectors, np.array(ROWS))
    _, out, _ = run("convert", vectors, name, *flags, "--overwrite", "--json")
    assert json.loads(out) == {"vectors": name, "format": format, "words": 6, "dim": 2}


def test_info(run, vectors):
    _, out, _ = run("info", vectors, "--json")
    found = json.loads(out)
    assert {name: found[name] for name in ("kind", "words", "dim", "dtype", "counts")} == {
        "kind": "vectors",
        "words": 6,
        "dim": 2,
        "dtype": "float32",
        "counts": True,
    }
    assert found["bytes"] > 6 * 2 * 4
    _, out, _ = run("info", vectors)
    assert "words           6" in out


def test_facts_that_are_empty_have_no_line(capsys):
    print_facts({"kind": "parser", "training": {"error": "", "steps": 0}, "error": "", "minutes": None})
    assert capsys.readouterr().out == "kind      parser\ntraining\n  steps  0\nminutes   none\n"


def test_info_of_a_corpus(run, tmp_path):
    (tmp_path / "text.txt").write_text("one two two\nthree two\n", encoding="utf-8")
    corpus = firth.Corpus.build(tmp_path / "text.txt", min_count=2)
    found = json.loads(run("info", corpus.path, "--json")[1])
    assert (found["kind"], found["tokens"], found["sentences"], found["words"]) == ("corpus", 3, len(corpus), 1)
    assert found["out_of_vocabulary_share"] == pytest.approx(0.4)
    assert found["options"]["min_count"] == 2


def test_an_error_is_one_sentence(run, vectors):
    status, out, err = run("neighbours", vectors, "kingg")
    assert (status, out) == (1, "")
    assert err.splitlines() == ["firth: 'kingg' is not in the vocabulary; did you mean king?"]


def test_words_that_look_like_flags_follow_two_dashes(run, vectors):
    status, _, err = run("neighbours", vectors, "--", "--debug")
    assert status == 1
    assert "'--debug' is not in the vocabulary" in err
    assert "Traceback" not in err


def test_questions_load_no_compiler(vectors, tmp_path):
    """`firth neighbours` and `firth --help` start without numba, and without whatever draws."""
    program = (
        "import sys\nfrom firth.cli.app import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'matplotlib', 'scipy', 'requests', 'torch'} & set(sys.modules)))"
    )
    for arguments in (["neighbours", vectors, "king"], ["--help"], ["lm", "--help"], ["info", vectors]):
        result = subprocess.run(
            [sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert result.stdout.splitlines()[-1] == "[]"


def test_diversity(run, tmp_path):
    """96 of one line and 4 others: (100 log 100 - 96 log 96) / 100 = 0.22340; + 4 / 200."""
    (tmp_path / "b.txt").write_text("".join(f"# p{i % 5}\n" for i in range(100)), encoding="utf-8")
    (tmp_path / "c.txt").write_text("same\n" * 96 + "one\n\ntwo\nthree\nfour\n", encoding="utf-8")
    _, out, err = run("diversity", "b.txt", "c.txt", "--patterns", "line", "--patterns", 1, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert err == ""
    assert [(line["file"], line["patterns"]) for line in lines] == [
        *(("b.txt", "line"), ("c.txt", "line")),
        *(("b.txt", "1"), ("c.txt", "1")),
    ]
    assert [line["different"] for line in lines] == [5] * 4
    assert lines[1]["entropy"] == pytest.approx(0.22340, abs=1e-5)
    assert lines[1]["corrected"] == pytest.approx(0.24340, abs=1e-5)
    heading, *rows = run("diversity", "b.txt", "c.txt")[1].splitlines()
    assert len({len(row) for row in [heading, *rows]}) == 1
    assert rows[1].split()[:6] == ["c.txt", "line", "100", "100", "5", "0.050"]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system cannot run commands in forks of a server")
def test_a_call_of_main_leaves_other_tests_their_server_of_commands(run):
    run("--version")
    assert fork_server.fits(os.environ)


# A signal that comes while Python frees its modules, after everything that a program can do itself.
LATE = """
import os, signal, sys
from firth.cli.app import main
class Late:
    def __del__(self, kill=os.kill, process=os.getpid(), number=getattr(signal, sys.argv.pop(1))):
        kill(process, number)
sys.late = Late()
main()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_after_the_last_word_changes_nothing(name):
    ended = subprocess.run([sys.executable, "-c", LATE, name, "--version"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, f"firth {firth.__version__}\n")


def test_going_on_from_a_checkpoint_is_said(run, tmp_path):
    (tmp_path / "text.txt").write_text("a b c d e f\n" * 300, encoding="utf-8")
    line = ["train", "skipgram", "text.txt", "-o", "v.firth", "--dim", 4, "--epochs", 1, "--checkpoint", "states"]
    said = "going on from the checkpoint in states (epochs done: 1)\n"
    assert said not in run(*line)[2]
    status, out, err = run(*line, "--json")
    assert (status, err.count(said)) == (0, 1)
    assert json.loads(out)["words"] == 6
    assert run(*line, "--quiet")[2] == ""
