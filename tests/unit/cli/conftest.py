"""The program, run in this process."""

import sys

import pytest

from firth.cli import app


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the program: its status, what it printed, and what it said on standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["firth", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            app.main()
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run
