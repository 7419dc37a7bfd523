"""`firth serve`: names of models, hosts, a process that answers and ends."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import firth
from firth.cli.serve import open_models
from firth.errors import FirthError, OptionError, install_command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("serve")
    vectors = firth.WordVectors(["a", "b", "c"], np.eye(3, dtype=np.float32) + 0.1)
    for name in ("one/words.firth", "two/words.firth"):
        (where / name).parent.mkdir()
        vectors.save(where / name)
    return where


def test_names(folder, monkeypatch):
    monkeypatch.chdir(folder)
    given = ["one/words.firth", "two/words.firth/", "mine=one/words.firth"]
    assert list(open_models(given, True)) == ["words", "words-2", "mine"]
    with pytest.raises(OptionError, match="expected NAME=MODEL with a name of its own"):
        open_models(["x=one/words.firth", "x=two/words.firth"], True)


def test_a_server_answers_and_ends(folder):
    command = [sys.executable, "-m", "firth", "serve", "one/words.firth", "--port", "0"]
    environment = {**os.environ, "FIRTH_TOKEN": "secret"}
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = re.search(r"http://\S+?(?=;)", process.stderr.readline())[0]
            request = urllib.request.Request(
                f"{address}/neighbors", b'{"words": ["a"], "n": 1}',
                {"authorization": "Bearer secret", "content-type": "application/json"},
            )  # fmt: skip
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert json.load(answer)["results"][0]["neighbors"][0]["word"] in ("b", "c")
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(f"{address}/info", timeout=30)
            process.send_signal(signal.SIGTERM)
            log = [json.loads(line) for line in process.stderr.read().splitlines()]
            assert process.wait(30) == 128 + signal.SIGTERM
        finally:
            process.kill()
    assert [(line["path"], line["status"]) for line in log] == [("/neighbors", 200), ("/info", 401)]


def test_files_that_are_overwritten_or_cut_short_change_no_answer(folder, tmp_path):
    """In place, as `cp` and editors do: a server that mapped them would answer otherwise, then end by SIGBUS."""
    firth.WordVectors([f"w{n}" for n in range(3000)], np.eye(3000, 50, dtype=np.float32) + 0.1).save(
        tmp_path / "v.firth"
    )
    command = [sys.executable, "-m", "firth", "serve", "v.firth", "--port", "0", "-q"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = re.search(r"http://\S+?(?=;)", process.stderr.readline())[0]
            file = tmp_path / "v.firth" / "model.safetensors"
            answers = []
            for size in (file.stat().st_size, 4096, 0):
                with file.open("r+b") as content:
                    content.write(bytes(min(size, 4096)))
                    content.truncate(size)
                with urllib.request.urlopen(f"{address}/neighbors?words=w7&n=3", timeout=30) as answer:
                    answers.append(json.load(answer))
            assert answers[1:] == answers[:1] * 2
            assert len(answers[0]["results"][0]["neighbors"]) == 3
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--rate", "-1"], "expected positive numbers"),
        (["--token", "a b"], "expected ASCII characters without spaces"),
        (["--host", "no.such.host.invalid", "--insecure"], "no.such.host.invalid, port 8000: "),
        (["--host", "0.0.0.0"], "expected --token TOKEN, or FIRTH_TOKEN in the environment, or --insecure"),
    ],
)
def test_mistakes(folder, flags, message):
    from firth.cli.app import build_app

    line = ["serve", str(folder / "one/words.firth"), "-q", *flags]
    with pytest.raises(OptionError, match=message):
        build_app(line)(line, prog_name="firth", standalone_mode=False)


@pytest.mark.parametrize("command", ["serve", "explore"])
def test_a_missing_file_is_said_before_a_missing_extra(monkeypatch, command):
    from firth.cli.app import build_app

    monkeypatch.setitem(sys.modules, "firth.explorer.server", None)
    line = [command, "no-such-model"]
    with pytest.raises(FirthError, match="no-such-model"):
        build_app(line)(line, prog_name="firth", standalone_mode=False)


@pytest.mark.parametrize(
    ("command", "package", "named"),
    [
        ("serve", "prometheus_client", "prometheus-client"),
        ("serve", "uvicorn", "uvicorn"),
        ("explore", "fastapi", "fastapi"),
    ],
)
def test_a_missing_extra(folder, command, package, named):
    program = f"import sys; sys.modules[{package!r}] = None; sys.argv = ['firth', {command!r}, 'one/words.firth']; "
    program += "from firth.cli.app import main; main()"
    ended = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr == f"firth: {named} is needed to serve models: {install_command('explorer')}\n"
