"""Runs a page of documentation: its blocks in order, in one folder, as a reader would.

- `python` blocks share one namespace. A `text` block directly below one is its output.
- `console` blocks hold commands after `$ `, which the shell runs; the lines below a command are its output.
- Other blocks (`sh`, `text`, `json` ...) are not run.

Output is compared as `doctest` compares it: white space counts once, `...` stands for anything. A line in italics
directly above a block changes this, in words that the reader sees:

- `*Not run by the tests: REASON*` skips the block.
- `*Needs the public data sets*` skips it where the sets are missing.
- `*Needs PROGRAM*`, a package of Python that firth is compared with, skips it except in tests of peers.
- `*Figures vary*` runs it and does not compare the output.
- `*This fails*` expects a command to fail, and compares its message on standard error.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import fork_server

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOTE = re.compile(r"^\*(Not run by the tests: \S|Needs [\w ]+|Figures vary|This fails)")
CHECK = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, its first line, and the note above it.

    Attributes:
        follows: whether nothing but a note separates it from the block before.
    """

    language: str
    code: str
    line: int
    note: str
    follows: bool


@dataclass(frozen=True)
class Step:
    """Code to run and its expected output; None where the page shows none or the output varies."""

    kind: str
    code: str
    line: int
    expected: str | None
    fails: bool = False


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    fenced, end = [], 0
    for match in FENCE.finditer(page):
        *between, above = page[end : match.start()].strip().split("\n")
        note = NOTE.match(above)
        follows = end > 0 and not "".join(between if note else [*between, above]).strip()
        line = page.count("\n", 0, match.start()) + 1
        fenced.append(Block(match[1], match[2], line, note[1] if note else "", follows))
        end = match.end()
    return fenced


def steps(page: str, *, data: bool, peers: Collection[str] = ()) -> list[Step]:
    """Return the steps of a page, in order.

    Args:
        page: its text.
        data: whether the public data sets are available.
        peers: names of other programs that are available.
    """
    listed: list[Step] = []
    previous: Block | None = None
    for block in blocks(page):
        available = {*peers, *(["the public data sets"] if data else [])}
        need = block.note.removeprefix("Needs ")
        skipped = block.note.startswith("Not run") or (need != block.note and need not in available)
        if block.language == "python" and not skipped:
            listed.append(Step("python", block.code, block.line, None))
        elif block.language == "console" and not skipped:
            listed += _commands(block)
        elif previous and _is_output(block, previous) and listed and listed[-1].line == previous.line:
            listed[-1] = Step("python", previous.code, previous.line, block.code)
        previous = block
    return listed


def _is_output(block: Block, previous: Block) -> bool:
    shown = block.language == "text" and block.follows and previous.language == "python"
    return shown and "Figures vary" not in {block.note, previous.note}


def _commands(block: Block) -> Iterator[Step]:
    for piece in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, shown = piece.partition("\n")
        expected = None if block.note == "Figures vary" or not shown.strip() else shown
        yield Step("console", command, block.line, expected, fails=block.note == "This fails")


def run_page(path: Path, folder: Path, *, data: Path | None, peers: Collection[str] = ()) -> int:
    """Run every step of a page inside `folder`.

    Returns:
        The number of steps that ran.

    Raises:
        AssertionError: a step failed, or its output differs from the page.
    """
    namespace: dict[str, Any] = {"__name__": "__page__"}
    page_steps = steps(path.read_text(encoding="utf-8"), data=data is not None, peers=peers)
    environment = {**os.environ, "COLUMNS": "100", "FIRTH_CACHE": str(folder / "cache"), "NO_COLOR": "1"}
    forked = fork_server.program() if fork_server.fits(environment) else None
    programs = [*([str(forked.parent)] if forked else []), str(Path(sys.executable).parent)]
    environment["PATH"] = os.pathsep.join([*programs, environment["PATH"]])
    if data is not None:
        environment["FIRTH_DATA"] = str(data)
    for step in page_steps:
        place = f"{path.name} line {step.line}"
        if step.kind == "python":
            printed = _run_python(step.code, namespace, folder, environment, place)
        else:
            printed = _run_command(step, folder, environment, place)
        if step.expected is not None:
            same = doctest.OutputChecker().check_output(step.expected, printed, CHECK)
            assert same, f"{place}:\n{step.code}\nshown:\n{step.expected}\nprinted:\n{printed}"
    return len(page_steps)


def _run_python(code: str, namespace: dict[str, Any], folder: Path, environment: dict[str, str], place: str) -> str:
    printed = io.StringIO()
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            exec(compile(code, place, "exec"), namespace)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return printed.getvalue()


def _run_command(step: Step, folder: Path, environment: dict[str, str], place: str) -> str:
    result = subprocess.run(
        ["bash", "-c", step.code], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    transcript = f"{place}: {step.code}\nexit status {result.returncode}\n{result.stdout}{result.stderr}"
    assert (result.returncode != 0) == step.fails, transcript
    assert "Traceback" not in result.stderr, transcript
    return result.stderr if step.fails else result.stdout
