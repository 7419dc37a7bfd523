"""The corpus that a command line names, and the lines of a file."""

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from firth.cli.arguments import TEXT, ReadingOptions
from firth.cli.flags import Flags
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.corpus.reader import lines_of, opened, standard_input
from firth.corpus.sources import UNNAMED
from firth.corpus.storage import is_built
from firth.corpus.table_options import TableOptions
from firth.errors import CorpusError, OptionError, brief, counted, warn_caller
from firth.storage.files import as_path, text_of

_Item = TypeVar("_Item")
_MARKS = ",;:!?"  # no full stop: abbreviations have one
_WITH_MARK = re.compile(rf"\w[{_MARKS}]$")
CORPUS, READING, READ_TABLES = Flags(CorpusOptions, TEXT), Flags(ReadingOptions, TEXT), Flags(TableOptions, TEXT)


def words_of(path: Path) -> tuple[str, ...]:
    """Return the words of a file."""
    return tuple(text_of(path).split())


def corpus_of(
    sources: Sequence[str],
    options: Mapping[str, Any],
    *,
    progress: bool,
    every_word: bool = False,
    defaults: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Corpus:
    """Build or open the corpus that a command line names.

    Args:
        sources: files, folders, globs, a corpus folder, or "-".
        options: the command's options, with those of `CORPUS` and `READING` among them.
        every_word: whether to keep rare words, in a corpus that is not built yet.
        defaults: options for what was not given; ignored for a corpus that is built already.
        threads: files that are read at once; None for one per processor.
    """
    given = text_options(options)
    if is_built_corpus(sources):
        if names := ", ".join(name for name in given if name != "cache"):
            raise OptionError(
                f"{sources[0]} is a corpus that is built already; {names} can only be given with its text"
            )
        return Corpus.open(sources[0])
    if every_word:
        given["min_count"] = 1
    given = {**(defaults or {}), **given}
    return Corpus.build(source_of(sources), threads=threads, progress=progress, **given)


def text_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `Corpus.build` that a command was given.

    Args:
        options: the command's options, with those of `CORPUS` and `READING` among them.
    """
    given = {**CORPUS.select(options), **READING.select(options)}
    if (stop_words := given.get("stop_words")) is not None:
        given["stop_words"] = words_of(stop_words)
    return given


def is_built_corpus(sources: Sequence[str]) -> bool:
    """Return whether the sources of a command line are a corpus folder rather than text."""
    return len(sources) == 1 and sources[0] != "" and is_built(as_path(sources[0]))


def source_of(sources: Sequence[str]) -> Any:
    """Return the sources of a command line in the form that `Corpus.build` takes."""
    if "" in sources:
        raise CorpusError(UNNAMED)
    if "-" in sources and len(sources) > 1:
        raise OptionError("- (standard input) with other sources; expected it alone: cat the files into it")
    return "-" if list(sources) == ["-"] else [Path(source) for source in sources]


def line_batches(path: str, many: int) -> Iterator[list[str]]:
    """Yield the lines of a file or of standard input in batches, without line ends."""
    yield from batches((line.rstrip("\r") for line in text_lines(path)), many)


def tell_running_text(path: str, sentences: Iterable[Sequence[str]], instead: str) -> None:
    """Warn of lines that have no spaces between words and marks, for a model that reads words.

    Args:
        path: of the file, which the warning names.
        sentences: the words of its first lines.
        instead: the option of `firth annotate` that takes the model.
    """
    words = [word for sentence in sentences for word in sentence]
    joined = [word for word in words if _WITH_MARK.search(word)]
    if len(joined) > sum(word in _MARKS for word in words):
        warn_caller(
            f"{path}: {counted(len(joined), 'word')} with a mark behind, such as {brief(joined[0])}; expected spaces "
            f"between words and marks; for running text use firth annotate FILE {instead} MODEL -o OUT"
        )


def text_lines(path: str) -> Iterator[str]:
    """Yield the lines of a file or of standard input, without their line feeds.

    Args:
        path: the file, compressed or not; - for standard input.
    """
    if path == "-":
        source: Any = contextlib.nullcontext((None, standard_input()))
    else:
        check_is_file(path)
        source = opened(Path(path))
    with source as (_, stream), lines_of(stream) as lines:
        yield from (line.removesuffix(b"\n").decode() for line in lines)


def check_is_file(path: str) -> None:
    """Refuse a text in place of a file of texts."""
    if " " in path and not os.path.lexists(path):
        raise CorpusError(
            f"no file is called {brief(path)}; a text itself is read from standard input: echo TEXT | ... -"
        )


def batches(items: Iterable[_Item], many: int) -> Iterator[list[_Item]]:
    """Yield items in batches of `many`; the last one may have fewer."""
    remaining = iter(items)
    while batch := list(islice(remaining, many)):
        yield batch
