"""`firth encode` interrupted in the middle of many lines: the finished part is kept, and the same command goes on."""

import json
import signal
from pathlib import Path

import numpy as np
import pytest

import firth as library
from firth.sentences.file_encoding import finished_rows
from tests.robustness.command import Command, end_by, wait_until

LINES, DIM = 60_000, 200
pytestmark = pytest.mark.slow


@pytest.fixture
def firth(tmp_path: Path) -> Command:
    rows = np.random.default_rng(0).normal(size=(500, DIM)).astype(np.float32)
    library.WordVectors([f"w{i}" for i in range(500)], rows).save(tmp_path / "v.firth")
    lines = (f"w{i % 500} w{i % 7} w{i % 311}\n" for i in range(LINES))
    (tmp_path / "lines.txt").write_text("".join(lines), encoding="utf-8")
    return Command(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_finished_part_is_kept(firth: Command, number: signal.Signals):
    arguments = ("encode", "v.firth", "lines.txt", "-o", "rows.jsonl")
    part, target = firth.folder / "rows.jsonl.part", firth.folder / "rows.jsonl"
    process = firth.start(*arguments, real=True)
    wait_until(lambda: part.exists() and part.stat().st_size > 1_000_000, process)
    ended = end_by(process, number)
    assert not target.exists()
    assert "Traceback" not in ended.err
    rows = finished_rows(target)
    if number == signal.SIGKILL:
        assert ended.status == -signal.SIGKILL
        assert rows == 0  # how far the file is was not recorded in the first seconds: the command starts anew
    else:
        assert ended.status == 128 + number
        assert 0 < rows < LINES
        assert f"{rows:,} texts are finished; the same command continues after them" in ended.err
    again = firth(*arguments, "--json")
    assert again.status == 0, again.err
    assert json.loads(again.out)["resumed"] == rows
    found = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert [row["text"] for row in found] == (firth.folder / "lines.txt").read_text("utf-8").splitlines()
    expected = library.SentenceAverages(library.load(firth.folder / "v.firth"), "mean")
    some = [0, 1, rows, LINES - 1]
    assert np.allclose([found[i]["vector"] for i in some], expected.encode([found[i]["text"] for i in some]), atol=1e-7)
    assert not part.exists()
    assert not list(firth.folder.glob("*.part*"))
