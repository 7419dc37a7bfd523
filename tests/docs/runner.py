"""Runs a page of documentation: its blocks in order, in one folder, as a reader would.

- `python` blocks share one namespace. A `text` block straight after one is what it prints.
- `console` blocks hold commands after `$ `, run by the shell; the lines below a command are what it prints.
- Other blocks (`sh`, `text`, `json` ...) are not run.

Shown output is compared as `doctest` does it: white space counts once, `...` stands for anything. A line in italics
right above a block changes how it is treated, where the reader sees it:

- `*Not run by the tests: REASON*` leaves the block out;
- `*Needs the public data sets*` runs it only where they are;
- `*Figures vary*` runs it and does not compare what it prints;
- `*This fails*` expects a command to fail, and compares what it says on standard error.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import fork_server

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOTE = re.compile(r"^\*(Not run by the tests: \S|Needs the public data sets|Figures vary|This fails)")
CHECK = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, the line it starts on, the note above it, and what came before it.

    Attributes:
        follows: whether nothing but a note stands between it and the block before.
    """

    language: str
    code: str
    line: int
    note: str
    follows: bool


@dataclass(frozen=True)
class Step:
    """One thing to run and what it should print; None where nothing is shown or the output varies."""

    kind: str
    code: str
    line: int
    expected: str | None
    fails: bool = False


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    found, end = [], 0
    for match in FENCE.finditer(page):
        *between, above = page[end : match.start()].strip().split("\n")
        note = NOTE.match(above)
        follows = end > 0 and not "".join(between if note else [*between, above]).strip()
        line = page.count("\n", 0, match.start()) + 1
        found.append(Block(match[1], match[2], line, note[1] if note else "", follows))
        end = match.end()
    return found


def steps(page: str, *, data: bool) -> list[Step]:
    """What a page asks to be run, in order.

    Args:
        page: its text.
        data: whether the public data sets are there.
    """
    found: list[Step] = []
    previous: Block | None = None
    for block in blocks(page):
        skipped = block.note.startswith("Not run") or (block.note.startswith("Needs") and not data)
        if block.language == "python" and not skipped:
            found.append(Step("python", block.code, block.line, None))
        elif block.language == "console" and not skipped:
            found += _commands(block)
        elif previous and _is_output(block, previous) and found and found[-1].line == previous.line:
            found[-1] = Step("python", previous.code, previous.line, block.code)
        previous = block
    return found


def _is_output(block: Block, previous: Block) -> bool:
    shown = block.language == "text" and block.follows and previous.language == "python"
    return shown and "Figures vary" not in {block.note, previous.note}


def _commands(block: Block) -> Iterator[Step]:
    for piece in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, shown = piece.partition("\n")
        expected = None if block.note == "Figures vary" or not shown.strip() else shown
        yield Step("console", command, block.line, expected, fails=block.note == "This fails")


def run_page(path: Path, folder: Path, *, data: Path | None) -> int:
    """Run every step of a page inside `folder`.

    Returns:
        How many steps were run.

    Raises:
        AssertionError: a step failed, or printed something else than the page shows.
    """
    namespace: dict[str, Any] = {"__name__": "__page__"}
    todo = steps(path.read_text(encoding="utf-8"), data=data is not None)
    environment = {**os.environ, "COLUMNS": "100", "FIRTH_CACHE": str(folder / "cache"), "NO_COLOR": "1"}
    forked = fork_server.program() if fork_server.fits(environment) else None
    programs = [*([str(forked.parent)] if forked else []), str(Path(sys.executable).parent)]
    environment["PATH"] = os.pathsep.join([*programs, environment["PATH"]])
    if data is not None:
        environment["FIRTH_DATA"] = str(data)
    for step in todo:
        place = f"{path.name} line {step.line}"
        if step.kind == "python":
            printed = _run_python(step.code, namespace, folder, environment, place)
        else:
            printed = _run_command(step, folder, environment, place)
        if step.expected is not None:
            same = doctest.OutputChecker().check_output(step.expected, printed, CHECK)
            assert same, f"{place}:\n{step.code}\nshown:\n{step.expected}\nprinted:\n{printed}"
    return len(todo)


def _run_python(code: str, namespace: dict[str, Any], folder: Path, environment: dict[str, str], place: str) -> str:
    printed = io.StringIO()
    outside = dict(os.environ)
    os.environ.update(environment)
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            exec(compile(code, place, "exec"), namespace)
    finally:
        os.environ.clear()
        os.environ.update(outside)
    return printed.getvalue()


def _run_command(step: Step, folder: Path, environment: dict[str, str], place: str) -> str:
    result = subprocess.run(
        ["bash", "-c", step.code], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    said = f"{place}: {step.code}\nexit status {result.returncode}\n{result.stdout}{result.stderr}"
    assert (result.returncode != 0) == step.fails, said
    assert "Traceback" not in result.stderr, said
    return result.stderr if step.fails else result.stdout
