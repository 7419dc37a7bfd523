"""Trainings that are killed at random moments, and disks that are full at random points: nothing is ever lost."""

import contextlib
import hashlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import firth as library
from tests.robustness.command import Command, sentences

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="kills processes by POSIX signals")]

KILLS, DISKS = 10, 20  # kills of each training; full disks in all
CHECKPOINT = ["--checkpoint", "state", "--every", "0s"]
WORDS = [f"w{i}" for i in range(2000)]
TRAININGS = {
    "skip-gram": ["train", "skipgram", "--threads", 1, "--dim", 100, "--sample", 0, "--epochs", 6, *CHECKPOINT],
    "deterministic": [
        "train", "skipgram", "--threads", 2, "--dim", 100, "--sample", 0, "--epochs", 6, "--deterministic", *CHECKPOINT,
    ],
    "glove": ["train", "glove", "--threads", 1, "--dim", 50, "--epochs", 15, *CHECKPOINT],
    "fasttext": ["train", "fasttext", "--threads", 1, "--dim", 50, "--buckets", 5000, "--epochs", 4, *CHECKPOINT],
    "lstm": ["lm", "train", "lstm", "--threads", 1, "--dim", 16, "--hidden", 32, "--epochs", 1, *CHECKPOINT],
}  # fmt: skip


def content(folder: Path) -> str:
    """A digest of the numbers of a model: its facts hold the time that it took."""
    digest = hashlib.blake2b()
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".npy", ".safetensors", ".txt"))
    assert files
    for path in files:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith((".part", ".old"))]


@pytest.mark.parametrize("name", TRAININGS)
def test_killed_at_random_moments(firth: Command, name: str):
    """The result is that of a run that was never killed; until it is there, the old one is."""
    line = TRAININGS[name]
    head = 3 if line[0] == "lm" else 2
    lines = 600 if line[0] == "lm" else 6000
    (firth.folder / "text.txt").write_text(sentences(lines, WORDS), encoding="utf-8")
    command = [*line[:head], "text.txt", "-o", "out", "--overwrite", *line[head:]]
    began = time.monotonic()
    whole = firth(*command, real=True)
    assert whole.status == 0, whole.err
    duration, expected = time.monotonic() - began, content(firth.folder / "out")

    def anew() -> str:
        for path in ("state", "cache", "out"):
            subprocess.run(["rm", "-rf", firth.folder / path], check=True)
        (firth.folder / "old.txt").write_text(sentences(300), encoding="utf-8")
        made = firth(*line[:head], "old.txt", "-o", "out", *line[head : line.index("--checkpoint")], "-q")
        assert made.status == 0, made.err
        return content(firth.folder / "out")

    old, moments, kills, resumed = anew(), random.Random(name), 0, 0
    while kills < KILLS:
        had = (firth.folder / "state" / "training.safetensors").exists()
        process = firth.start(*command, real=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0.2, 1.0) * duration)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
            resumed += had
            assert content(firth.folder / "out") in (old, expected)
            continue
        _, err = process.communicate()
        assert process.returncode == 0, err
        assert "Traceback" not in err
        assert content(firth.folder / "out") == expected
        old = anew()
    ended = firth(*command, real=True)
    assert ended.status == 0, ended.err
    assert content(firth.folder / "out") == expected
    assert leftovers(firth.folder) == []
    assert resumed, "no run went on from a checkpoint"


@contextlib.contextmanager
def disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A disk of a size, mounted at a folder."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may mount no tmpfs: run as root, on Linux")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_disks_that_are_full_at_random_points(tmp_path: Path):
    """Corpus, checkpoints and vectors on a disk that is too small for them: one sentence says so; the old vectors stay,
    and go on from what was saved where there is room."""
    text = sentences(6000, WORDS)
    command = ["train", "skipgram", "text.txt", "-o", "disk/out", "--threads", 1, "--dim", 100, "--epochs", 2,
               "--checkpoint", "disk/state", "--every", "0s", "--overwrite", "-q"]  # fmt: skip
    ended = dict.fromkeys(["full", "enough"], 0)
    sizes = random.Random(5)
    for number in range(DISKS):
        folder = tmp_path / str(number)
        folder.mkdir()
        firth = Command(folder)
        firth.environment["FIRTH_CACHE"] = str(folder / "disk" / "cache")
        (folder / "text.txt").write_text(text, encoding="utf-8")
        with disk(folder / "disk", sizes.randint(100, 7000)):
            library.WordVectors(["one", "two"], np.eye(2, dtype=np.float32)).save(folder / "disk" / "out")
            before = content(folder / "disk" / "out")
            found = firth(*command, real=True)
            if found.status == 0:
                ended["enough"] += 1
                assert len(library.load(folder / "disk" / "out")) == len(WORDS)
            else:
                ended["full"] += 1
                assert "No space left on device" in found.complaint, found.err
                assert content(folder / "disk" / "out") == before
            assert leftovers(folder) == []
    assert min(ended.values()) > 0, ended
