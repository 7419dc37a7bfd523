"""Sources of a corpus: files by path, glob or folder; standard input; iterables of texts or token lists; tables."""

import difflib
import errno
import glob
import hashlib
import itertools
import os
import stat
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from firth.corpus.columns import ANNOTATED, COLUMNS, SEPARATED, TABLES
from firth.corpus.markup import MARKUP
from firth.corpus.reader import COMPRESSIONS, inner_suffix
from firth.corpus.table_options import USUAL, TableOptions
from firth.corpus.tables import DEFAULT_COLUMN, table_of, table_of_rows
from firth.errors import CorpusError, brief, counted, warn_caller
from firth.storage.encodings import named_encoding

TEXTS = (".txt", ".text", ".tok")
_EXPECTED = (
    "expected a path, a glob, a folder, '-' for standard input, a table, or an iterable of texts or of token lists"
)
UNNAMED = f"found an empty name; {_EXPECTED}; the current folder is '.'"
_MANIFEST = "corpus.json"
_READING = 2  # how bytes become text: with another number, corpora in the cache are built anew
_WITHOUT = ", and markup=True Markdown, HTML and XML without their markup"
_NOTHING = object()
STRICT = 1  # version of how tables in text files are read: what an earlier one read is not reused


@dataclass(frozen=True)
class Files:
    """Files to read.

    Attributes:
        column: the column to read of tables.
        asked: the absolute paths, globs and folders that were given.
        encoding: that the user names; None where none is named.
        markup: whether Markdown, HTML and XML are read without their markup.
    """

    paths: tuple[Path, ...]
    column: str | int | None
    asked: tuple[str, ...]
    how: TableOptions = USUAL
    encoding: str | None = field(default_factory=named_encoding)
    markup: bool = False

    @property
    def name(self) -> str:
        """The name of the corpus."""
        return Path(self.asked[0]).name.split(".")[0] or "corpus"

    def size(self) -> int:
        """Return the size of all files on disk in bytes."""
        return sum(path.stat().st_size for path in self.paths)

    @property
    def is_divided(self) -> bool:
        """Whether it is known where a document ends: there are several files, or a table with a row for each."""
        return len(self.paths) > 1 or any(inner_suffix(path) in COLUMNS for path in self.paths)

    def identity(self) -> str | None:
        """Return a digest of paths, sizes and modification times; None for pipes and devices."""
        states = [_state(path) for path in self.paths]
        if None in states:
            return None
        reading: Any = (_READING, self.column, self.encoding, *(["markup"] if self.markup else []))
        if any(inner_suffix(path) in SEPARATED for path in self.paths):
            reading = (*reading, self.how, STRICT)
        elif any(inner_suffix(path) in COLUMNS for path in self.paths) and self.how.on_error != USUAL.on_error:
            reading = (*reading, self.how.on_error)
        if any(inner_suffix(path) in ANNOTATED for path in self.paths):
            reading = (*reading, "words")  # an earlier version read all columns
        digest = hashlib.blake2b(repr(reading).encode(), digest_size=16)
        for state in states:
            digest.update(repr(state).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def described(self) -> dict[str, Any]:
        """Return where the text is and how it is read, as JSON values, for `reopened`."""
        return {
            "asked": list(self.asked), "column": self.column, "tables": asdict(self.how), "encoding": self.encoding,
            "markup": self.markup, "files": self.identity(),
        }  # fmt: skip

    def states(self) -> list[tuple[str, int, int] | None]:
        """Return path, size and modification time of each file; None for pipes and devices, and for files that went."""
        states = list[tuple[str, int, int] | None]()
        for path in self.paths:
            try:
                states.append(_state(path))
            except OSError:
                states.append(None)
        return states

    def changed(self, before: Sequence[tuple[str, int, int] | None]) -> Path | None:
        """Return the first file that is not what it was when `states` returned this, or None."""
        now = self.states()
        pairs = zip(self.paths, before, now, strict=True)
        return next((path for path, old, new in pairs if old is not None and old != new), None)


@dataclass(frozen=True)
class StandardInput:
    """Text from standard input."""

    name: str = "stdin"


@dataclass(frozen=True)
class Items:
    """Texts or token lists, one by one; read once.

    Attributes:
        items: the texts or token lists.
    """

    items: Iterator[Any]
    tokenised: bool
    name: str = "texts"


Source = Files | StandardInput | Items


def resolve(
    source: Any, column: str | int | None = None, options: TableOptions = USUAL, *, markup: bool = False
) -> Source:
    """Determine the kind of a source.

    A string or path object is a path ("-": standard input), a glob or a folder. A data frame, a series, a query or a
    mapping of columns is a table; its `column` is read. For any other iterable the first item decides: a path object,
    or a string that looks like a file (a known suffix, or an existing path with a separator), means paths; any other
    string means texts; a mapping is a row of a table; a list of strings is a list of tokens.
    """
    resolved = _resolved(source, column, options.normalised(), markup)
    if not isinstance(resolved, Files) or all(inner_suffix(path) not in SEPARATED for path in resolved.paths):
        name = str(resolved.paths[0]) if isinstance(resolved, Files) else "the source"
        options.check_unused(name, f"{' and '.join(SEPARATED)} files")
    return resolved


def reopened(facts: Mapping[str, Any]) -> Files | None:
    """Return the files of `Files.described`; None if there are none that can be read again.

    Raises:
        CorpusError: a file is not there any more.

    Warns:
        UserWarning: files are not what they were.
    """
    if not facts.get("asked") or facts.get("files") is None:
        return None
    tables = TableOptions(**facts["tables"])
    with warnings.catch_warnings(action="ignore"):  # what is left out of a folder was said when it was read
        paths = [Path(path) for path in facts["asked"]]
        files = resolve(paths, facts["column"], tables, markup=facts["markup"])
    files = replace(files, encoding=facts["encoding"])
    if not isinstance(files, Files):
        return None
    if files.identity() != facts["files"]:
        warn_caller(
            f"{facts['asked'][0]}: the text is not what it was when the corpus was built, and what is found is that "
            "of now; build the corpus again"
        )
    return files


def _resolved(source: Any, column: str | int | None, options: TableOptions, markup: bool) -> Source:
    if isinstance(source, str | os.PathLike):
        if source != "-":
            return _files([source], column, options, markup)
        if column is not None:
            raise CorpusError(f"column={column!r}: standard input has no columns; expected a file of a table")
        return StandardInput()
    if isinstance(source, bytes | bytearray):
        raise CorpusError(f"found {type(source).__name__} {brief(source)}; {_EXPECTED}: decode it")
    if isinstance(source, Mapping) and column is None and DEFAULT_COLUMN not in source:
        keys = ", ".join(map(repr, source))
        raise CorpusError(
            f"found a mapping with the keys {keys}; {_EXPECTED}; name a column, or pass one of its values"
        )
    table = table_of(source)
    if table is not None:
        return _cells(_first_item(table.texts(column), source))
    if not isinstance(source, Iterable):
        raise CorpusError(f"found {type(source).__name__} {brief(source)}; {_EXPECTED}")
    return _items(_first_item(iter(source), source), column, options, markup)


def _first_item(items: Iterator[Any], source: Any) -> Iterator[Any]:
    """Return the items after checking that there is at least one."""
    first = next(items, _NOTHING)
    if first is _NOTHING:
        raise CorpusError(
            f"the {type(source).__name__} gave nothing: it is empty, or a generator that was gone through before; "
            f"{_EXPECTED}"
        )
    return itertools.chain([first], items)


def _items(items: Iterator[Any], column: str | int | None, options: TableOptions, markup: bool) -> Source:
    first = next(items)
    everything = itertools.chain([first], items)
    if isinstance(first, os.PathLike) or (isinstance(first, str) and _names_file(first)):
        return _files(list(everything), column, options, markup)
    if isinstance(first, Mapping):
        return _cells(table_of_rows(everything).texts(column))
    if column is not None:
        raise CorpusError(
            f"column={column!r}: item 0 is {brief(first)}, which has no columns; expected rows of a table"
        )
    return _cells(everything)


def _cells(items: Iterator[Any]) -> Source:
    """Return texts or token lists, none of which is taken for a path, as a source."""
    first = next(items)
    everything = itertools.chain([first], items)
    if isinstance(first, str):
        return Items(everything, tokenised=False)
    if isinstance(first, Iterable) and not isinstance(first, bytes):
        return Items(everything, tokenised=True)
    raise CorpusError(f"item 0 is {type(first).__name__} {brief(first)}; {_EXPECTED}")


def _state(path: Path) -> tuple[str, int, int] | None:
    """Path, size and modification time; None for pipes and devices."""
    status = path.stat()
    return (os.path.realpath(path), status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def _names_file(text: str) -> bool:
    if "\n" in text or len(text) > 4096:
        return False
    path = Path(text)
    reader = _known(path) or inner_suffix(path) in ANNOTATED
    if reader and not any(map(str.isspace, text)):
        return True
    return (reader or not {"/", os.sep}.isdisjoint(text)) and path.exists()


def _known(path: Path) -> bool:
    inner = inner_suffix(path)
    return inner in TEXTS or inner in TABLES or path.suffix.lower() in COMPRESSIONS


def _files(sources: list[Any], column: str | int | None, options: TableOptions, markup: bool) -> Files:
    files: dict[Path, None] = {}  # a file that matches twice is read once
    for path in sources:
        if not isinstance(path, str | os.PathLike):
            raise CorpusError(f"{brief(path)} stands among paths; expected paths only, texts only or token lists only")
        if path == "":
            raise CorpusError(UNNAMED)
        files.update(dict.fromkeys(_expand(_home(path), markup)))
    if column is not None:
        _check_columns(list(files), column)
    asked = tuple(str(_home(path).absolute()) for path in sources)
    return Files(tuple(files), column, asked, options, markup=markup)


def _home(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.expanduser(path))  # noqa: PTH111  Path.expanduser raises where a text begins with "~x"


def _check_columns(paths: list[Path], column: str | int) -> None:
    """Check that at least one of the files is a table; other files are read as text."""
    if any(inner_suffix(path) in COLUMNS for path in paths):
        return
    first = paths[0]
    own = inner_suffix(first)
    hint = {
        ".json": "write one JSON object a line and name the file .jsonl",
        ".xlsx": "save the spreadsheet as CSV (UTF-8)",
        ".xls": "save the spreadsheet as CSV (UTF-8)",
        ".ods": "save the spreadsheet as CSV (UTF-8)",
    }.get(own, "leave the column out, or give a table one of these endings")
    raise CorpusError(
        f"{first}: has no columns, and column={brief(column)} was given; expected one of {', '.join(COLUMNS)}: {hint}"
    )


def reads(source: Path, path: Path) -> bool:
    """Whether a path, glob or folder of text covers a file, which need not exist yet.

    Args:
        source: the path, glob or folder.
    """
    source = _home(source)
    if source.is_dir():
        inside, folder = Path(os.path.realpath(path)), Path(os.path.realpath(source))
        return inside.is_relative_to(folder) and _known(inside) and not _hidden(inside.relative_to(folder))
    return path.exists() and any(other.samefile(path) for other in _expand(source))


def _expand(path: Path, markup: bool = False) -> list[Path]:
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except ValueError:  # a NUL character
        raise CorpusError(_missing(path)) from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise CorpusError(_missing(path)) from None
    if is_folder:
        return _inside(path, markup)
    if is_there:
        return [path]
    if glob.has_magic(str(path)):
        # Path.glob would match hidden files too.
        matches = [Path(match) for match in sorted(glob.glob(str(path), recursive=True))]  # noqa: PTH207  Path.glob refuses absolute patterns
        files = [match for match in matches if match.is_file()]
        if not files and _is_text(str(path)):
            raise CorpusError(_missing(path))
        if not files:
            raise CorpusError(f"{path}: no file matches; expected a glob such as 'books/**/*.txt.gz'; check the folder")
        return files
    raise CorpusError(_missing(path))


def _missing(path: Path) -> str:
    text = str(path)
    if _is_text(text):
        return f"no file is called {text[:60]!r} ...: a string alone is a path; pass texts as a list of strings"
    if path.is_symlink():
        return f"{path}: a symbolic link that leads to no file; expected text; make it again, or name the file itself"
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, names, n=1)
    hint = f"did you mean {path.parent / close[0]}?" if close else "check the path"
    return f"{path}: no such file or folder; {_EXPECTED}; {hint}"


def _is_text(text: str) -> bool:
    """Whether a string that is no file looks like a text rather than a misspelt path."""
    return len(text) > 200 or "\n" in text or "\0" in text or text.count(" ") > 5


def _inside(folder: Path, markup: bool) -> list[Path]:
    """Return the text files of a folder and its subfolders, sorted by path, without hidden ones."""
    if (folder / _MANIFEST).is_file():
        raise CorpusError(f"{folder}: a corpus that is built already; expected text; open it with Corpus.open")
    everything = sorted(path for path in folder.rglob("*") if path.is_file() and not _hidden(path.relative_to(folder)))
    files = [path for path in everything if _known(path) or (markup and inner_suffix(path) in MARKUP)]
    if not files:
        suffixes = sorted({path.suffix or "no suffix" for path in everything})
        content = f"{len(everything)} files ({', '.join(suffixes[:8])})" if everything else "nothing"
        formats = ", ".join((*TEXTS, *TABLES, *COMPRESSIONS))
        without = _WITHOUT if {path.suffix.lower() for path in everything} & MARKUP.keys() else ""
        raise CorpusError(
            f"{folder}: holds {content}; expected files ending in {formats}; a glob such as '{folder}/**/*' reads "
            f"others as plain text{without}"
        )
    if omitted := Counter(path.suffix.lower() or "no suffix" for path in set(everything).difference(files)):
        left_out = ", ".join(
            f"{count:,} {suffix}" for suffix, count in sorted(omitted.items(), key=lambda item: (-item[1], item[0]))[:8]
        )
        warn_caller(
            f"{folder}: {counted(len(files), 'file')} read, {omitted.total():,} left out ({left_out}"
            f"{', ...' if len(omitted) > 8 else ''}); a glob such as "
            f"'{folder}/**/*.log' reads others{_WITHOUT if omitted.keys() & MARKUP.keys() else ''}"
        )
    return files


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
