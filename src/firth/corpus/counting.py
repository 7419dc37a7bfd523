"""From any source to provisional word numbers on disk, and the words they stand for.

Named tokenisers run in compiled code over bytes; functions of the caller's run over strings. Both give the same stream:
int32 numbers, -1 where a sentence ends.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.columns import TABLES, cells
from firth.corpus.contents import ByteStream, TextStream, contents, guarded, sentences
from firth.corpus.meter import Meter
from firth.corpus.options import CorpusOptions
from firth.corpus.reader import HEAD, check_text, inner_suffix
from firth.corpus.scanner import Scanner
from firth.corpus.sources import Files, Items, Source
from firth.corpus.token_counter import TokenCounter
from firth.errors import CorpusError
from firth.text.tokenise import encode, is_named, tokeniser

_FEED, _SPACE = b"\n "
_CONTINUED = -64  # as a signed byte: all below are the bytes of UTF-8 that go on with a character
_BATCH = 1 << 16  # characters of texts that go to the scanner together

Write = Callable[[npt.NDArray[np.int32]], None]
Counted = tuple[list[str], npt.NDArray[np.int64]]


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
        meter.words += len(numbers)  # and the ends of sentences: near enough for a display
        write(numbers)

    if isinstance(source, Items) and source.tokenised:
        return _count_token_lists(source.items, counted, meter)
    if isinstance(source, Files) and holds_token_lists(source):
        lists = (cell for _, content in contents(source, meter) for cell in _cells_of(content))
        return _count_token_lists(lists, counted, meter)
    if is_named(options.tokens):
        return _scan(source, str(options.tokens), options, counted, meter)
    return _count_with(tokeniser(options.tokens), source, options, counted, meter)


class Ends:
    """Tells a source's own empty sentences from those that a scanner ends for safety where a text ends.

    Args:
        write: receives the numbers without the latter.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self._ended = 0  # sentences, of the text at hand
        self._pending = 0  # ends in a row that may be the scanner's

    def write(self, numbers: npt.NDArray[np.int32]) -> None:
        """Pass numbers on, the ends behind the last word held back."""
        words = np.flatnonzero(numbers != -1)
        if not len(words):
            self._pending += len(numbers)
            return
        kept = numbers[: words[-1] + 1]
        self._end(self._pending)
        self._write(kept)
        self._ended += int(np.count_nonzero(kept == -1))
        self._pending = len(numbers) - len(kept)

    def settle(self, sentences: int) -> None:
        """Say that a text has ended, and how many sentences it had."""
        self._end(sentences - self._ended)
        self._ended = self._pending = 0

    def _end(self, count: int) -> None:
        if count > 0:
            self._write(np.full(count, -1, dtype=np.int32))
        self._ended += count


def _scan(source: Source, tokens: str, options: CorpusOptions, write: Write, meter: Meter) -> Counted:
    paragraphs = options.sentences == "paragraph"
    end = "\n\n" if paragraphs else "\n"
    whole = options.sentences == "text"
    # A text of its own ends a paragraph; what a splitter returns is a sentence, and one line.
    how = None if options.sentences in ("line", "paragraph") else options.sentences
    ends = Ends(write)
    scanner = Scanner(tokens, ends.write if options.keep_empty else write, paragraphs=paragraphs)
    for name, content in contents(source, meter):
        if isinstance(content, ByteStream) and (how is None or whole):
            ended, characters = _pour(name, content, scanner, whole=whole)
            meter.characters += characters
        else:
            ended = 0
            for batch in _batches(sentences(content.texts(name), how)):
                meter.characters += sum(map(len, batch))
                ended += sum(text.count("\n") + 1 for text in batch) if options.keep_empty else 0
                scanner.feed(encode("".join(text + end for text in batch)))
            scanner.end()
        if options.keep_empty:
            ends.settle(ended)
    return scanner.finish()


def _pour(name: str, content: ByteStream, scanner: Scanner, *, whole: bool) -> tuple[int, int]:
    """Scan a file, as one sentence or a line a sentence; return how many it has, empty ones too, and its characters."""
    head = b""
    feeds, started, last = 0, 0, _FEED
    while size := content.read_into(room := scanner.room()):
        if len(head) < HEAD:
            head += bytes(room[: min(size, HEAD)])
            check_text(name, head)
        read = np.frombuffer(room[:size], dtype=np.uint8)  # two looks at every byte, a tenth of the scanner's time
        ends = read == _FEED
        feeds, last = feeds + int(np.count_nonzero(ends)), int(read[-1])
        started += int(np.count_nonzero(read.view(np.int8) >= _CONTINUED))
        if whole:
            read[ends] = _SPACE
        scanner.filled(size)
    scanner.end()
    return 1 if whole else feeds + (last != _FEED), started - feeds


def _count_with(
    tokens_of: Callable[[str], list[str]], source: Source, options: CorpusOptions, write: Write, meter: Meter
) -> Counted:
    counter = TokenCounter(write)
    for name, content in contents(source, meter):
        for text in sentences(content.texts(name), options.sentences):
            meter.characters += len(text)
            counter.add(tokens_of(text))
    return counter.words()


def holds_token_lists(source: Source) -> bool:
    """Return whether a source gives lists of tokens: of files, whether the first cell of the first is a list."""
    if not isinstance(source, Files):
        return isinstance(source, Items) and source.tokenised
    if inner_suffix(source.paths[0]) not in TABLES:
        return False
    found = cells(source.paths[0], source.column, lambda raw: None)
    with contextlib.closing(found):
        return isinstance(next(found, None), list)


def _cells_of(content: ByteStream | TextStream) -> Iterator[Any]:
    if isinstance(content, ByteStream):
        raise CorpusError(f"{content.path}: text among tables of token lists; expected all files to be of one kind")
    yield from content.items


def _count_token_lists(items: Iterator[Any], write: Write, meter: Meter) -> Counted:
    counter = TokenCounter(write)
    whole_texts = seen = 0
    sentence: list[Any] = []
    for tokens in guarded(items):
        if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable):
            raise CorpusError(f"item {seen} is {tokens!r:.60} among token lists; expected all items to be of one kind")
        sentence = list(tokens)
        whole_texts += len(sentence) == 1 and isinstance(sentence[0], str) and " " in sentence[0].strip()
        seen += 1
        counter.add(sentence)
        meter.tick()
    if whole_texts == seen:
        raise CorpusError(
            f"each of the {seen:,} token lists holds one text with spaces, such as {sentence[0]!r:.60}; expected lists "
            "of words; pass the texts themselves, or split them"
        )
    return counter.words()


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
