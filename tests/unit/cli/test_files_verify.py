"""`firth info --verify`: a table of files, their state, and an exit status."""

import json
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from firth import Cooccurrence, Corpus, WordVectors
from firth.cli import app
from firth.loading import load
from firth.storage import checksums, integrity


def make_vectors(tmp_path):
    WordVectors(["a", "b"], np.eye(2, 3, dtype=np.float32)).save(tmp_path / "v")
    return tmp_path / "v", "model.safetensors"


def make_corpus(tmp_path):
    return Corpus.build([["a", "b"], ["b"]], cache=tmp_path / "c", min_count=1).path, "ids.bin"


def make_counts(tmp_path):
    corpus = Corpus.build([["a", "b"], ["b", "a"]], cache=tmp_path / "c", min_count=1)
    Cooccurrence(window=1).count(corpus, cache=tmp_path / "x").save(tmp_path / "counts")
    return tmp_path / "counts", "values.bin"


@pytest.fixture(autouse=True)
def _own_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(integrity, "_remembered", {})
    monkeypatch.setattr(integrity, "MTIME_RESOLUTION", -3600.0)  # files just written count as settled


@pytest.fixture(params=[make_vectors, make_corpus, make_counts])
def made(request, tmp_path):
    return request.param(tmp_path)


@dataclass(frozen=True)
class Ended:
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["firth", "info", *map(str, arguments), "--verify"])
        with pytest.raises(SystemExit) as ended:
            app.main()
        return Ended(ended.value.code, *capsys.readouterr())

    return run


def flip(file):
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


def test_a_whole_folder(run, made):
    folder, name = made
    (folder / "notes").write_text("mine")
    ended = run(folder)
    assert ended.exit_code == 0
    lines = ended.stdout.splitlines()
    assert lines[0].split() == ["file", "bytes", "state"]
    states = {line.split()[0]: line.split(maxsplit=2)[2] for line in lines[1:]}
    assert states[name] == "as written"
    assert states["notes"] == "no checksum"
    assert {file.name for file in folder.iterdir()} == {*states, checksums.FILE}


def test_a_damaged_folder(run, made):
    folder, name = made
    flip(folder / name)
    ended = run(folder)
    assert ended.exit_code == 1
    assert f"{name}: altered: bytes 0 to " in ended.stderr
    [line] = [line for line in ended.stdout.splitlines() if line.startswith(name)]
    assert "altered: bytes 0 to " in line
    facts = json.loads(run(folder, "--json").stdout)
    assert not facts["whole"]
    assert facts["error"].startswith(f"{folder / name}: altered")
    states = {each["file"]: each["state"] for each in facts["files"]}
    assert states.pop(name).startswith("altered")
    assert set(states.values()) <= {"as written", "no checksum"}


def test_all_damaged_files_are_listed(run, made):
    folder, _ = made
    names = list(checksums.read(folder, "").files)
    (folder / names[0]).unlink()
    flip(folder / names[1])
    ended = run(folder)
    assert ended.exit_code == 1
    assert "missing; expected a file of" in ended.stdout
    assert "altered: bytes" in ended.stdout


def test_what_is_remembered_does_not_count_and_damage_is_remembered(run, tmp_path, monkeypatch):
    """A failing disk changes bytes and no times."""
    folder, name = make_vectors(tmp_path)
    load(folder)
    monkeypatch.setattr(integrity, "_state", lambda folder, covered: ("the same", 0.0))
    load(folder)
    flip(folder / name)
    load(folder)
    assert run(folder).exit_code == 1
    with pytest.raises(ValueError, match="altered"):
        load(folder)


def test_contents_are_checked_besides(run, tmp_path):
    folder, name = make_corpus(tmp_path)
    (folder / name).write_bytes(np.array([0, 9, 0], "<i4").tobytes())
    checksums.write(folder)
    ended = run(folder, "--json")
    assert ended.exit_code == 1
    facts = json.loads(ended.stdout)
    assert {each["state"] for each in facts["files"]} == {"as written"}
    assert "token 1 is word 9 of 2" in facts["error"]


@pytest.mark.usefixtures("without_checksums")
def test_a_folder_without_checksums(run, made):
    folder, _ = made
    facts = json.loads(run(folder, "--json").stdout)
    assert (facts["whole"], facts["checksums"], facts["error"]) == (True, False, None)
    assert {each["state"] for each in facts["files"]} == {"no checksum"}


def test_checksums_that_are_damaged_themselves(run, made):
    folder, _ = made
    (folder / checksums.FILE).write_text("{")
    facts = json.loads(run(folder, "--json").stdout)
    assert "checksums.json: damaged" in facts["error"]


def test_a_folder_of_folders(run, tmp_path):
    """As `firth compare` makes them."""
    made = tmp_path / "comparison" / "vectors"
    made.mkdir(parents=True)
    for name in ("one", "two"):
        WordVectors([name], np.eye(1, 3, dtype=np.float32)).save(made / name)
    assert run(tmp_path / "comparison").exit_code == 0
    flip(made / "two" / "model.safetensors")
    ended = run(tmp_path / "comparison", "--json")
    assert ended.exit_code == 1
    bad = [each["file"] for each in json.loads(ended.stdout)["files"] if each["state"] != "as written"]
    assert [name for name in bad if not name.endswith("README.md")] == ["vectors/two/model.safetensors"]


def test_what_is_no_folder_of_ours(run, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    for name in ("empty", "file", "missing"):
        ended = run(tmp_path / name)
        assert ended.exit_code == 1
        assert "expected one that firth wrote" in ended.stderr
