"""What every command that reads text shares: its arguments, and the corpus that they mean."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.flags import Flags
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.corpus.reader import lines_of, opened
from firth.corpus.sources import UNNAMED
from firth.corpus.storage import is_built
from firth.errors import CorpusError, OptionError

Sources = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders or globs of text, a corpus folder, or - for standard input.",
        show_default=False,
        metavar="CORPUS",
    ),
]
Threads = Annotated[int | None, typer.Option(help="Threads; by default one a processor.", show_default=False)]
Column = Annotated[str | None, typer.Option(help="Column of text in JSONL, CSV, Parquet or Arrow files.")]
StopWords = Annotated[Path | None, typer.Option(help="File of words to leave out, one a line.")]
Cache = Annotated[
    Path | None, typer.Option(help="Folder for encoded corpora; by default the user's cache folder.", metavar="DIR")
]

CORPUS = Flags(CorpusOptions, "Text")


def words_of(path: Path) -> tuple[str, ...]:
    """Return the words of a file."""
    return tuple(path.read_text(encoding="utf-8").split())


def corpus_of(
    sources: Sequence[str],
    how: Mapping[str, Any],
    *,
    stop_words: Path | None,
    column: str | None,
    cache: Path | None,
    progress: bool,
    every_word: bool = False,
    defaults: Mapping[str, Any] | None = None,
) -> Corpus:
    """Return the corpus that a command line names, built or opened.

    Args:
        sources: files, folders, globs, a corpus folder, or "-".
        how: the options of `CorpusOptions` that were given.
        stop_words: a file of words to leave out.
        column: of tables.
        cache: the folder for encoded corpora.
        progress: whether to show any.
        every_word: whether rare words are kept, where the corpus is not built yet.
        defaults: options of a text for what was not given; a corpus that is built already has its own.

    Raises:
        OptionError: options were given for a corpus that is built already, or "-" stands among others.
    """
    options = {**how, **({} if stop_words is None else {"stop_words": words_of(stop_words)})}
    if is_built_corpus(sources):
        if options or column is not None:
            given = ", ".join([*options, *(["column"] if column is not None else [])])
            raise OptionError(
                f"{sources[0]} is a corpus that is built already; {given} can only be given with its text"
            )
        return Corpus.open(sources[0])
    if every_word:
        options["min_count"] = 1
    options = {**(defaults or {}), **options}
    return Corpus.build(source_of(sources), cache=cache, column=column, progress=progress, **options)


def is_built_corpus(sources: Sequence[str]) -> bool:
    """Return whether the sources of a command line are one corpus folder, and no text."""
    return len(sources) == 1 and sources[0] != "" and is_built(Path(sources[0]))


def source_of(sources: Sequence[str]) -> Any:
    """Return what `Corpus.build` takes for the sources of a command line.

    Raises:
        OptionError: "-" stands among others.
        CorpusError: one is empty.
    """
    if "" in sources:
        raise CorpusError(UNNAMED)
    if "-" in sources and len(sources) > 1:
        raise OptionError("- (standard input) among other sources; expected it alone: cat the files into it")
    return "-" if list(sources) == ["-"] else [Path(each) for each in sources]


def line_batches(path: str, many: int, *, damaged: str = "replace") -> Iterator[list[str]]:
    """Yield the lines of a file, or of standard input, without their ends, some at a time.

    Args:
        path: the file, packed or not; - for standard input.
        many: lines that come together, at most.
        damaged: what becomes of bytes that are not UTF-8, as Python's `errors`.

    Raises:
        CorpusError: there is no such file, or it is not text.
    """
    if path == "-":
        yield from _batches(sys.stdin.buffer, many, damaged)
        return
    with opened(Path(path)) as (_, stream), lines_of(stream) as lines:
        yield from _batches(lines, many, damaged)


def _batches(lines: Any, many: int, damaged: str) -> Iterator[list[str]]:
    while some := list(islice(lines, many)):
        yield [line.decode("utf-8", damaged).rstrip("\r\n") for line in some]
