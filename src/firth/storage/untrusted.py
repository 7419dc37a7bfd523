"""Read untrusted JSON, packed data and archives, with limits.

Packed data can unpack to a thousand times its size, an archive can hold links, encrypted or damaged members, and JSON
can be nested deeper than any parser's stack. What is read here is refused with a reason in place of taking all memory.

A packed file may unpack to 100 times its size, and 64 MiB in any case; text compresses 3 to 20 times. The environment
variable FIRTH_MAX_UNPACKED sets another limit, in bytes.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.storage.user_files import check_file, open_file

RATIO, LEAST = 100, 1 << 26  # bytes to a packed byte; bytes that any packed file may unpack to
VARIABLE = "FIRTH_MAX_UNPACKED"
DAMAGE = (
    EOFError,
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)  # besides an OSError without errno, which bz2 raises
_LONGEST = 308  # digits of a whole number that any float can hold
_LONG = re.compile("[0-9]{30}")  # in every tenth character, where a longer number stands
# zipfile raises NotImplementedError for a packing that it lacks, RuntimeError for what is encrypted.
_ZIP_DAMAGE = (*DAMAGE, NotImplementedError, RuntimeError, ValueError, OSError)
_TARS: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZ": bz2.BZ2File,
    b"\xfd7": lzma.LZMAFile,
}


def parse_json(text: str | bytes, *, strict: bool = False) -> Any:
    """Return what JSON says; a whole number too large for a float is infinity, as 1e400 is.

    Args:
        strict: whether to refuse an object with two fields of one name, and lone surrogates, which no UTF-8 can hold.

    Raises:
        ValueError: it is not JSON, not UTF-8, or is nested too deep; or as `strict` says.
    """
    if not isinstance(text, str):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    parse_int = _whole if _LONG.search(text[::10]) else None
    try:
        if not strict:
            return json.loads(text, parse_int=parse_int)
        value = json.loads(text, object_pairs_hook=_unique, parse_int=parse_int)
        if "\\u" in text:
            _check_surrogates(value)
        return value
    except RecursionError:
        raise ValueError("brackets within brackets, too deep to be read") from None


def _whole(digits: str) -> int | float:
    number = int(digits)  # which refuses thousands of digits
    return number if len(digits) <= _LONGEST else float(digits)


def file_bytes(path: Path) -> bytes:
    """Return the content of a file, or of a pipe that the shell handed over, up to the limit of packed files.

    Raises:
        FormatError: it is another pipe or a device, which may never end; or the pipe holds more.
    """
    with open_file(path) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file.read()
        limit = most_unpacked(0)
        content = file.read(limit + 1)
    if len(content) > limit:
        raise FormatError(
            f"{path}: a pipe with more than {limit:,} bytes, expected at most as many; write them to a file, or set "
            f"{VARIABLE} to the bytes that it may take"
        )
    return content


def mapped_numbers(path: Path, dtype: str) -> npt.NDArray[Any]:
    """Return the numbers in a file, memory-mapped.

    Args:
        dtype: of each number, such as "<i4".
    """
    with open_file(path) as file:
        if not os.fstat(file.fileno()).st_size:
            return np.zeros(0, dtype=dtype)
        return np.asarray(np.memmap(file, dtype=dtype, mode="r"))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the field {next(name for name in names if names.count(name) > 1)[:40]!r} is there twice")
    return result


def _check_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"a lone surrogate \\u{ord(error.object[error.start]):04x}, which is no character") from None


def most_unpacked(size: int) -> int:
    """Return how many bytes a packed file may unpack to.

    Args:
        size: of the file, in bytes.

    Raises:
        OptionError: FIRTH_MAX_UNPACKED is no whole number.
    """
    setting = os.environ.get(VARIABLE)
    if not setting:
        return max(LEAST, RATIO * size)
    if not (setting.isascii() and setting.isdecimal()):
        raise OptionError(f"{VARIABLE}={setting}: expected a whole number of bytes, such as 10000000000")
    return int(setting)


def check_unpacked(path: str | os.PathLike[str], needed: int, what: str, size: int | None = None) -> None:
    """Refuse a file that says it holds far more than its size allows.

    Args:
        needed: bytes that reading it takes.
        what: takes them, for the message, such as "2,147,483,648 buckets".
        size: bytes of the file; None asks for them.

    Raises:
        FormatError: that is beyond the limit of packed files.
    """
    size = Path(path).stat().st_size if size is None else size
    limit = most_unpacked(size)
    if needed > limit:
        raise FormatError(
            f"{path}: {size:,} bytes that hold {what}, which takes {needed:,} bytes of memory; expected at most "
            f"{limit:,}; if the file is sound, set {VARIABLE}={needed}"
        )


class SizeLimited(io.RawIOBase):
    """A decompressor's output, up to the limit.

    Args:
        stream: the decompressor, which is closed with this.
        path: of the packed file, for its size and the message. What is no regular file has no size, and no limit.
        packed: the packed file, where it is closed with this.

    Raises:
        FormatError: in reading, where the limit is passed.
    """

    def __init__(self, stream: Any, path: str | os.PathLike[str], packed: BinaryIO | None = None) -> None:
        self._stream, self._path, self._packed, self._read = stream, path, packed, 0
        status = Path(path).stat()
        self._limit = most_unpacked(status.st_size) if stat.S_ISREG(status.st_mode) else None

    def readable(self) -> bool:
        """Whether it can be read from."""
        return True

    def readinto(self, room: Any) -> int:
        """Fill `room` as far as the data goes; return how many bytes that are."""
        size = int(self._stream.readinto(room))
        self._read += size
        if self._limit is not None and self._read > self._limit:
            raise FormatError(
                f"{self._path}: unpacks to more than {self._limit:,} bytes, which no text does; if it is sound, set "
                f"{VARIABLE} to the bytes that it may take"
            )
        return size

    def close(self) -> None:
        """Close the decompressor."""
        if not self.closed:
            self._stream.close()
            if self._packed is not None:
                self._packed.close()
        super().close()


def opened(path: Path, buffering: int = 1 << 20) -> BinaryIO:
    """Open a file for reading; one packed by gzip, bzip2 or xz, or alone in a zip archive, is unpacked on the way.

    Its first bytes tell, and not its name.

    Args:
        buffering: bytes that are read at once.
    """
    file: Any = open_file(path, buffering)
    unpack = _unpacker(file.peek(_MAGIC))
    if unpack is None:
        return cast("BinaryIO", file)
    try:
        # The decompressors read lines in Python; a buffer around them reads them in C.
        return io.BufferedReader(SizeLimited(unpack(file, path), path, file), buffering)
    except BaseException:
        file.close()
        raise


def is_packed(path: Path) -> bool:
    """Return whether `opened` unpacks a file."""
    with open_file(path) as file:
        return _unpacker(file.read(_MAGIC)) is not None


def _unpacker(start: bytes) -> Callable[[BinaryIO, Path], Any] | None:
    return next((unpack for magic, unpack in _PACKED.items() if start.startswith(magic)), None)


def _only_member(file: BinaryIO, path: Path) -> Any:
    try:
        with zipfile.ZipFile(file) as archive:
            files = [member for member in archive.infolist() if not member.is_dir()]
            if len(files) == 1:
                return archive.open(files[0])  # which stays open when the archive is closed
    except _ZIP_DAMAGE as error:
        raise FormatError(f"{path}: not a readable zip archive ({error}); fetch it or pack it again") from error
    names = ", ".join(member.filename for member in files[:4]) + (", ..." if len(files) > 4 else "")
    raise FormatError(f"{path}: a zip archive of {len(files):,} files ({names}); expected one: unpack it, and name one")


_PACKED: dict[bytes, Callable[[BinaryIO, Path], Any]] = {
    b"\x1f\x8b": lambda file, _: gzip.GzipFile(fileobj=file),
    b"BZh": lambda file, _: bz2.BZ2File(file),
    b"\xfd7zXZ": lambda file, _: lzma.LZMAFile(file),  # noqa: SIM115  `SizeLimited` closes it
    b"PK\x03\x04": _only_member,
}
_MAGIC = 6  # bytes that tell a packed file


def gunzipped(path: Path) -> bytes:
    """Return the whole content of a gzip file.

    Raises:
        FormatError: it is damaged, or unpacks to more than it may.
    """
    try:
        with open_file(path) as file, SizeLimited(gzip.GzipFile(fileobj=file), path) as stream:
            return stream.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{path}: damaged gzip data ({error}); fetch it or pack it again") from error


def zip_members(path: str | os.PathLike[str], wanted: Callable[[str], bool], what: str) -> dict[str, bytes]:
    """Return the content of members of a zip archive by their names.

    Raises:
        FormatError: it is not an archive, is damaged or encrypted, or unpacks to more than it may.
    """
    check_file(path)
    limit = most_unpacked(Path(path).stat().st_size)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if wanted(member.filename)]
            total = sum(member.file_size for member in members)
            if total <= limit:  # a member is never read beyond the size that it claims
                return {member.filename: archive.read(member) for member in members}
    except _ZIP_DAMAGE as error:
        raise FormatError(f"{path}: not a readable zip archive ({error}); expected {what}") from error
    raise FormatError(
        f"{path}: unpacks to {total:,} bytes, expected at most {limit:,}; if it is sound, set {VARIABLE}={total}"
    )


def tar_members(path: str | os.PathLike[str], wanted: Callable[[str], bool], what: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the members of a tar archive, plain or packed, that are files and no links.

    Raises:
        FormatError: it is not an archive, is damaged, or unpacks to more than it may.
    """
    try:
        with open_file(path) as raw:
            unpack = _TARS.get(cast("Any", raw).peek(2)[:2])
            stream = SizeLimited(raw if unpack is None else unpack(raw), path)
            # As a stream: members are read as they come, and nothing is looked for elsewhere in the archive.
            with tarfile.open(fileobj=io.BufferedReader(stream), mode="r|") as archive:
                for member in archive:
                    if member.issparse():  # a few bytes may stand for a hole of any size
                        raise FormatError(
                            f"{path}: {member.name} is a sparse file; expected {what}, packed without --sparse"
                        )
                    file = archive.extractfile(member) if member.isreg() and wanted(member.name) else None
                    if file is not None:
                        yield member.name, file.read()
    except FormatError:
        raise
    except (tarfile.TarError, *DAMAGE, ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(f"{path}: no archive, or a damaged one ({error}); expected {what}") from error
