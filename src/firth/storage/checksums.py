"""Checksums of the files in a folder, stored beside them to detect damage.

`checksums.json` names each file with its size and a CRC-32 per block of 4 MiB; the checksum of its own content is its
last entry. A folder inside that has such a file of its own is covered through that file, so nothing is read twice.
README.md is left out: a model card is for people, who may edit it. Files that are not named are not looked at.

A CRC-32 detects every change within 32 consecutive bits, and any other with probability 1 - 2^-32 per block. It has no
key: an attacker who alters a file can alter its checksum, too. Contents that a kernel trusts are checked besides.
"""

import json
import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from firth.errors import FormatError
from firth.storage.untrusted import file_bytes, parse_json
from firth.storage.user_files import open_file

FILE = "checksums.json"
FORMAT, VERSION, ALGORITHM = "firth checksums", 1, "crc32"
BLOCK = 1 << 22  # bytes per checksum
CHUNK = 1 << 20  # bytes read at once
FOR_PEOPLE = frozenset({"README.md"})
MOST_THREADS = 8
WORTH_THREADS = 8  # blocks from which on threads pay for their start
LARGEST_BLOCK = 1 << 30
MOST_DEPTH = 16  # folders within folders
Entry = tuple[int, tuple[int, ...], int]  # size in bytes, checksums by block, bytes per block


@dataclass(frozen=True)
class Checksums:
    """What `checksums.json` says.

    Attributes:
        files: by path relative to the folder, with forward slashes: its size in bytes and its checksums by block.
        block: bytes per checksum.
    """

    files: Mapping[str, tuple[int, tuple[int, ...]]]
    block: int


@dataclass(frozen=True)
class FileState:
    """What was found where a file of a folder should be.

    Attributes:
        path: of the file, relative to the folder.
        size: bytes; None where there is no file.
        problem: what is wrong, such as "missing"; empty where the file is as it was written.
    """

    path: str
    size: int | None
    problem: str = ""


def write(folder: Path) -> None:
    """Write the checksums of all files in a folder, reading them back.

    Args:
        folder: whole; nothing is written to it afterwards.
    """
    files = {name: _digest(folder / name, BLOCK) for name in sorted(_to_cover(folder))}
    content = {
        "format": FORMAT, "version": VERSION, "algorithm": ALGORITHM, "block": BLOCK,
        "files": {name: {"size": size, "blocks": _to_hex(sums)} for name, (size, sums) in files.items()},
    }  # fmt: skip
    text = json.dumps(with_checksum(content), indent=1)
    (folder / FILE).write_text(text + "\n", encoding="ascii")


def read(folder: Path, cure: str) -> Checksums | None:
    """Return what a folder's `checksums.json` says; None where there is none.

    Raises:
        FormatError: the file is damaged, or of a newer version.
    """
    path = folder / FILE
    try:
        content = file_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return _checked(parse_json(content))
    except _NewerError as newer:
        raise FormatError(f"{path}: {newer}; install a newer firth") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{path}: damaged ({error}); {cure}") from None


class _NewerError(Exception):
    pass


def checksum_of(content: Mapping[str, Any]) -> int:
    """Return the CRC-32 of what JSON holds, whatever the order of its keys."""
    return zlib.crc32(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())


def with_checksum(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a JSON object of its own is to say: its content and its checksum."""
    return {**content, "checksum": checksum_of(content)}


def unstamped(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of what `with_checksum` made, or of an object without a checksum.

    Raises:
        ValueError: the checksum is that of another content.
    """
    rest = {name: value for name, value in content.items() if name != "checksum"}
    if "checksum" in content and content["checksum"] != checksum_of(rest):
        raise ValueError("its own checksum does not match")
    return rest


def covered(folder: Path, cure: str) -> dict[str, Entry] | None:
    """Return all files that a folder's checksums cover, those of the folders inside included.

    Returns:
        By path relative to the folder: size, checksums by block, bytes per block. None for a folder without checksums.
    """
    manifest = read(folder, cure)
    return None if manifest is None else dict(_with_inner(folder, manifest, "", cure, MOST_DEPTH))


def examine(folder: Path, files: Mapping[str, Entry]) -> Iterator[FileState]:
    """Read files and yield the state of each.

    Args:
        files: as `covered` returns them.
    """
    for name, (size, sums, block) in files.items():
        there = _regular_size(folder / name)
        if there is None:
            yield FileState(name, None, f"missing; expected a file of {size:,} bytes")
        elif there != size:
            yield FileState(name, there, f"{there:,} bytes, expected {size:,}")
        else:
            yield FileState(name, there, _altered(sums, _digest(folder / name, block)[1], size, block))


def _altered(expected: tuple[int, ...], actual: tuple[int, ...], size: int, block: int) -> str:
    if expected == actual:
        return ""
    if len(expected) != len(actual):  # it grew or shrank while it was read
        return "changed while it was read"
    wrong = [i for i, (first, second) in enumerate(zip(expected, actual, strict=True)) if first != second]
    more = f" and {len(wrong) - 1:,} more blocks" if len(wrong) > 1 else ""
    first, last = wrong[0] * block, min((wrong[0] + 1) * block, size)
    return f"altered: bytes {first:,} to {last:,}{more} are not those that were written"


def _checked(content: Mapping[str, Any]) -> Checksums:
    if content["format"] != FORMAT or content["algorithm"] != ALGORITHM:
        raise ValueError(f"{content['format']!r} with {content['algorithm']!r}, expected {FORMAT!r} with {ALGORITHM!r}")
    content["checksum"], unstamped(content)
    if content["version"] != VERSION:
        raise _NewerError(f"version {content['version']!r}, expected {VERSION}")
    block = content["block"]
    if type(block) is not int or not 0 < block <= LARGEST_BLOCK:
        raise ValueError(f"block={block!r}, expected bytes")
    return Checksums({name: _entry(name, entry, block) for name, entry in content["files"].items()}, block)


def _entry(name: str, entry: Mapping[str, Any], block: int) -> tuple[int, tuple[int, ...]]:
    size, text = entry["size"], entry["blocks"]
    inside = PurePosixPath(name)
    if "\0" in name or "\\" in name or inside.is_absolute() or ".." in inside.parts or str(inside) != name:
        raise ValueError(f"{name!r} is not the name of a file in the folder")
    if type(size) is not int or size < 0 or type(text) is not str or len(text) != 8 * -(-size // block):
        raise ValueError(f"{name!r} has {size!r} bytes and {len(text) // 8} checksums")
    sums = bytes.fromhex(text)
    return size, tuple(int.from_bytes(sums[i : i + 4], "big") for i in range(0, len(sums), 4))


def _to_hex(sums: tuple[int, ...]) -> str:
    return "".join(f"{checksum:08x}" for checksum in sums)


def _with_inner(folder: Path, checksums: Checksums, prefix: str, cure: str, depth: int) -> Iterator[tuple[str, Entry]]:
    for name, (size, sums) in checksums.files.items():
        yield prefix + name, (size, sums, checksums.block)
        inner, _, file = name.rpartition("/")
        if file != FILE or not inner or not depth:
            continue
        if _regular_size(folder / name) is not None and (below := read(folder / inner, cure)) is not None:
            yield from _with_inner(folder / inner, below, f"{prefix}{inner}/", cure, depth - 1)


def _to_cover(folder: Path, prefix: str = "") -> Iterator[str]:
    """Yield the files whose checksums are written: of a folder inside that has its own, nothing but those."""
    for entry in os.scandir(folder / prefix):
        name = prefix + entry.name
        if entry.is_dir(follow_symlinks=False):
            inner = folder / name / FILE
            if inner.is_file():
                yield f"{name}/{FILE}"
            else:
                yield from _to_cover(folder, f"{name}/")
        elif entry.is_file(follow_symlinks=False) and entry.name not in FOR_PEOPLE and name != FILE:
            yield name


def _regular_size(path: Path) -> int | None:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _digest(path: Path, block: int) -> tuple[int, tuple[int, ...]]:
    """Return a file's size and the CRC-32 of each of its blocks, read by several threads where it is large."""
    size = path.stat().st_size
    starts = range(0, size, block)
    if len(starts) < WORTH_THREADS:
        return size, _sums(path, starts, block)
    from concurrent.futures import ThreadPoolExecutor

    threads = min(MOST_THREADS, _processors())
    with ThreadPoolExecutor(threads) as pool:  # zlib and reading both let other threads run
        cuts = [starts[i * len(starts) // threads : (i + 1) * len(starts) // threads] for i in range(threads)]
        parts = pool.map(lambda cut: _sums(path, cut, block), cuts)
        return size, tuple(checksum for part in parts for checksum in part)


def _sums(path: Path, starts: range, block: int) -> tuple[int, ...]:
    sums, buffer = [], memoryview(bytearray(min(CHUNK, block)))
    with open_file(path, 0) as opened:
        file: Any = opened  # unbuffered, so that it reads into the buffer
        file.seek(starts[0] if starts else 0)
        for _ in starts:
            crc, left = 0, block
            while left and (n := file.readinto(buffer[: min(left, len(buffer))])):
                crc, left = zlib.crc32(buffer[:n], crc), left - n
            sums.append(crc)
    return tuple(sums)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
