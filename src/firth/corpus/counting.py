"""From any source to provisional word numbers on disk, and the words they stand for.

Named tokenisers run in compiled code over bytes; functions of the caller's run over strings. Both give the same stream:
int32 numbers, -1 where a sentence ends.
"""

import io
import itertools
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.corpus.columns import TABLES, cells
from firth.corpus.options import CorpusOptions
from firth.corpus.reader import HEAD, check_text, inner_suffix, opened, reading
from firth.corpus.scanner import Scanner
from firth.corpus.sources import Files, Items, Source, StandardInput
from firth.corpus.token_counter import TokenCounter
from firth.errors import CorpusError
from firth.progress import Report, Status
from firth.text.tokenise import decode, encode, tokeniser

_BATCH = 1 << 16  # characters of texts that go to the scanner together
_INTERVAL = 0.1  # seconds between two reports
_INK = "".join(map(chr, range(33)))  # what may stand in a blank line

Write = Callable[[npt.NDArray[np.int32]], None]
Counted = tuple[list[str], npt.NDArray[np.int64]]


@dataclass
class Meter:
    """Tells `report` how far reading has come: bytes of the files as they lie on disk, or tokens where there are none."""

    report: Report
    total: int | None
    tokens: int = 0
    finished: int = 0  # bytes of the files that are done with
    _started: float = field(default_factory=time.monotonic)
    _last: float = 0.0

    def tick(self, position: int = 0) -> None:
        """Report, if the last time is long enough ago."""
        now = time.monotonic()
        if now - self._last < _INTERVAL:
            return
        self._last = now
        seconds = now - self._started
        done, unit = (self.tokens, "words") if self.total is None else (self.finished + position, "bytes")
        figures = {} if self.total is None else {"Mwords": self.tokens / 1e6}
        self.report(
            Status(stage="reading text", done=done, total=self.total, unit=unit, seconds=seconds, figures=figures)
        )


def count(source: Source, options: CorpusOptions, write: Write, meter: Meter) -> Counted:
    """Number every token of a source, and count.

    Args:
        source: what to read; gone through once.
        options: `tokens` and `sentences`.
        write: receives the numbers, -1 where a sentence ends; an array is only lent.
        meter: told how far reading has come.

    Returns:
        The words in the order of their numbers, and how often each occurs.

    Raises:
        CorpusError: the source cannot be read, or is not what it seemed to be.
    """

    def counted(numbers: npt.NDArray[np.int32]) -> None:
        meter.tokens += int(np.count_nonzero(numbers >= 0))
        write(numbers)

    if isinstance(source, Items) and source.tokenised:
        return _count_token_lists(source.items, counted, meter)
    if isinstance(options.tokens, str):
        return _scan(source, options, counted, meter)
    return _count_with(tokeniser(options.tokens), source, options, counted, meter)


def _scan(source: Source, options: CorpusOptions, write: Write, meter: Meter) -> Counted:
    paragraphs = options.sentences == "paragraph"
    scanner = Scanner(options.tokens, write, paragraphs=paragraphs)
    for name, content in _contents(source, meter):
        if isinstance(content, _Bytes) and not callable(options.sentences):
            _pour(name, content, scanner)
            continue
        for batch in _batches(_sentences(content.texts(name), options.sentences)):
            # A sentence of the splitter's is one line; a text of its own ends a paragraph.
            scanner.feed(encode("".join(f"{text}\n\n" if paragraphs else f"{text}\n" for text in batch)))
        scanner.end()
    return scanner.words()


def _pour(name: str, content: "_Bytes", scanner: Scanner) -> None:
    with content.guard():
        head = b""
        while True:
            room = scanner.room()
            size = content.stream.readinto(room)  # type: ignore[attr-defined]  # all of ours can
            if not size:
                break
            if len(head) < HEAD:
                head += bytes(room[: min(size, HEAD)])
                check_text(name, head)
            scanner.filled(size)
            content.tick()
    scanner.end()


def _count_with(
    tokens_of: Callable[[str], list[str]], source: Source, options: CorpusOptions, write: Write, meter: Meter
) -> Counted:
    counter = TokenCounter(write)
    for name, content in _contents(source, meter):
        for text in _sentences(content.texts(name), options.sentences):
            counter.add(tokens_of(text))
    return counter.words()


def _count_token_lists(items: Iterator[Any], write: Write, meter: Meter) -> Counted:
    counter = TokenCounter(write)
    whole_texts = sentences = 0
    for i, tokens in enumerate(_guarded(items)):
        if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable):
            raise CorpusError(f"item {i} is {tokens!r:.60} among token lists; expected all of one kind")
        sentence = list(tokens)
        whole_texts += len(sentence) == 1 and isinstance(sentence[0], str) and " " in sentence[0].strip()
        sentences += 1
        counter.add(sentence)
        meter.tick()
    if whole_texts == sentences:
        raise CorpusError(
            f"each of the {sentences:,} token lists holds one text with spaces, the last {sentence[0]!r:.60}; expected lists "
            "of words; pass the texts themselves, or split them"
        )
    return counter.words()


# --- what a source holds: byte streams, or texts -------------------------------------------------------------------------


@dataclass
class _Bytes:
    """A stream of UTF-8."""

    stream: BinaryIO
    path: Path
    tick: Callable[[], None]

    @contextmanager
    def guard(self) -> Iterator[None]:
        with reading(self.path):
            yield

    def texts(self, name: str) -> Iterator[Iterable[str]]:
        """Yield the whole as one group of lines."""
        yield self._lines(name)

    def _lines(self, name: str) -> Iterator[str]:
        with self.guard():
            lines = io.BufferedReader(self.stream, HEAD)  # type: ignore[type-var]  # all of ours can be read from
            check_text(name, lines.peek(HEAD))
            for line in lines:
                yield decode(line.removesuffix(b"\n"))
                self.tick()


@dataclass
class _Texts:
    """Texts that come one by one, each a group of lines."""

    items: Iterable[Any]
    tick: Callable[[], None]

    def texts(self, name: str) -> Iterator[Iterable[str]]:
        for i, text in enumerate(self.items):
            if not isinstance(text, str):
                raise CorpusError(
                    f"{name}: item {i} is {type(text).__name__} {text!r:.60} among texts; expected all to be strings"
                )
            yield (text,)
            self.tick()


def _contents(source: Source, meter: Meter) -> Iterator[tuple[str, _Bytes | _Texts]]:
    if isinstance(source, StandardInput):
        yield "standard input", _Bytes(sys.stdin.buffer, Path("standard input"), meter.tick)
    elif isinstance(source, Items):
        yield "the source", _Texts(_guarded(source.items), meter.tick)
    else:
        for path in source.paths:
            if inner_suffix(path) in TABLES:
                yield str(path), _table(path, source, meter)
            else:
                with opened(path) as (raw, stream):
                    yield str(path), _Bytes(stream, path, lambda raw=raw: meter.tick(raw.tell()))
            meter.finished += path.stat().st_size


def _table(path: Path, source: Files, meter: Meter) -> _Texts:
    def tick(raw: BinaryIO) -> None:
        meter.tick(raw.tell())

    return _Texts(cells(path, source.column, tick), lambda: None)


def _guarded(items: Iterator[Any]) -> Iterator[Any]:
    try:
        yield from items
    except OSError as error:  # not to be taken for a failure to write the corpus
        raise CorpusError(f"the source of the texts failed ({error}); nothing was kept") from error


# --- sentences ------------------------------------------------------------------------------------------------------------


def _sentences(groups: Iterable[Iterable[str]], how: Any) -> Iterator[str]:
    """Yield sentence after sentence of groups of lines; a group's end ends a sentence."""
    for group in groups:
        lines = itertools.chain.from_iterable(text.split("\n") for text in group)
        if how == "line":
            yield from lines
        elif how == "paragraph":
            yield from _paragraphs(lines)
        else:
            for text in group:
                yield from (sentence.replace("\n", " ") for sentence in how(text))


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    for blank, paragraph in itertools.groupby(lines, lambda line: not line.strip(_INK)):
        if not blank:
            yield "\n".join(paragraph)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    yield batch
