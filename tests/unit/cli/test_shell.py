"""`firth shell`: words, sums and commands, from lines and from a terminal."""

import os
import select
import subprocess
import sys
import time

import numpy as np
import pytest

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

import firth
from firth.cli.shell import HELP, Answers
from firth.errors import OptionError, UnknownWordError

WORDS = [*(f"w{number}" for number in range(30)), "-", ":"]


@pytest.fixture(scope="module")
def vectors():
    return firth.WordVectors(WORDS, np.random.default_rng(0).standard_normal((32, 5)).astype("f4"))


@pytest.fixture
def ask(vectors, capsys):
    answers = Answers(vectors)

    def asked(line):
        assert answers.answer(line)
        return capsys.readouterr().out

    return asked


def shown(pairs):
    return [word for word, _ in pairs]


def test_words_and_sums(ask, vectors):
    assert [line.split()[0] for line in ask("w3").splitlines()] == shown(vectors.most_similar("w3"))
    found = vectors.most_similar(["w1", "w2"], ["w3"])
    for line in ("w1 - w3 + w2", "w1 w2 - w3", "- w3 + w1 + w2"):
        assert [each.split()[0] for each in ask(line).splitlines()] == shown(found)
    assert [each.split()[0] for each in ask("w1 + -").splitlines()] == shown(vectors.most_similar(["w1", "-"]))
    assert [each.split()[0] for each in ask(":").splitlines()] == shown(vectors.most_similar(":"))
    assert ask("  ") == ""


def test_a_command_without_its_colon(capsys):
    """`sim` is no word here and `map` is one: the first is answered with the command, the second with a remark."""
    answers = Answers(firth.WordVectors(["king", "queen", "map"], np.eye(3, dtype="f4")))
    with pytest.raises(OptionError, match="commands begin with a colon: :similarity king queen"):
        answers.answer("sim king queen")
    answers.answer("map king queen")
    assert "the command is :map king queen" in capsys.readouterr().err
    answers.answer("map + king")
    answers.answer("king queen")
    assert capsys.readouterr().err == ""
    answers.answer(":sim king queen")
    assert capsys.readouterr().out == "0.0000\n"


def test_commands(ask, vectors):
    assert ask(":similarity w1 w2") == f"{vectors.similarity('w1', 'w2'):.4f}\n"
    ask(":number 3")
    assert len(ask("w1").splitlines()) == 3
    low, high = ask(":axis w1,w2 w3").strip().split("\n\n")
    assert low.split()[0] in ("w1", "w2")
    assert high.split()[0] == "w3"
    assert {"w1", "w2", "w3"} <= set(ask(":map w1 w2 w3 w1").split())
    assert ask(":help").strip() == HELP
    assert all(f":{name}" in HELP for name in Answers(vectors).commands)
    assert not Answers(vectors).answer(":quit")


@pytest.mark.parametrize("line", [":nothing", ":axis w1", ":map w1", ":number x", ":number 0", ":similarity w1", "+ +"])
def test_mistakes(vectors, line):
    with pytest.raises(OptionError, match="expected"):
        Answers(vectors).answer(line)
    with pytest.raises(UnknownWordError):
        Answers(vectors).answer("unknown")


def test_lines_from_another_program(vectors, tmp_path):
    vectors.save(tmp_path / "v.firth")
    command = [sys.executable, "-m", "firth", "shell", "v.firth"]
    lines = "w1\nunknown\n:number 2\nw2\n:quit\nw3\n"
    done = subprocess.run(command, cwd=tmp_path, input=lines, capture_output=True, text=True, timeout=60, check=True)
    assert len(done.stdout.splitlines()) == 12 + 5  # with the lines themselves
    assert "'unknown' is not in the vocabulary" in done.stderr
    run = subprocess.run(
        [*command, "-r", ":number 1", "--run", "w1"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert len(run.stdout.splitlines()) == 2 + 1


def test_a_terminal(vectors, tmp_path):
    pytest.importorskip("prompt_toolkit", reason="prompt_toolkit is not installed: pip install 'firth[shell]'")
    vectors.save(tmp_path / "v.firth")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "FIRTH_CACHE": str(tmp_path / "cache"), "TERM": "xterm"}
    command = [sys.executable, "-m", "firth", "shell", "v.firth"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        seen = b""

        def wait_for_prompt(number):
            """A prompt begins with a request to mark what is pasted."""
            nonlocal seen
            until = time.monotonic() + 30
            while seen.count(b"\x1b[?2004h") < number and time.monotonic() < until:
                if select.select([ours], [], [], 0.5)[0]:
                    seen += os.read(ours, 10_000)
                if b"\x1b[6n" in seen:  # it asks where the cursor is
                    seen = seen.replace(b"\x1b[6n", b"")
                    os.write(ours, b"\x1b[1;1R")
            assert seen.count(b"\x1b[?2004h") >= number, seen

        try:
            for number, line in enumerate((b":number 1\r", b"w1 - w2\r", b"\x04"), 1):
                wait_for_prompt(number)
                os.write(ours, line)
            assert process.wait(30) == 0
        finally:
            process.kill()
            os.close(ours)
    assert vectors.most_similar("w1", "w2", topn=1)[0][0].encode() in seen
    assert "w1 - w2" in (tmp_path / "cache/shell/history").read_text(encoding="utf-8")
