"""From any source to provisional word ids, and the words and their counts.

Named tokenisers run as compiled code on bytes; functions of the caller run on strings. Both give the same stream: int32
ids, -1 at the end of each sentence, and -2 after that at the end of each document.
"""

import contextlib
import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.columns import ANNOTATED, COLUMNS, SEPARATED, TABLES, cells
from firth.corpus.contents import ByteStream, TextStream, contents, listing_unreadable, sentences, with_errors
from firth.corpus.options import CorpusOptions
from firth.corpus.parts import PartReader, Scan
from firth.corpus.reader import inner_suffix
from firth.corpus.reading_progress import Meter, ReadingProgress
from firth.corpus.scanner import Scanner
from firth.corpus.sources import Files, Items, Source
from firth.corpus.storage import DOCUMENT_END, SENTENCE_END
from firth.errors import CorpusError
from firth.text.tokenise import encode, is_compiled, tokeniser

_HELD = 1 << 18  # ids buffered before they are written


class TokenCounter:
    """Assigns provisional ids to the tokens of sentences and counts them.

    Args:
        write: called with blocks of ids, -1 at the end of each sentence.
    """

    def __init__(self, write: Callable[[npt.NDArray[np.int32]], None]) -> None:
        self._write = write
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._counts = np.zeros(0, dtype=np.int64)
        self._held: list[int] = []

    def add(self, tokens: Iterable[str]) -> None:
        """Add a sentence.

        Raises:
            CorpusError: the tokens are not strings.
        """
        try:
            self._held.extend(map(self._numbers.__getitem__, tokens))
        except TypeError as error:
            raise CorpusError(
                f"{tokens!r:.80} is not a list of tokens ({error}); expected a list of strings"
            ) from error
        self._held.append(SENTENCE_END)
        if len(self._held) >= _HELD:
            self._flush()

    def end_document(self) -> None:
        """End a document."""
        self._held.append(DOCUMENT_END)

    def words(self) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Return the words in the order of their ids, and their counts.

        Raises:
            CorpusError: a token is not a string.
        """
        self._flush()
        for word in self._numbers:
            if not isinstance(word, str):
                raise CorpusError(
                    f"the token {word!r:.80} is {type(word).__name__}; expected strings; turn it into one"
                )
        if "" in self._numbers:  # some tokenisers return empty tokens, which are not words
            self._counts[self._numbers[""]] = 0
        return list(map(str, self._numbers)), self._counts

    def _flush(self) -> None:
        numbers = np.array(self._held, dtype=np.int32)
        self._held.clear()
        counts = np.bincount(numbers[numbers >= 0], minlength=len(self._numbers))
        counts[: len(self._counts)] += self._counts
        self._counts = counts.astype(np.int64, copy=False)
        self._write(numbers)


_FEED, _SPACE = b"\n "
_BATCH = 1 << 16  # characters of texts that are scanned together

Write = Callable[[npt.NDArray[np.int32]], None]
Counted = tuple[list[str], npt.NDArray[np.int64]]


def count(
    source: Source, options: CorpusOptions, write: Write, meter: ReadingProgress, parts: PartReader | None = None
) -> Counted:
    """Tokenise a source, assign provisional ids and count.

    Args:
        source: the source; read once.
        options: `tokens` and `sentences` are used.
        write: called with blocks of ids, with the ends of sentences and documents; the array is reused after the call.
        parts: how several files are read at once; None for one after the other.

    Returns:
        The words in the order of their ids, and their counts.
    """

    def counted(numbers: npt.NDArray[np.int32]) -> None:
        meter.words += len(numbers)  # includes sentence ends, close enough for a display
        write(numbers)

    scan = _scan_of(source, options)
    pours = is_compiled(options.tokens) and isinstance(source, Files) and _pours(source, options)
    lists = scan is _scan_token_lists  # what is wrong with them shows in all together
    with listing_unreadable(source):
        if parts and isinstance(source, Files) and (pours or parts.uncompiled) and not lists:
            groups = parts.groups(source)
            if len(groups) > 1:
                return parts.count(groups, scan, counted, meter)
        return scan(source, write=counted, meter=meter)


def _scan_of(source: Source, options: CorpusOptions) -> Scan:
    """Return what reads a source, or some of its files, into provisional ids."""
    if holds_token_lists(source):
        return _scan_token_lists
    if is_compiled(options.tokens):
        return functools.partial(_scan, tokens=str(options.tokens), options=options)
    return functools.partial(_scan_with, options=options)


class EmptySentences:
    """Separates the empty sentences of a source from the extra ones that a scanner ends at the end of a text.

    Args:
        write: called with the ids without the extra sentence ends.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self._ended = 0  # sentences of the current text
        self._pending = 0  # consecutive ends that may be the scanner's

    def write(self, numbers: npt.NDArray[np.int32]) -> None:
        """Pass ids on, but hold back the sentence ends after the last word."""
        words = np.flatnonzero(numbers != -1)
        if not len(words):
            self._pending += len(numbers)
            return
        ended_numbers = numbers[: words[-1] + 1]
        self._end(self._pending)
        self._write(ended_numbers)
        self._ended += int(np.count_nonzero(ended_numbers == -1))
        self._pending = len(numbers) - len(ended_numbers)

    def settle(self, sentences: int) -> None:
        """End a text that had this number of sentences."""
        self._end(sentences - self._ended)
        self._ended = self._pending = 0

    def _end(self, count: int) -> None:
        if count > 0:
            self._write(np.full(count, -1, dtype=np.int32))
        self._ended += count


_END_OF_DOCUMENT = np.array([DOCUMENT_END], dtype=np.int32)
_ENDED = object()


class DocumentEnds:
    """Puts the ends of documents among the ids that a scanner writes, which knows those of sentences alone.

    Args:
        write: called with the ids and the ends of documents.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self.forget()

    def forget(self) -> None:
        """Begin a new text, of which nothing is announced."""
        self._targets: npt.NDArray[np.int64] | None = None  # sentences of the text up to the end of each document
        self._seen = self._announced = 0

    def expect(self, sizes: Sequence[int] | npt.NDArray[np.int64]) -> None:
        """Announce documents before the rest of their text is scanned.

        Args:
            sizes: sentences of each document, empty ones too.
        """
        new = self._announced + np.cumsum(sizes, dtype=np.int64)
        self._targets = new if self._targets is None else np.append(self._targets, new)
        self._announced = int(new[-1]) if len(new) else self._announced

    def write(self, numbers: npt.NDArray[np.int32]) -> None:
        """Pass ids on, with the ends of the documents that end among them."""
        if self._targets is not None:
            ends = np.append(0, np.flatnonzero(numbers == SENTENCE_END) + 1)
            reached = int(np.searchsorted(self._targets, self._seen + len(ends) - 1, side="right"))
            numbers = np.insert(numbers, ends[self._targets[:reached] - self._seen], DOCUMENT_END)
            self._targets = self._targets[reached:]
            self._seen += len(ends) - 1
        self._write(numbers)


def _pours(source: Files, options: CorpusOptions) -> bool:
    """Whether all of the reading is compiled, so that threads gain something."""
    return options.reads_bytes and all(inner_suffix(path) not in COLUMNS for path in source.paths)


def _scan(source: Source, *, write: Write, meter: Meter, tokens: str, options: CorpusOptions) -> Counted:
    paragraphs = options.sentences == "paragraph"
    end = "\n\n" if paragraphs else "\n"
    whole = options.sentences == "text"
    ends = EmptySentences(write)
    documents = DocumentEnds(ends.write if options.keep_empty else write)
    scanner = Scanner(tokens, documents.write, paragraphs=paragraphs)
    for name, content in contents(source, meter):
        if isinstance(content, ByteStream) and options.reads_bytes:
            ended, characters = _pour(content, scanner, whole=whole)
            meter.characters += characters
        else:
            ended = 0
            for batch, sizes in _batches(_documents_of(content, name, options), paragraphs=paragraphs):
                meter.characters += sum(map(len, batch))
                ended += sum(text.count("\n") + 1 for text in batch) if options.keep_empty else 0
                documents.expect(sizes)
                scanner.feed(encode("".join(text + end for text in batch)))
            scanner.end()
        if options.keep_empty:
            ends.settle(ended)
        documents.forget()
        write(_END_OF_DOCUMENT)
    return scanner.finish()


def _documents_of(content: ByteStream | TextStream, name: str, options: CorpusOptions) -> Iterator[Iterable[str]]:
    """Yield texts by document: the scanner finds lines or paragraphs in them, or they are sentences, each on a line."""
    if options.sentences in ("line", "paragraph") and options.reads_bytes:
        return iter(content.texts(name))
    return (sentences([group], options) for group in content.texts(name))


def _pour(content: ByteStream, scanner: Scanner, *, whole: bool) -> tuple[int, int]:
    """Scan a file, one sentence per line or in all; return the numbers of sentences (empty ones too) and characters."""
    feeds, last = 0, _FEED
    while size := content.read_into(room := scanner.room()):
        data = np.frombuffer(room[:size], dtype=np.uint8)
        ends = data == _FEED
        feeds, last = feeds + int(np.count_nonzero(ends)), int(data[-1])
        if whole:
            data[ends] = _SPACE
        scanner.filled(size)
    scanner.end()
    return 1 if whole else feeds + (last != _FEED), content.stream.characters - feeds


def _scan_with(source: Source, *, write: Write, meter: Meter, options: CorpusOptions) -> Counted:
    tokens_of = tokeniser(options.tokens)
    counter = TokenCounter(write)
    for name, content in contents(source, meter):
        for group in content.texts(name):
            for text in sentences([group], options):
                meter.characters += len(text)
                counter.add(tokens_of(text))
            counter.end_document()
    return counter.words()


def holds_token_lists(source: Source) -> bool:
    """Whether a source yields lists of tokens; for files, whether the first cell of the first file is a list."""
    if not isinstance(source, Files):
        return isinstance(source, Items) and source.tokenised
    suffix = inner_suffix(source.paths[0])
    if suffix not in TABLES or suffix in SEPARATED:
        return suffix in ANNOTATED
    first_cells = cells(source.paths[0], source.column, lambda raw: None, source.how)
    with contextlib.closing(first_cells):
        return isinstance(next(first_cells, None), list)


def _cells_of(content: ByteStream | TextStream) -> Iterator[Any]:
    if isinstance(content, ByteStream):
        raise CorpusError(f"{content.path}: text among tables of token lists; expected all files to be of one kind")
    yield from content.items


def _token_lists(source: Source, meter: Meter) -> Iterator[Any]:
    """Yield lists of tokens, and _ENDED where a document ends: after each list, but after each file of sentences."""
    if isinstance(source, Items):
        for item in source.items:
            yield from (item, _ENDED)
        return
    for (_, content), path in zip(contents(source, meter), getattr(source, "paths", ()), strict=True):
        for cell in _cells_of(content):
            yield cell
            if inner_suffix(path) not in ANNOTATED:
                yield _ENDED
        yield _ENDED


def _scan_token_lists(source: Source, *, write: Write, meter: Meter) -> Counted:
    counter = TokenCounter(write)
    whole_texts = count = 0
    sentence: list[Any] = []
    for tokens in with_errors(_token_lists(source, meter)):
        if tokens is _ENDED:
            counter.end_document()
            continue
        if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable):
            raise CorpusError(f"item {count} is {tokens!r:.60} among token lists; expected all items to be of one kind")
        sentence = list(tokens)
        whole_texts += len(sentence) == 1 and isinstance(sentence[0], str) and " " in sentence[0].strip()
        count += 1
        counter.add(sentence)
        meter.update()
    if whole_texts == count:
        raise CorpusError(
            f"each of the {count:,} token lists holds one text with spaces, such as {sentence[0]!r:.60}; expected "
            "lists of words; pass the texts themselves, or split them"
        )
    return counter.words()


def _batches(documents: Iterable[Iterable[str]], *, paragraphs: bool) -> Iterator[tuple[list[str], list[int]]]:
    """Yield texts that are scanned together, and after how many more sentences each document ends that ends there.

    Args:
        paragraphs: whether the scanner itself finds paragraphs, so that nobody knows how many sentences a text has; the
            ends of documents are then not known.
    """
    batch: list[str] = []
    sizes: list[int] = []
    size = ended = 0
    for document in documents:
        for text in document:
            batch.append(text)
            size, ended = size + len(text), ended + text.count("\n") + 1
            if size >= _BATCH:
                yield batch, sizes
                batch, sizes, size = [], [], 0
        if not paragraphs:
            sizes.append(ended)
            ended = 0
    yield batch, sizes
