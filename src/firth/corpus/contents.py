"""The contents of a source as byte streams or texts, and the sentences of texts."""

import contextlib
import itertools
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from firth.corpus.columns import BINARY, COLUMNS, cells
from firth.corpus.markup import MARKUP, blocks
from firth.corpus.options import CorpusOptions
from firth.corpus.reader import inner_suffix, lines_of, opened, reading, standard_input
from firth.corpus.reading_progress import Meter
from firth.corpus.sources import Files, Items, Source, StandardInput
from firth.errors import CorpusError, FormatError
from firth.storage.encodings import Utf8Stream
from firth.text.markup import with_whole_tags, without_markup
from firth.text.sentence_ends import split_sentences
from firth.text.tokenise import decode

LISTED = 20  # files that an error names
_HYPHENS = "-\u2010\u00ad\u00ac\u2e17"
_DIVIDED = re.compile(rf"(?<=[^\W\d_])[{_HYPHENS}]\r?\n[^\S\n]*([^\W\d_])")
_INVISIBLE = "".join(map(chr, range(33)))  # characters of a blank line


@dataclass
class ByteStream:
    """The text of a file as UTF-8.

    Attributes:
        tick: called after each read.
    """

    path: Path
    stream: Utf8Stream
    tick: Callable[[], None]

    def read_into(self, room: memoryview) -> int:
        """Read into `room`; return the number of bytes, 0 at the end."""
        with reading(self.path):
            size = self.stream.readinto(room)
        self.tick()
        return size

    def texts(self, name: str) -> Iterator[Iterable[str]]:
        """Yield the whole file as one group of lines."""
        yield self._lines(name)

    def _lines(self, name: str) -> Iterator[str]:
        with reading(self.path), lines_of(self.stream) as lines:
            for line in lines:
                yield decode(line.removesuffix(b"\n"))
                self.tick()


@dataclass(frozen=True)
class TextStream:
    """Texts, one by one.

    Attributes:
        tick: called after each text.
        together: whether the texts are the blocks of one document.
    """

    items: Iterable[Any]
    tick: Callable[[], None]
    together: bool = False

    def texts(self, name: str) -> Iterator[Iterable[str]]:
        """Yield each text as its own group, or all as one.

        Raises:
            CorpusError: an item is not a string.
        """
        if self.together:
            yield self.items
            return
        for i, text in enumerate(self.items):
            if not isinstance(text, str):
                description = f"item {i} is {type(text).__name__} {text!r:.60}"
                raise CorpusError(f"{name}: {description} among texts; expected all items to be of one kind")
            yield (text,)
            self.tick()


def contents(source: Source, meter: Meter) -> Iterator[tuple[str, ByteStream | TextStream]]:
    """Yield the parts of a source with their names; the end of a part ends a sentence."""
    if isinstance(source, StandardInput):
        yield "standard input", ByteStream(Path("standard input"), standard_input(), meter.update)
    elif isinstance(source, Items):
        yield "the source", TextStream(with_errors(source.items), meter.update)
    else:
        for path in source.paths:
            yield from _in_file(path, source, meter)
            with reading(path):
                meter.finished += path.stat().st_size


@contextlib.contextmanager
def listing_unreadable(source: Source) -> Iterator[None]:
    """Where one of several files is no text, name all that are none."""
    try:
        yield
    except CorpusError as error:
        paths = source.paths if isinstance(source, Files) else ()
        problems = unreadable(paths) if len(paths) > 1 else []
        if len(problems) < 2:
            raise
        shown = "\n".join([*problems[:LISTED], *(["..."] if len(problems) > LISTED else [])])
        raise CorpusError(
            f"{len(problems):,} of {len(paths):,} files cannot be read as text; leave them out, or see what "
            f"each needs:\n{shown}"
        ) from error


def unreadable(paths: Iterable[Path]) -> list[str]:
    """Return what is wrong with the files whose beginning is no text."""
    problems = []
    for path in paths:
        if inner_suffix(path) in BINARY:
            continue
        try:
            with warnings.catch_warnings(action="ignore"), opened(path) as (_, stream):
                stream.read(1)
        except (CorpusError, FormatError) as error:
            problems.append(str(error))
    return problems


def _in_file(path: Path, source: Files, meter: Meter) -> Iterator[tuple[str, ByteStream | TextStream]]:
    def tick_at(raw: BinaryIO) -> None:
        meter.update(raw.tell())

    if inner_suffix(path) in COLUMNS:
        yield str(path), TextStream(cells(path, source.column, tick_at, source.how, source.encoding), lambda: None)
        return
    if source.markup and inner_suffix(path) in MARKUP:
        with reading(path):
            lines = blocks(path, inner_suffix(path), source.encoding)
        yield str(path), TextStream(lines, lambda: None, together=True)
        return
    with opened(path, source.encoding) as (raw, stream):
        yield str(path), ByteStream(path, stream, lambda: meter.update(raw.tell() if raw.seekable() else 0))


def with_errors(items: Iterator[Any]) -> Iterator[Any]:
    """Yield the items of the caller's iterator."""
    try:
        yield from items
    except OSError as error:
        raise CorpusError(f"the source of the texts failed ({error}); expected it to go on; nothing is kept") from error


def sentences(groups: Iterable[Iterable[str]], options: CorpusOptions) -> Iterator[str]:
    """Yield the sentences of texts.

    Args:
        groups: groups of texts: the lines of a file, or a single text.
        options: how sentences end, and what becomes of markup and of hyphens at the ends of lines. Where punctuation
            ends sentences, an empty one follows each group, the end of a document.
    """
    mode: Any = options.sentences
    for group in groups:
        if options.markup:
            group = map(without_markup, with_whole_tags(group))
        if mode == "line":
            yield from _lines(group)
        elif mode == "text":
            text = "\n".join(group)
            yield text.replace("\r\n", "\n") if options.keeps_line_breaks else text.replace("\n", " ")
        elif mode == "paragraph":
            yield from (_joined(paragraph, options) for paragraph in _paragraphs(_lines(group)))
        elif mode == "punctuation":
            for paragraph in _paragraphs(_lines(group)):
                yield from split_sentences(_joined(paragraph, options).replace("\n", " "), options.language)
            yield ""
        else:
            for text in group:
                yield from (sentence.replace("\n", " ") for sentence in mode(text))


def _joined(paragraph: str, options: CorpusOptions) -> str:
    """Return a paragraph in which no hyphen at the end of a line divides a word, if that is asked for."""
    if not options.joins_hyphens or "\n" not in paragraph:
        return paragraph
    return _DIVIDED.sub(lambda match: match[1] if match[1].islower() else match[0], paragraph)


def without_hyphen(line: str, following: str) -> tuple[str, str] | None:
    """Return two lines without the hyphen that divides a word between them; None if there is none.

    Args:
        line: with its line feed.
    """
    if not line.rstrip("\r\n").endswith(tuple(_HYPHENS)):
        return None
    match = _DIVIDED.search(f"{line}{following}", max(0, len(line) - 4))
    if match is None or not match[1].islower() or match.end() <= len(line):
        return None
    return line[: match.start()], following[match.end() - 1 - len(line) :]


def is_blank(line: str) -> bool:
    """Whether a line is one that separates paragraphs."""
    return not line.strip(_INVISIBLE)


def _lines(group: Iterable[str]) -> Iterator[str]:
    return itertools.chain.from_iterable(text.split("\n") for text in group)


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    for blank, paragraph in itertools.groupby(lines, is_blank):
        if not blank:
            yield "\n".join(paragraph)
