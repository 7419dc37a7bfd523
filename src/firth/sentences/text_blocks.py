"""Blocks of texts from any source: whole lines as bytes, or lists of texts."""

import contextlib
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any, Unpack

from firth.arguments import explained
from firth.corpus.contents import ByteStream, TextStream, contents, listing_unreadable
from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.sources import Files, resolve
from firth.corpus.table_options import TableArguments, TableOptions
from firth.progress import Progress, reporting_slow_work
from firth.text.inputs import Text, checked_texts

BYTES = 1 << 18  # bytes of text in a block of lines; its vectors fit into a processor's cache
TEXTS = 1024  # in a block of texts

Block = bytes | list[Text]  # whole lines, or texts


@explained
def read_texts(
    source: Any, *, column: str | int | None = None, progress: Progress = None, **table: Unpack[TableArguments]
) -> list[str]:
    """Return all texts of a source: each line of a file, each row of a table.

    Args:
        source: as for `firth.encode_file`.
        column: the column of texts in a table.
        **table: how a table in a text file is read; see `firth.TableOptions`.
    """
    sources = resolve(source, column, TableOptions(**table))
    with reporting_slow_work(progress) as report:
        meter = ReadingProgress(report, sources.size() if isinstance(sources, Files) else None)
        blocks = blocks_of(contents(sources, meter), False)
        with listing_unreadable(sources):
            return [text_of(text) for block in blocks if isinstance(block, list) for text in block]


def blocks_of(parts: Any, as_bytes: bool) -> Generator[Block]:
    """Yield the texts of a source.

    Args:
        parts: of `firth.corpus.contents.contents`.
        as_bytes: whether the lines of files stay bytes.
    """
    with contextlib.closing(parts):  # files are closed at once after an error, the innermost reader first
        for name, content in parts:
            if as_bytes and isinstance(content, ByteStream):
                yield from _whole_lines(content)
                continue
            with contextlib.closing(_texts_in(name, content)) as texts:
                first = 0
                while block := list(islice(texts, TEXTS)):
                    yield checked_texts(block, "texts", first)
                    first += len(block)


def _texts_in(name: str, content: ByteStream | TextStream) -> Generator[Any]:
    if isinstance(content, TextStream):
        for text in content.items:
            yield text
            content.tick()
        return
    for group in content.texts(name):
        lines: Any = group
        with contextlib.closing(lines):
            for line in lines:
                yield line.rstrip("\r")


def _whole_lines(content: ByteStream) -> Iterator[bytes]:
    """Yield the bytes of a file, cut after line ends; the last line gets one."""
    room, rest = memoryview(bytearray(BYTES)), b""
    while size := content.read_into(room):
        end = bytes(room[:size]).rfind(b"\n") + 1
        if not end:
            rest += room[:size]
            continue
        yield rest + room[:end]
        rest = bytes(room[end:size])
    if rest:
        yield rest + b"\n"


def size_of(block: Block) -> int:
    """Return the number of texts in a block."""
    return block.count(b"\n") if isinstance(block, bytes) else len(block)


def cut(block: Block, count: int) -> tuple[Block, Block]:
    """Return the first `count` texts of a block, and the others."""
    if isinstance(block, list):
        return block[:count], block[count:]
    end = 0
    for _ in range(count):
        line_end = block.find(b"\n", end)
        if line_end < 0:
            break
        end = line_end + 1
    return block[:end], block[end:]


def text_of(text: Text) -> str:
    """Return a text as a string; tokens are joined by spaces."""
    return text if isinstance(text, str) else " ".join(text)
