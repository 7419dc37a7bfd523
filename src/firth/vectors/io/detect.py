"""Detection of the format of a vector file from its first bytes, not its name; and compression of output files."""

import bz2
import contextlib
import gzip
import lzma
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from firth.errors import FormatError
from firth.storage import untrusted
from firth.storage.files import check_replaceable
from firth.vectors.io import fasttext, floret, npy, parquet
from firth.vectors.io.text import BYTE_ORDER_MARK, OTHERS, is_number, read_header

ROWS = 10  # lines checked before a file without a header is replaced
GLANCE = 2**20  # bytes read: a header, and the longest line of text in practice
PACKINGS = (".gz", ".bz2", ".xz", ".zip")
FOREIGN = {
    b"\x80": "a pickle, which could run any code; in gensim, save_word2vec_format writes a file that firth reads",
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it, or pack it with gzip",
}


def opened(path: Path) -> BinaryIO:
    """Open a file for reading; a compressed file is unpacked.

    Raises:
        FormatError: it is a folder, or an archive that does not hold exactly one file.
    """
    if path.is_dir():
        raise FormatError(
            f"{path} is a folder without firth vectors; expected one that firth saved, or a file of vectors"
        )
    return untrusted.opened(path, GLANCE)


def packing_of(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a compressed file's name, or ""."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix in PACKINGS else ""


@contextlib.contextmanager
def packed(file: BinaryIO, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a file that compresses into `file` by the suffix of `path`. The same vectors give the same bytes."""
    kind = packing_of(path)
    if not kind:
        yield file
    elif kind == ".zip":
        member = zipfile.ZipInfo(Path(path).stem, date_time=(1980, 1, 1, 0, 0, 0))
        member.compress_type = zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(file, "w") as archive, archive.open(member, "w", force_zip64=True) as content:
            yield cast("BinaryIO", content)
    else:
        with _PACKERS[kind](file) as content:
            yield content


_PACKERS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),  # without a time and a name
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115  `packed` closes it
}


def detect(path: Path, separator: str = " ") -> str:
    """Return the format of a file: "word2vec", "word2vec-binary", "glove", "fasttext", "floret", "npy" or "parquet".

    Raises:
        FormatError: the file is empty or in another format.
    """
    with opened(path) as file:
        start = file.read(GLANCE).removeprefix(BYTE_ORDER_MARK)
    if not start:
        raise FormatError(f"{path}: an empty file, expected vectors")
    if start.startswith(fasttext.START):
        if untrusted.is_packed(path):
            raise FormatError(f"{path}: a compressed fastText model; unpack it, because its matrices are mapped")
        return "fasttext"
    for magic, kind in ((npy.MAGIC, "npy"), (parquet.MAGIC, "parquet")):
        if start.startswith(magic):
            return kind
    for magic, description in FOREIGN.items():
        if start.startswith(magic):
            raise FormatError(
                f"{path}: {description}; expected word2vec or GloVe vectors, or a folder that firth saved"
            )
    first, _, rest = start.partition(b"\n")
    if floret.is_header(first):
        return "floret"
    try:
        _, dim = read_header(first, str(path))
    except FormatError:
        separators = (separator, *OTHERS) if separator == " " else (separator,)
        if any(_is_row(first.replace(mark.encode(), b" ")) for mark in separators):
            return "glove"
        line = first[:60].decode("utf-8", "replace")
        raise FormatError(
            f"{path} line 1: {line!r}, expected vectors: a line of two counts (word2vec), or a word "
            "and its numbers (GloVe)"
        ) from None
    second = rest.partition(b"\n")[0].replace(separator.encode(), b" ")
    if dim == 1 and not _has_numbers(second, dim) and _has_numbers(first, 1):
        return "word2vec-binary"
    if _has_numbers(second, dim) or not rest:
        return "word2vec"
    if _is_row(second) and len(second.split()) == len(first.split()) == 2:
        return "glove"  # a file of width 1 whose first word is a number
    return "word2vec-binary" if _looks_binary(rest, dim) else "word2vec"


def check_file(path: str | os.PathLike[str]) -> None:
    """Check that a path can be written without destroying a file other than vectors."""
    check_replaceable(path, _holds_vectors, "vectors")


def _holds_vectors(path: Path) -> bool:
    """Return whether a file holds vectors; stricter than `detect`, which accepts "Chapter 1"."""
    try:
        kind = detect(path)
        with opened(path) as file:
            lines = file.read(GLANCE).removeprefix(BYTE_ORDER_MARK).split(b"\n")
    except (FormatError, *untrusted.DAMAGE):
        return False
    except OSError as error:
        if error.errno is not None:
            raise
        return False
    if kind == "word2vec":
        return len(lines) < 3 or _has_numbers(lines[1], read_header(lines[0], str(path))[1])
    if kind in ("npy", "parquet"):
        return False  # they have checks of their own
    if kind != "glove":
        return True
    rows = lines[:-1][:ROWS] or lines
    widths = {len(row.split(b" ")) - 1 for row in rows}
    return len(widths) == 1 and min(widths) > 1 and all(_has_numbers(row, *widths) for row in rows)


def _is_row(line: bytes) -> bool:
    fields = line.split()
    return len(fields) >= 2 and _has_numbers(line, 1) and b"\0" not in line


def _has_numbers(line: bytes, dim: int) -> bool:
    """Return whether a line ends in at least `dim` numbers after another field."""
    fields = line.rstrip(b" \t\r\n").replace(b"\t", b" ").rsplit(b" ", dim)
    return len(fields) == dim + 1 and all(map(is_number, fields[1:]))


def _looks_binary(rest: bytes, dim: int) -> bool:
    """Return whether the numbers of the first record contain bytes that are not text."""
    numbers = rest.partition(b" ")[2][: 4 * dim]
    try:
        text = numbers.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end < len(numbers) or error.reason != "unexpected end of data"
    return any(ord(letter) < 32 and letter not in "\t\r\n" for letter in text)
