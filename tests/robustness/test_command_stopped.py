"""The installed command, stopped in the middle: killed, interrupted, out of disk, or racing another."""

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import firth as library
from tests.robustness.command import LIMIT, Command, end_by, sentences, wait_until

resource = pytest.importorskip("resource", reason="Python's module resource is missing: only POSIX systems have it")

LINES = 10_000  # of ten words: an epoch takes a twentieth of a second


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(sentences(LINES), encoding="utf-8")
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """The files of a folder, without notes of what was verified: a file is noted once it is two seconds old."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and "verified" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith((".part", ".old"))]


def train(*more: object) -> list[object]:
    return ["train", "skipgram", "text.txt", "-o", "out.firth", *more]


SLOW = ["--threads", 1, "--dim", 100, "--sample", 0, "--epochs", 2000]  # longer than any test waits
SHORT = ["--threads", 1, "--dim", 100, "--sample", 0, "--epochs", 4]


def test_killed_while_it_reads_text(firth: Command, tmp_path: Path):
    """What a killed build leaves behind is never taken for a corpus, and is cleared away by the next build."""
    words = [f"word{i}" for i in range(50_000)]
    random.Random(0).shuffle(words)
    (tmp_path / "text.txt").write_text(sentences(100_000, words), encoding="utf-8")
    process = firth.start(*train("--dim", 4, "--epochs", 1))
    wait_until(lambda: any(path.stat().st_size for path in firth.cache.rglob("*.part/*")), process)
    end_by(process, signal.SIGKILL)
    assert leftovers(firth.cache), "the kill came too late to test anything"
    assert not [path for path in firth.cache.rglob("corpus.json") if not path.parent.name.endswith(".part")]
    (tmp_path / "text.txt").write_text(sentences(100), encoding="utf-8")
    assert firth(*train("--dim", 4, "--epochs", 1)).status == 0
    assert leftovers(firth.cache) == []


def test_killed_while_it_trains_goes_on_from_its_checkpoint(firth: Command, text: Path):
    """A run that was killed after an epoch and started again ends in the same bits as one that was not."""
    assert firth(*train(*SHORT)).status == 0
    whole = library.load(firth.folder / "out.firth").vectors.copy()
    again = train(*SHORT, "--checkpoint", "state")
    again[again.index("out.firth")] = "again.firth"
    process = firth.start(*again)
    wait_until(lambda: (firth.folder / "state/training.safetensors").exists(), process)
    end_by(process, signal.SIGKILL)
    assert not (firth.folder / "again.firth").exists(), "the kill came too late to test anything"
    ended = firth(*again)
    assert ended.status == 0
    assert "epoch 1/4" not in ended.err  # it did go on, and not begin again
    np.testing.assert_array_equal(library.load(firth.folder / "again.firth").vectors, whole)


def test_a_checkpoint_of_another_run_is_refused(firth: Command, text: Path):
    assert firth(*train("--dim", 4, "--epochs", 1, "--checkpoint", "state")).status == 0
    complaint = firth(*train("--dim", 8, "--epochs", 1, "--checkpoint", "state", "--quiet")).complaint
    assert "checkpoint of another run" in complaint
    assert "dim" in complaint


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_training_keeps_what_was_learned(firth: Command, tmp_path: Path, number: signal.Signals):
    (tmp_path / "text.txt").write_text(sentences(LINES), encoding="utf-8")
    with firth.start(*train(*SLOW, "--json"), real=number == signal.SIGINT) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        next(line for line in process.stderr if re.match(r"training, epoch ([2-9]|\d\d)", line))
        time.sleep(0.02)  # into the epoch
        process.send_signal(number)
        err, out = process.stderr.read(), process.stdout.read()
    assert process.returncode == 128 + number
    assert "interrupted" in err
    assert "Traceback" not in err
    assert json.loads(out)["interrupted"]
    kept = library.load(firth.folder / "out.firth")
    assert len(kept) == 26
    assert np.isfinite(kept.vectors).all()
    assert len(kept.metadata["training"]["loss"]) >= 1


def test_interrupted_before_anything_was_learned(firth: Command, text: Path):
    process = firth.start("train", "skipgram", "text.txt", "-o", "out.firth")
    wait_until(firth.cache.exists, process)
    ended = end_by(process, signal.SIGINT)
    assert ended.status == 130
    assert "Traceback" not in ended.err


def test_killed_while_it_saves(firth: Command):
    """The old vectors are whole after a kill at any moment of the save; no moment shows a mixture."""
    rows, dim = 40_000, 100
    words = [f"word{i}" for i in range(rows)]
    for name, value in (("old", 1.0), ("new", 2.0)):
        library.WordVectors(words, np.full((rows, dim), value, dtype=np.float32)).save(firth.folder / f"{name}.firth")
    for _ in range(3):
        assert firth("convert", "old.firth", "target.firth", "--overwrite").status == 0
        assert leftovers(firth.folder) == []  # those of the kill before
        process = firth.start("convert", "new.firth", "target.firth", "--overwrite")
        wait_until(lambda: bool(list(firth.folder.glob(".target.firth.*"))), process)
        end_by(process, signal.SIGKILL)
        found = library.load(firth.folder / "target.firth")
        assert found.words == words
        assert float(found.vectors.min()) == float(found.vectors.max()) in (1.0, 2.0)


def limit_file_size() -> None:
    """Let no file grow over 100 kB: the disk is full as far as this process can tell."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


@pytest.mark.parametrize("to", ["firth", "word2vec", "word2vec-binary", "glove"])
def test_a_disk_that_fills_up_while_it_saves(firth: Command, to: str):
    rows, dim = 2_000, 50
    words = [f"word{i}" for i in range(rows)]
    library.WordVectors(words, np.ones((rows, dim), dtype=np.float32)).save(firth.folder / "new.firth")
    library.WordVectors(["one", "two"], np.eye(2, dtype=np.float32)).save(firth.folder / "target", format=to)
    before = tree(firth.folder)
    complaint = firth("convert", "new.firth", "target", "--to", to, "--overwrite", before=limit_file_size).complaint
    assert "too large" in complaint
    assert "unchanged" in complaint
    assert tree(firth.folder) == before
    assert leftovers(firth.folder) == []


def test_a_disk_that_fills_up_while_it_reads_text(firth: Command, text: Path):
    complaint = firth(*train("--quiet"), before=limit_file_size).complaint
    assert "cannot be written" in complaint
    assert not (firth.folder / "out.firth").exists()
    assert leftovers(firth.cache) == []
    assert not list(firth.cache.rglob("corpus.json"))


def test_a_disk_that_fills_up_while_a_checkpoint_is_written(firth: Command, tmp_path: Path):
    (tmp_path / "text.txt").write_text(sentences(3000, [f"w{i}" for i in range(1000)]), encoding="utf-8")
    firth.environment["FIRTH_CACHE"] = str(tmp_path / "elsewhere")
    assert firth(*train("--dim", 100, "--epochs", 1, "--quiet")).status == 0  # its corpus is there, its vectors too
    before = tree(tmp_path / "out.firth")
    again = train("--dim", 100, "--epochs", 1, "--quiet", "--checkpoint", "state", "--overwrite")
    complaint = firth(*again, before=limit_file_size).complaint
    assert complaint.startswith(("state/training.safetensors: File too large", str(tmp_path / "state")))
    assert tree(tmp_path / "out.firth") == before
    assert list((tmp_path / "state").iterdir()) == []


def test_two_at_once_on_the_same_text(firth: Command, text: Path):
    """Both end well, and the cache holds one corpus that both could have made."""
    options = ["--dim", 8, "--epochs", 1, "--threads", 1]
    processes = [firth.start("train", "skipgram", "text.txt", "-o", f"{name}.firth", *options) for name in ("a", "b")]
    for process in processes:
        _, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, err
    assert len(list(firth.cache.rglob("corpus.json"))) == 1
    assert leftovers(firth.cache) == []
    one, other = (library.load(firth.folder / f"{name}.firth") for name in ("a", "b"))
    np.testing.assert_array_equal(one.vectors, other.vectors)


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_a_learning_rate_that_diverges(firth: Command, text: Path, model: str):
    ended = firth("train", model, "text.txt", "-o", "out.firth", "--lr", 1e6, "--quiet")
    complaint = ended.complaint
    assert "diverged in epoch 1 after" in complaint
    assert "lr=1000000" in complaint
    assert "use a smaller learning rate" in complaint
    assert not (firth.folder / "out.firth").exists()


def test_a_reader_that_has_enough(firth: Command):
    """`firth ... | head -1` ends without a word, as other programs do."""
    rows = 3_000
    words = [f"word{i}" for i in range(rows)]
    vectors = np.random.default_rng(0).normal(size=(rows, 8)).astype(np.float32)
    library.WordVectors(words, vectors).save(firth.folder / "v.firth")
    command = f"{firth.forking} neighbours v.firth {' '.join(words[:40])} -n 1000 | head -1"
    result = subprocess.run(command, shell=True, cwd=firth.folder, capture_output=True, text=True, check=False)
    assert result.stdout.startswith("word0")
    assert result.stderr == ""


@pytest.mark.parametrize("shell", ["{} 2>&1 | head -0", "{} 2>&- >&-", "{} 2>/dev/full"])
def test_training_that_nobody_listens_to_is_saved(firth: Command, text: Path, shell: str):
    """A pipe without a reader, closed streams or a full disk under a log do not lose what was learned."""
    program = firth.program if "&-" in shell else firth.forking  # a fork is handed three open streams
    line = " ".join(map(str, [program, *train("--dim", 4, "--epochs", 1)]))
    result = subprocess.run(shell.format(line), shell=True, cwd=firth.folder, env=firth.environment, check=False)
    assert result.returncode == 0
    assert len(library.load(firth.folder / "out.firth")) == 26


def test_a_terminal_that_is_closed_ends_training_which_saves_what_was_learned(firth: Command, tmp_path: Path):
    pty = pytest.importorskip("pty", reason="Python's module pty is missing: only POSIX systems have it")
    (tmp_path / "text.txt").write_text(sentences(LINES), encoding="utf-8")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(firth.folder)
        os.execve(firth.program, [firth.program, *map(str, train(*SLOW))], firth.environment)
    shown = b""
    while b"epoch 2/" not in shown:
        shown += os.read(terminal, 4096)
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP
    assert library.load(firth.folder / "out.firth").metadata["training"]["interrupted"]
