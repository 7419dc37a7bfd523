"""What commands print: data on standard output, everything else on standard error."""

import contextlib
import inspect
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import typer

from firth.errors import ADVICE, FirthError
from firth.progress import Status, elapsed, reporting
from firth.signals import exit_status

_T = TypeVar("_T")
_INTERVAL = 0.3  # seconds between two reports


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of standard output."""
    line = json.dumps(value, ensure_ascii=False)
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # the stream would write some of what it lacks by codes that JSON does not know
        line = json.dumps(value)
    print(line)


def show(json: bool, facts: Mapping[str, Any], text: Any, *, to: Callable[[Any], None] = print) -> None:
    """Print facts as JSON, or a text for readers."""
    if json:
        print_json(facts)
    else:
        to(text)


def on_a_line(text: str) -> str:
    """Return a text without line breaks and tabs, which separate what is printed."""
    return text.translate({ord(mark): " " for mark in "\n\r\t"})


def printable(text: str) -> str:
    """Return a text with escapes for characters that command a terminal, or turn the direction of writing."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def print_table(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> None:
    """Print rows of cells as aligned columns.

    Args:
        left: the columns that are aligned to the left; the others are aligned to the right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        print("  ".join(f"{cell:{'<' if i in left else '>'}{width}}" for i, (cell, width) in enumerate(cells)).rstrip())


def print_scores(answers: Sequence[tuple[str, float]], indent: str = "") -> None:
    """Print words with their scores, aligned."""
    shown = [(printable(word), score) for word, score in answers]
    width = max((len(word) for word, _ in shown), default=0)
    for word, score in shown:
        print(f"{indent}{word:<{width}}  {score:.4f}")


def scored(answers: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    """Return words with their scores, for JSON."""
    return [{"word": word, "score": float(score)} for word, score in answers]


def end(training: Mapping[str, Any]) -> None:
    """Leave the command with the status of a training that was stopped or diverged; otherwise do nothing.

    Args:
        training: its facts, from a model's metadata.
    """
    if training.get("interrupted"):
        raise typer.Exit(exit_status())
    if training.get("ended") == "diverged":  # a warning has said so, and which model is kept
        raise typer.Exit(1)


def note(text: str) -> None:
    """Print a line on standard error."""
    print(text, file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """Print an error or a warning on standard error, after the program's name."""
    typer.secho("firth: ", fg="red", bold=True, err=True, nl=False)
    note(text)


@contextlib.contextmanager
def showing_log(name: str, quiet: bool) -> Iterator[None]:
    """Show the records of a logger on standard error, without those of its children."""
    logger, handler = logging.getLogger(name), _Notes(logging.INFO)
    handler.addFilter(lambda record: record.name == name)
    before = logger.level
    if not quiet:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def showing_choices(quiet: bool) -> contextlib.AbstractContextManager[None]:
    """Show on standard error which options were chosen from the size of the text."""
    return showing_log("firth", quiet)


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


def working(stage: str, quiet: bool) -> contextlib.AbstractContextManager[None]:
    """Show on a terminal how long a block of work takes that reports no progress of its own."""
    return elapsed(stage, False if quiet else None)


def with_progress(batches: Iterable[Sequence[_T]], stage: str, quiet: bool) -> Iterator[Sequence[_T]]:
    """Yield batches of lines and count them on the terminal, unless the answers appear there themselves."""
    began = last = time.monotonic()
    count = 0
    with reporting(False if quiet or sys.stdout.isatty() else None) as report:
        for batch in batches:
            yield batch
            count, now = count + len(batch), time.monotonic()
            if now - last > _INTERVAL:
                last = now
                report(Status(stage=stage, done=count, unit="lines", seconds=now - began))


def sentence(error: FirthError | OSError | MemoryError) -> str:
    """Return an error as one sentence: what is wrong, and what to do."""
    if isinstance(error, FirthError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory ({error or 'the system gave no more'}): use a smaller dim or vocabulary"
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    advice = ADVICE.get(error.errno or 0)
    return f"{where}{error.strerror or error}" + (f"; {advice}" if advice else "")


def paragraphs(run: Any) -> str:
    """Return a docstring with one line per paragraph; the help breaks the lines to the width of the terminal."""
    return "\n\n".join(" ".join(part.split()) for part in (inspect.getdoc(run) or "").split("\n\n"))
