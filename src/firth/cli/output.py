"""What every command prints, and where: data on standard output, everything else on standard error."""

import errno
import inspect
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from firth.errors import FirthError

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]

_CURES = {
    errno.ENOENT: "check the path",
    errno.ENOSPC: "free some space or write elsewhere; what was there before is untouched",
    errno.EDQUOT: "free some space or write elsewhere; what was there before is untouched",
    errno.EFBIG: "write elsewhere or raise the limit; what was there before is untouched",
    errno.EACCES: "choose a place that you may read and write, or change its permissions",
    errno.EPERM: "choose a place that you may read and write, or change its permissions",
    errno.EROFS: "choose a place that can be written",
    errno.EISDIR: "that is a folder where a file was expected",
    errno.ENOTDIR: "a part of that path is a file where a folder was expected",
}


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on a line of standard output."""
    print(json.dumps(value, ensure_ascii=False))


def print_scores(answers: Sequence[tuple[str, float]], indent: str = "") -> None:
    """Print words with their scores, aligned."""
    width = max((len(word) for word, _ in answers), default=0)
    for word, score in answers:
        print(f"{indent}{word:<{width}}  {score:.4f}")


def scored(answers: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    """Return words with their scores as JSON has them."""
    return [{"word": word, "score": float(score)} for word, score in answers]


def note(text: str) -> None:
    """Print a line on standard error."""
    print(text, file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """Print what went wrong on standard error, after the program's name."""
    typer.secho("firth: ", fg="red", bold=True, err=True, nl=False)
    note(text)


def sentence(error: FirthError | OSError | MemoryError) -> str:
    """Return an error as one sentence for a person: what was found, and what to do."""
    if isinstance(error, FirthError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory ({error or 'the system gave no more'}): use a smaller dim or vocabulary"
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    cure = _CURES.get(error.errno or 0)
    return f"{where}{error.strerror or error}" + (f"; {cure}" if cure else "")


def paragraphs(run: Any) -> str:
    """The docstring of a command, a line a paragraph, which the help then breaks to the width of the terminal."""
    return "\n\n".join(" ".join(part.split()) for part in (inspect.getdoc(run) or "").split("\n\n"))
