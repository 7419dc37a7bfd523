"""The outcome of an input: an answer, a refusal, or a failure with its place in the code."""

import hashlib
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from firth import errors
from firth.errors import FirthError

PACKAGE, OUTSIDE = f"{Path(errors.__file__).parent}/", "outside of firth"

SAME, DIFFERENT, REFUSED = "same", "different", "refused"
WRONG, TRACEBACK, CRASH, HANG, MEMORY, UNNAMED = "wrong", "traceback", "crash", "hang", "memory", "unnamed"
FAILURES = (WRONG, TRACEBACK, CRASH, HANG, MEMORY, UNNAMED)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A reader of firth: how to make a small file or folder for it, and how to use what it reads.

    Attributes:
        name: as the command line takes it.
        make: writes the seed at a path.
        use: opens the path, works with what was read, and returns plain answers.
        own: whether the format is firth's own and binary: other answers than the seed's are then wrong answers.
        path: the name of the file, whose suffix may tell its format, or of the folder.
        reseal: computes the format's own check sums anew after a change, so that what stands behind them is reached.
        cost: seconds of an answer, about: it says how many inputs go into a given time.
        needs: the package that the reader cannot do without, where that is an extra.
    """

    name: str
    make: Callable[[Path], None]
    use: Callable[[Path], Any]
    own: bool = False
    path: str = "seed"
    reseal: Callable[[Path], None] | None = None
    cost: float = 0.002
    needs: str = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one input.

    Attributes:
        reader: the reader's name.
        input: the number of the input, or the name of a case.
        kind: one of the words above.
        where: of a failure, what and where in firth; of a refusal, the type of the error.
        message: what the error said.
    """

    reader: str
    input: int | str
    kind: str
    where: str = ""
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether this is an error of firth."""
        return self.kind in FAILURES


def digest_of(answer: Any) -> str:
    """Return a digest of plain answers: numbers, text, arrays, lists, mappings."""
    state = hashlib.blake2b(digest_size=12)
    _add(state, answer)
    return state.hexdigest()


def _add(state: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        state.update(f"{value.dtype}{value.shape}".encode())
        state.update(np.ascontiguousarray(value).tobytes() if value.dtype.kind != "O" else repr(value).encode())
    elif isinstance(value, Mapping):
        for key in sorted(value, key=repr):
            state.update(repr(key).encode())
            _add(state, value[key])
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        state.update(f"[{len(value)}".encode())
        for each in value:
            _add(state, each)
    else:
        state.update(repr(value).encode("utf-8", "surrogatepass") + b";")


def near(value: Any) -> Any:
    """Return numbers rounded to three digits: the address of an array may change the order of a sum."""
    array = np.asarray(value, dtype=np.float64)
    return [float(f"{number:.3g}") for number in array.ravel()[:500]]


def of_error(error: BaseException, expected: Sequence[str] = ("",)) -> tuple[str, str, str]:
    """Return the kind, place and message of an exception.

    Args:
        error: the exception.
        expected: of which its message must hold one.
    """
    whole = str(error)
    message = whole[:300]
    if isinstance(error, MemoryError) and not isinstance(error, FirthError):
        return MEMORY, f"{type(error).__name__} {_place(error)}", message
    if isinstance(error, FirthError):
        return (REFUSED if any(each in whole for each in expected) else UNNAMED), type(error).__name__, message
    if isinstance(error, OSError) and _place(error) == OUTSIDE:  # what `use` does itself
        return REFUSED, type(error).__name__, message
    return TRACEBACK, f"{type(error).__name__} {_place(error)}", message


def _place(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(PACKAGE)]
    if not frames:
        return OUTSIDE
    last = frames[-1]
    return f"{last.filename.removeprefix(PACKAGE)}:{last.lineno} {last.name}"


STACK = re.compile(r'File "[^"]*/firth/([^"]*)", line (\d+) in (\S+)')


def of_stack(written: str) -> str:
    """Return the place in firth from a stack that `faulthandler` wrote."""
    match = STACK.search(written)
    return f"{match[1]}:{match[2]} {match[3]}" if match else "outside of firth"
