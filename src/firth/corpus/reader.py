"""Open text files, plain or compressed, and check that they are text."""

import bz2
import contextlib
import functools
import gzip
import importlib
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from firth.errors import CorpusError, MissingExtraError
from firth.storage.encodings import HOW, Utf8Stream
from firth.storage.untrusted import SizeLimited
from firth.storage.user_files import open_file

HEAD = 1 << 16  # bytes that are checked to tell text from other files

_SIGNATURES = (
    (b"\x1f\x8b", "gzip data: name it .gz"),
    (b"BZh", "bzip2 data: name it .bz2"),
    (b"\xfd7zXZ\x00", "xz data: name it .xz"),
    (b"\x28\xb5\x2f\xfd", "zstandard data: name it .zst"),
    (b"PAR1", "a Parquet file: name it .parquet"),
    (b"%PDF", "a PDF document: extract its text"),
    (b"{\\rtf", "a document in RTF: save it as plain text"),
    (b"\xd0\xcf\x11\xe0", "a document of Office before 2007: save it as plain text, or a spreadsheet as CSV"),
)
_ZIPPED = {  # suffixes of what is a zip archive inside
    **dict.fromkeys((".docx", ".odt", ".epub", ".pages", ".pptx"), "a document: save it as plain text"),
    **dict.fromkeys(
        (".xlsx", ".xlsm", ".ods"), "a spreadsheet: save it as CSV (UTF-8), or pass pandas.read_excel of it"
    ),
}
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{\s*\"")


def _gzip(raw: BinaryIO) -> Any:
    return gzip.GzipFile(fileobj=raw)


def _zstandard(raw: BinaryIO) -> Any:
    if sys.version_info >= (3, 14):
        return importlib.import_module("compression.zstd").ZstdFile(raw)
    try:
        package = importlib.import_module("zstandard")
    except ImportError as error:
        raise MissingExtraError("zstandard", "zstd", "read .zst files") from error
    return package.ZstdDecompressor().stream_reader(raw, read_across_frames=True)


COMPRESSIONS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": _gzip,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _zstandard,
}


def inner_suffix(path: Path) -> str:
    """Return the lower-case suffix of a file name, without that of its compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextlib.contextmanager
def opened(path: Path, encoding: str | None = None) -> Iterator[tuple[BinaryIO, Utf8Stream]]:
    """Open a file of text, decompress it and read it as UTF-8; see `firth.storage.encodings`.

    Args:
        encoding: that the user names; None for that of `firth.text_encoding`, if any.

    Yields:
        The raw file, whose position shows the progress, and the stream of its text.
    """
    with reading(path), open_file(path, 0 if path.suffix.lower() not in COMPRESSIONS else -1) as raw:
        compression = COMPRESSIONS.get(path.suffix.lower())
        if compression is None:
            yield raw, text_stream(raw, str(path), encoding)
        else:
            with cast("BinaryIO", SizeLimited(compression(raw), path)) as stream:
                yield raw, text_stream(stream, str(path), encoding)


def text_stream(stream: BinaryIO, name: str, encoding: str | None = None) -> Utf8Stream:
    """Return the text of a source as UTF-8.

    Args:
        stream: its bytes.
        encoding: as of `opened`.
    """
    check = functools.partial(check_text, name)
    return Utf8Stream(stream, name, encoding=encoding, check=check, error=CorpusError)


def standard_input() -> Utf8Stream:
    """Return standard input as UTF-8."""
    return text_stream(sys.stdin.buffer, "standard input")


@contextlib.contextmanager
def lines_of(stream: Any) -> "Iterator[io.BufferedReader[Any]]":
    """Buffer a stream so that its lines can be iterated; the stream stays open afterwards."""
    lines: io.BufferedReader[Any] = io.BufferedReader(stream, HEAD)
    try:
        yield lines
    finally:
        lines.detach()


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn read errors into a `CorpusError`."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise _damaged(path, error) from error
    except OSError as error:
        if error.errno is None:  # raised by a decompressor
            raise _damaged(path, error) from error
        raise CorpusError(f"{path}: cannot be read ({error.strerror}); expected a file of text") from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # of whichever package reads .zst here
            raise
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> CorpusError:
    return CorpusError(
        f"{path}: damaged or cut short ({error}); expected a whole {path.suffix} file; fetch or compress it again"
    )


def check_text(name: str, head: bytes) -> None:
    """Refuse binary data.

    Text has no NUL byte. Only the start of a file is checked; later it counts as a separator.

    Args:
        name: name of the source, for error messages.
        head: its first bytes.
    """
    for signature, hint in _SIGNATURES:
        if head.startswith(signature):
            raise CorpusError(f"{name}: holds {hint}; expected text")
    if head.startswith(b"PK\x03\x04"):
        hint = _ZIPPED.get(Path(name).suffix.lower(), "a zip archive: unpack it")
        raise CorpusError(f"{name}: holds {hint}; expected text")
    if _ARRAY.match(head):
        raise CorpusError(
            f"{name}: holds a JSON array of objects; expected text, or one object a line in a file named .jsonl, as "
            "`jq -c '.[]'` or pandas' to_json(orient='records', lines=True) writes it"
        )
    if b"\0" in head:
        raise CorpusError(
            f"{name}: binary data (a NUL byte at {head.index(0):,}); expected text; leave it out or convert it; if it "
            f"is UTF-16 or UTF-32 without a byte order mark, name that: {HOW.format('utf-16-le')}"
        )
