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

`*This fails, and needs the public data sets*` says both.

A block that reads a name or a file which only a skipped block makes is skipped as well.
"""

import ast
import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests import fork_server

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOTE = re.compile(r"^\*(Not run by the tests: \S|Needs |Figures vary|This fails)")
DATA = "the public data sets"
NEED = re.compile(rf"\bneeds ({DATA}|\w+)", re.IGNORECASE)
CHECK = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Note:
    """What the line in italics above a block says.

    Attributes:
        never: the tests do not run the block.
        needs: what the block needs, if anything: the public data sets, or a program.
        varies: its output is not compared.
        fails: its command fails.
    """

    never: bool = False
    needs: str | None = None
    varies: bool = False
    fails: bool = False


def _note(line: str) -> Note:
    match = NOTE.match(line)
    if match is None:
        return Note()
    need = NEED.search(line)
    never = match[1].startswith("Not run")
    return Note(never, None if never or need is None else need[1], match[1] == "Figures vary", match[1] == "This fails")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, its first line, and the note above it.

    Attributes:
        follows: whether nothing but a note separates it from the block before.
    """

    language: str
    code: str
    line: int
    note: Note
    follows: bool


@dataclass
class Made:
    """What blocks make and read: `=x` is a name of Python; a file of an f-string is a pattern, such as *.txt."""

    makes: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)

    def reads_any(self, missing: Collection[str], present: Collection[str]) -> bool:
        """Whether something is read that matches `missing` and does not match `present`."""
        return any(_matches(name, missing) and not _matches(name, present) for name in self.reads)


def _matches(name: str, patterns: Collection[str]) -> bool:
    return any(fnmatchcase(name, pattern) and name.count("/") == pattern.count("/") for pattern in patterns)


def made_by(block: Block) -> Made:
    """What a block makes: assigned names and files; and what it reads: other names and its words."""
    if block.language == "python":
        return _made_by_python(block.code)
    made = Made()
    for line in block.code.splitlines():
        if line.startswith("$ "):
            words = shlex.split(line[2:], comments=True)
            outputs = {after for word, after in pairwise(words) if word in {"-o", "--output", ">"}}
            made.reads |= {*words} - outputs - made.makes
            made.makes |= outputs
    return made


def _made_by_python(code: str) -> Made:
    made, saved, parts = Made(), set[str](), set[ast.AST]()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name):
            (made.makes if isinstance(node.ctx, ast.Store) else made.reads).add(f"={node.id}")
        elif isinstance(node, ast.alias):
            made.makes.add("=" + (node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Call):
            saved.update(_saved(node))
        elif isinstance(node, ast.JoinedStr):
            parts.update(node.values)  # walked later
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            made.reads.add(node.value)
    made.makes |= saved
    made.reads -= made.makes
    return made


def _saved(call: ast.Call) -> Iterator[str]:
    """The file that a call of `save` or `write_text` writes."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in {"save", "write_text", "write_bytes"}:
        return
    inner = call.func.value  # Path("name").write_text(...)
    named = inner.args if call.func.attr != "save" and isinstance(inner, ast.Call) else call.args
    for argument in named[:1]:
        if isinstance(argument, ast.Constant):
            yield str(argument.value)
        elif isinstance(argument, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in argument.values)


@dataclass(frozen=True)
class Step:
    """Code to run and its expected output; None where the page shows none or the output varies."""

    kind: str
    code: str
    line: int
    expected: str | None = None
    fails: bool = False


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    fenced, end = [], 0
    for match in FENCE.finditer(page):
        *between, above = page[end : match.start()].strip().split("\n")
        follows = end > 0 and not "".join(between if NOTE.match(above) else [*between, above]).strip()
        line = page.count("\n", 0, match.start()) + 1
        fenced.append(Block(match[1], match[2], line, _note(above), follows))
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
    missing, present = set[str](), set[str]()
    available = {*peers, *([DATA] if data else [])}
    for block in blocks(page):
        if block.language in {"python", "console"} and not block.note.never:
            made = made_by(block)
            if (block.note.needs or "") not in {*available, ""} or made.reads_any(missing, present):
                missing |= made.makes - present
            else:
                present |= made.makes
                listed += _commands(block) if block.language == "console" else [Step("python", block.code, block.line)]
        elif previous and _is_output(block, previous) and listed and listed[-1].line == previous.line:
            listed[-1] = Step("python", previous.code, previous.line, block.code)
        previous = block
    return listed


def _is_output(block: Block, previous: Block) -> bool:
    shown = block.language == "text" and block.follows and previous.language == "python"
    return shown and not block.note.varies and not previous.note.varies


def _commands(block: Block) -> Iterator[Step]:
    for piece in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, shown = piece.partition("\n")
        expected = None if block.note.varies or not shown.strip() else shown
        yield Step("console", command, block.line, expected, fails=block.note.fails)


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
    environment.pop("FIRTH_DATA", None)
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
