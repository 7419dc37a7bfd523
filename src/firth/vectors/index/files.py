"""Files of indexes: one safetensors file an index, which is mapped, and refused where it is not whole or not fitting.

The tensors are those of the kind, and two more: "about", a JSON text with the kind, its options and a fingerprint of
the vectors that were indexed; and "seal", a digest of everything else.
"""

import dataclasses
import functools
import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.storage import tensors as safetensors
from firth.storage.files import beginning, check_replaceable, replacing_file
from firth.storage.untrusted import parse_json
from firth.vectors.index.found import Points, Tensors
from firth.vectors.index.index import Index, read_options, searcher_of
from firth.vectors.index.space import Vectors, space_of
from firth.vectors.lookup import Lookup

VERSION = 1
BLOCK = 2**13  # rows whose bytes are summed at once
REMEDY = "build it anew by `firth index` or `vectors.index(...).save(...)`"


def fingerprint(space: Lookup) -> str:
    """Return a short text that differs where the words, their order or any number of their vectors do.

    All bytes go through a 32-bit check sum, some 2 GB a second: it tells models apart, and does not withstand malice.
    """
    vectors = space.vectors
    words = zlib.crc32("\n".join(space.words).encode("utf-8", "surrogatepass"))
    numbers = 0
    for low in range(0, len(vectors), BLOCK):
        numbers = zlib.crc32(np.ascontiguousarray(vectors[low : low + BLOCK]).data.cast("B"), numbers)
    return f"{len(vectors)}x{space.dim}-{vectors.dtype}-{words:08x}-{numbers:08x}"


def _is_index(path: Path) -> bool:
    start = beginning(path)
    return start[8:9] == b"{" and b'"about"' in start and b'"seal"' in start


check_target = functools.partial(check_replaceable, is_ours=_is_index, what="indexes")


def save_index(index: Index, path: str | os.PathLike[str]) -> None:
    """Write an index.

    Args:
        index: the index.
        path: the file to write or replace.

    Raises:
        OptionError: a file of something else is there.
        OSError: the file cannot be written.
    """
    check_target(path)
    about = {
        "version": VERSION,
        "kind": index.kind,
        "options": dataclasses.asdict(index.options),
        "vectors": fingerprint(index.space),
    }
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    arrays: dict[str, npt.NDArray[Any]] = {**index.searcher.tensors(), "about": text}
    arrays["seal"] = _seal(arrays)
    with replacing_file(path) as file:
        safetensors.write(file, arrays, {name: array.dtype for name, array in arrays.items()})


def load_index(path: str | os.PathLike[str], vectors: Vectors) -> Index:
    """Read an index of vectors that are there.

    Args:
        path: the file.
        vectors: the vectors that were indexed, of words or of subwords.

    Returns:
        The index, its arrays mapped from the file.

    Raises:
        FormatError: the file is damaged, cut short or something else, or the vectors are others than were indexed.
        MissingExtraError: the index is a small world, and usearch is not installed.
        OSError: the file cannot be opened.
    """
    space = space_of(vectors)
    arrays = _whole(Path(path))
    about = _about(Path(path), arrays["about"])
    if about["version"] != VERSION:
        raise FormatError(f"{path}: an index of version {about['version']}, expected {VERSION}; {REMEDY}")
    present = fingerprint(space)
    if about["vectors"] != present:
        raise FormatError(f"{path}: an index of other vectors ({about['vectors']}, these are {present}); {REMEDY}")
    options = _options(Path(path), about)
    points, kind = Points(space.vectors, space.norms), searcher_of(about["kind"])
    if found := kind.damage_of(points, options, arrays):
        raise FormatError(f"{path}: a damaged index, {found}; {REMEDY}")
    return Index(space, about["kind"], kind.restore(points, options, arrays))


def _whole(path: Path) -> dict[str, npt.NDArray[Any]]:
    if path.is_dir():
        raise FormatError(f"{path}: a folder, expected the file of an index; {REMEDY}")
    arrays = safetensors.mapped(path)
    if not {"about", "seal"} <= arrays.keys():
        raise FormatError(f"{path}: no index of firth's, though a safetensors file; {REMEDY}")
    seal = arrays.pop("seal")
    if seal.tobytes() != _seal(arrays).tobytes():
        raise FormatError(f"{path}: a damaged index, its bytes are not those that were written; {REMEDY}")
    return arrays


def _about(path: Path, text: npt.NDArray[Any]) -> dict[str, Any]:
    try:
        about = parse_json(text.tobytes())
        kinds = {name: type(about[name]) for name in ("version", "kind", "options", "vectors")}
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: a damaged index, it does not say what kind it is ({error}); {REMEDY}") from None
    if kinds != {"version": int, "kind": str, "options": dict, "vectors": str}:
        raise FormatError(f"{path}: a damaged index, it does not say what kind it is; {REMEDY}")
    return dict(about)


def _options(path: Path, about: dict[str, Any]) -> Any:
    try:
        return read_options(about["kind"], about["options"])
    except OptionError as error:
        raise FormatError(f"{path}: {error}; {REMEDY}") from None


def _seal(arrays: Tensors) -> npt.NDArray[np.uint8]:
    state = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        state.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        state.update(array.reshape(-1).view(np.uint8).data)
    return np.frombuffer(state.digest(), dtype=np.uint8)
