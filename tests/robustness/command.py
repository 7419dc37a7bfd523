"""The installed command, run as a user runs it: in a fork of a process that has its imports, or as a real process."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import fork_server

LIMIT = 120  # seconds after which a command counts as hung


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one sentence of a command that failed, checked to be one: no traceback, nothing on standard output."""
        assert self.status == 1, (self.status, self.err)
        assert "Traceback" not in self.err, self.err
        assert self.out == ""
        told = [line for line in self.err.splitlines() if line.startswith("firth: ")]
        assert len(told) == 1, self.err
        assert self.err.splitlines()[-1] == told[0]
        return told[0].removeprefix("firth: ")


class Command:
    """`firth`, in a folder of the test's own, with a cache of its own and no data sets."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("firth", path=str(Path(sys.executable).parent))
        assert program, "the command firth is not installed beside this Python: pip install -e ."
        self.program = program
        self.folder = folder
        self.cache = folder / "cache"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("FIRTH_")}
        self.environment |= {"FIRTH_CACHE": str(self.cache), "COLUMNS": "100"}

    def __call__(
        self, *arguments: object, stdin: str = "", before: Callable[[], None] | None = None, real: bool = False
    ) -> Ended:
        """Run the command to its end.

        Args:
            before: what to do first in the process of the command; a fork takes over its limit on the size of files.
            real: whether to start a process of its own, which takes over everything.
        """
        return self.run([self.program if real else self.forking, *map(str, arguments)], input=stdin, preexec_fn=before)

    def start(self, *arguments: object, real: bool = False) -> subprocess.Popen[str]:
        """Start the command and leave it running; signals reach a fork, too."""
        return subprocess.Popen(
            [self.program if real else self.forking, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def forking(self) -> str:
        """The command that runs in a fork, where the system can do that; else the installed one."""
        return str((fork_server.program() if fork_server.fits(self.environment) else None) or self.program)

    def python(self, program: str, *, real: bool = False) -> Ended:
        """Run a Python program against the installed package, in a fork or in a process that has imported nothing."""
        return self.run([sys.executable if real else fork_server.python(self.environment), "-c", program])

    def run(self, command: list[str], **how: Any) -> Ended:
        """Run any command in the folder to its end."""
        result = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            **how,
        )
        return Ended(result.returncode, result.stdout, result.stderr)


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something is so while a process runs."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.005)


def end_by(process: subprocess.Popen[str], number: signal.Signals) -> Ended:
    """Send a signal, and wait for the end."""
    process.send_signal(number)
    out, err = process.communicate(timeout=LIMIT)
    return Ended(process.returncode, out, err)


def sentences(count: int, words: Sequence[str] = tuple("abcdefghijklmnopqrstuvwxyz")) -> str:
    """Text of `count` lines of ten words in which neighbours in the list of words stand together."""
    lines = (" ".join(words[(line * 7 + place) % len(words)] * 3 for place in range(10)) for line in range(count))
    return "\n".join(lines) + "\n"
