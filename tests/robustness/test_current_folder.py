"""The current folder holds data: nothing in it is run, whatever its name."""

import sys
from pathlib import Path

import pytest

from tests.robustness.command import Command

STANDS_IN = "from pathlib import Path\nPath('run').touch()\nraise SystemExit('code of the current folder was run')\n"
TEXT = "the cat sat on the mat\nthe dog sat on the log\n" * 20


@pytest.fixture
def trap(firth: Command) -> Path:
    """Files with the names of modules that firth and its workers import."""
    for name in ("numpy", "json", "typer", "subprocess", "multiprocessing", "site", "typing", "pathlib", "re", "enum"):
        (firth.folder / f"{name}.py").write_text(STANDS_IN, encoding="utf-8")
    (firth.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    (firth.folder / "pairs.tsv").write_text("cat\tdog\t9\nmat\tlog\t5\nsat\tthe\t1\n", encoding="utf-8")
    return firth.folder / "run"


def test_compare(firth: Command, trap: Path):
    ended = firth("compare", "text.txt", "--models", "lsa", "--dim", 2, "--similarity", "pairs.tsv", "-o", "out", "-q")
    assert not trap.exists()
    assert ended.status == 0, ended.err


def test_compare_from_python(firth: Command, trap: Path):
    """A script elsewhere: Python does not look in the current folder, and the processes of `compare` do not either."""
    script = firth.folder / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(
        "import firth\n"
        "if __name__ == '__main__':\n"
        "    sets = {'similarity': ['pairs.tsv']}\n"
        "    firth.compare('text.txt', ['lsa'], 'out', common={'dim': 2}, sets=sets, progress=False)\n",
        encoding="utf-8",
    )
    ended = firth.run([sys.executable, str(script)])
    assert not trap.exists()
    assert ended.status == 0, ended.err


def test_python_m(firth: Command, trap: Path):
    ended = firth.run([sys.executable, "-m", "firth", "train", "lsa", "text.txt", "--dim", "2", "-o", "out", "-q"])
    assert not trap.exists()
    assert ended.status == 0, ended.err
