"""The exceptions that firth raises.

The hierarchy::

    FirthError
    ├── OptionError          (ValueError)       an option is out of its range, or two contradict each other
    │   ├── UnknownOptionError (TypeError)      no option has that name
    │   └── ArgumentTypeError        (TypeError)        a value has the wrong type, such as a number for a string
    ├── ShapeError           (ValueError)       an array has the wrong shape for the words or the model
    ├── FormatError          (ValueError)       a file does not hold what its format promises
    ├── CorpusError          (ValueError)       a text source is missing, empty, or not text
    ├── UnknownWordError     (KeyError)         a query names a word that has no vector
    │   └── RareWordError                       a word is too rare in one of two groups of texts to be compared
    ├── UnknownTargetError   (KeyError)         a result of a tagger has no such target
    ├── DivergenceError      (ArithmeticError)  training produced NaN or infinity
    ├── DataError            (OSError)          a named data set is absent or is not the pinned one
    ├── FileError            (OSError)          a file or folder cannot be read or written
    │   └── MissingFileError (FileNotFoundError) a model or file to load is not there
    └── MissingExtraError    (ImportError)      an optional dependency is not installed

A message says what was found, what was expected and what to do.
"""

import errno
import importlib
import os
import reprlib
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any

ADVICE = {  # by the number of an error of the system
    errno.ENOENT: "check the path",
    errno.ENOSPC: "free some space or write elsewhere; the earlier file is unchanged",
    errno.EDQUOT: "free some space or write elsewhere; the earlier file is unchanged",
    errno.EFBIG: "write elsewhere or raise the limit; the earlier file is unchanged",
    errno.EACCES: "choose a place that you may read and write, or change its permissions",
    errno.EPERM: "choose a place that you may read and write, or change its permissions",
    errno.EROFS: "choose a place that can be written",
    errno.EISDIR: "that is a folder where a file was expected",
    errno.ENOTDIR: "a part of that path is a file where a folder was expected",
    errno.ELOOP: "remove the links that lead in a circle, or name the file itself",
    errno.ENAMETOOLONG: "expected a path with names of at most 255 bytes",
}
ON_INDEX = False  # whether the package index has firth: a release sets it (CONTRIBUTING.md)
WINDOWS_ADVICE = dict.fromkeys(
    (errno.EACCES, errno.EPERM),
    "choose a place that you may write, or another name: Windows replaces nothing that is loaded, here or elsewhere",
)
if os.name == "nt":
    ADVICE |= WINDOWS_ADVICE
LONGEST = 80  # characters of a value of the user's in a message
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = LONGEST
LONGEST_FIELD = 160  # characters of a field of a result
_OF_FIELDS = reprlib.Repr()
_OF_FIELDS.maxlist = _OF_FIELDS.maxtuple = _OF_FIELDS.maxdict = _OF_FIELDS.maxset = 12
_OF_FIELDS.maxstring = _OF_FIELDS.maxother = LONGEST_FIELD


def brief(value: Any) -> str:
    """Return the repr of a value for a message: on one line, shortened if it is long."""
    return _shortened(value, _REPR, LONGEST)


def brief_repr(result: Any) -> str:
    """Return the repr of a dataclass with its values shortened; as its `__repr__`, whatever it holds fits a screen."""
    shown = [
        f"{field.name}={_shortened(getattr(result, field.name), _OF_FIELDS, LONGEST_FIELD)}"
        for field in fields(result)
        if field.repr
    ]
    return f"{type(result).__qualname__}({', '.join(shown)})"


def _shortened(value: Any, representation: reprlib.Repr, longest: int) -> str:
    shown = representation.repr(value)
    if not isinstance(value, str | bytes):
        shown = " ".join(shown.split())  # arrays take several lines
    return shown if len(shown) <= longest else f"{shown[: longest - 4]} ..."


def counted(number: int, what: str) -> str:
    """Return a number of things in words: "1 word", "2 words"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class FirthError(Exception):
    """The base class of all errors that firth raises."""


class OptionError(FirthError, ValueError):
    """An option is out of its range, or two options contradict each other."""


class UnknownOptionError(OptionError, TypeError):
    """No option has that name, or a value was given without a name."""


class ArgumentTypeError(OptionError, TypeError):
    """A value has the wrong type, such as a number for a string."""


class ShapeError(FirthError, ValueError):
    """An array has the wrong shape for the words or the model."""


class FormatError(FirthError, ValueError):
    """A file does not hold what its format promises."""


class CorpusError(FirthError, ValueError):
    """A text source is missing, empty, or not text."""


class DataError(FirthError, OSError):
    """A named data set is absent, or is not the pinned one."""


class FileError(FirthError, OSError):
    """A file or folder cannot be read or written; made as any OSError, of a number, a message and the path."""

    def __str__(self) -> str:
        advice = ADVICE.get(self.errno or 0)
        return f"{os.fsdecode(self.filename)}: {self.strerror}" + (f"; {advice}" if advice else "")

    @staticmethod
    def of(error: OSError, path: str | os.PathLike[str] = "") -> "FileError":
        """Return an error of the system, which has a number, as one of firth's.

        Args:
            error: the error.
            path: of the file, where the error names none.
        """
        file = error.filename if isinstance(error.filename, str | bytes) else os.fspath(path)
        kind, problem = FileError, error.strerror or os.strerror(error.errno or 0)
        if error.errno == errno.ENOENT:
            kind, problem = MissingFileError, f"{problem}; {ADVICE[errno.ENOENT]}"
        return kind(error.errno, problem, os.fsdecode(file))


class MissingFileError(FileError, FileNotFoundError):
    """A model or file to load is not there; the message says what was expected."""

    def __str__(self) -> str:
        return f"{os.fsdecode(self.filename)}: {self.strerror}"


class DivergenceError(FirthError, ArithmeticError):
    """Training produced NaN or infinity."""


class BusyError(FirthError):
    """More requests wait for a model than may."""


class ClusterError(FirthError):
    """Machines of a cluster cannot be reached, or are lost again and again."""


class LostWorkersError(ClusterError):
    """Workers of a cluster answer no more.

    Attributes:
        lost: those workers.
    """

    def __init__(self, lost: Sequence[Any], reason: str) -> None:
        super().__init__(reason)
        self.lost = list(lost)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes as it is, whatever its constructor takes."""
        return _made_again, (type(self), self.args, vars(self))


class UnknownWordError(FirthError, KeyError):
    """A query names a word that has no vector.

    Args:
        word: the unknown word.
        suggestions: known words with similar spellings, best first, or a function that finds them. It is called when
            the message or `suggestions` is read: code that only catches the error does not wait for the search.
        parts: the known words that the model's text has in its place, if they are several; or a function likewise.

    Attributes:
        word: the unknown word.
    """

    def __init__(
        self,
        word: str,
        suggestions: Iterable[str] | Callable[[], Iterable[str]] = (),
        parts: Iterable[str] | Callable[[], Iterable[str]] = (),
    ) -> None:
        super().__init__(word)
        self.word = word
        self._suggestions = suggestions
        self._parts = parts

    @property
    def suggestions(self) -> list[str]:
        """Known words with similar spellings, best first."""
        if callable(self._suggestions):
            self._suggestions = self._suggestions()
        return list(self._suggestions)

    @property
    def parts(self) -> list[str]:
        """The known words that the model's text has in place of this one, if they are several."""
        if callable(self._parts):
            self._parts = self._parts()
        return list(self._parts)

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; a sentence reads better without quotes around it.
        if words := ", ".join(self.parts):
            return f"{brief(self.word)} is not in the vocabulary: its text was split into {words}; expected one of them"
        suggestions = self.suggestions
        hint = f"; did you mean {', '.join(suggestions)}?" if suggestions else ""
        return f"{brief(self.word)} is not in the vocabulary{hint}"

    def __reduce__(self) -> tuple[type["UnknownWordError"], tuple[str, list[str], list[str]]]:
        # The default would rebuild the error without its suggestions, or with a function that cannot be pickled.
        return type(self), (self.word, self.suggestions, self.parts)


class RareWordError(UnknownWordError):
    """A word is too rare in one of two groups of texts to be compared.

    Args:
        word: the word.
        reason: the sentence that says in which group, with its counts.
    """

    def __init__(self, word: str, reason: str) -> None:
        super().__init__(word)
        self.args = (reason,)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type["RareWordError"], tuple[str, str]]:  # type: ignore[override]  # other arguments
        return type(self), (self.word, str(self))


class UnknownTargetError(FirthError, KeyError):
    """A result of a tagger has no such target."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show its repr


class UnknownModelError(OptionError):
    """A server has no model of this name, or none that can answer."""


class MissingExtraError(FirthError, ImportError):
    """An optional dependency is not installed.

    Args:
        package: the module that could not be imported.
        extra: the extra of firth that installs it.
        purpose: what it was needed for, as the end of "... is needed to".
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{package} is needed to {purpose}: {install_command(extra)}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes as it is, whatever its constructor takes."""
        return _made_again, (type(self), self.args, vars(self))


def install_command(extras: str) -> str:
    """Return what installs extras of firth: from the index, else from where this installation came (PEP 610)."""
    if ON_INDEX:
        return f'pip install "firth[{extras}]"'  # cmd.exe knows no single quotes
    import json
    from importlib import metadata
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        origin = json.loads(metadata.distribution("firth").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:  # the source is on the path
        origin = {}
    url = urlsplit(origin.get("url", ""))
    if "vcs_info" in origin:  # a repository
        source = "{vcs}+{url}@{commit_id}".format_map({**origin, **origin["vcs_info"]})
        return f'pip install "firth[{extras}] @ {source}"'
    if "archive_info" in origin and url.scheme != "file":
        return f'pip install "firth[{extras}] @ {url.geturl()}"'
    path = url2pathname(url.path)  # a folder or a wheel
    if url.scheme != "file" or not os.path.exists(path):  # noqa: PTH110  pathlib is slow to import
        return f'pip install ".[{extras}]" in the folder of firth\'s source'
    editable = "-e " * bool(origin.get("dir_info", {}).get("editable"))
    return f'pip install {editable}"{path}[{extras}]"'


def import_extra(module: str, purpose: str, extra: str, package: str = "") -> Any:
    """Import a module of an optional library, such as "matplotlib.figure".

    Args:
        purpose: what it is needed for, as the end of "... is needed to".
        package: name to install, where it is not the beginning of the module's.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(package or module.partition(".")[0], extra, purpose) from error


def _made_again(kind: type[FirthError], args: tuple[Any, ...], attributes: dict[str, Any]) -> FirthError:
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    return error


def warn_caller(message: str | Warning) -> None:
    """Warn, with the place of the first caller outside this package; a text becomes a `UserWarning`."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "firth":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
