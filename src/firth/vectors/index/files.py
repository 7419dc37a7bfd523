"""Files of indexes: one safetensors file an index, which is mapped, and refused where it is not whole or not fitting.

The tensors are those of the kind, and two more: "about", a JSON text with the kind, its options and a fingerprint of
the vectors that were indexed; and "seal", a digest of everything else.
"""

import functools
import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.storage import tensors as safetensors
from firth.storage.files import check_replaceable, first_bytes, replacing_file
from firth.storage.untrusted import parse_json
from firth.vectors.index.results import Tensors
from firth.vectors.space import VectorSpace

VERSION = 1
BLOCK = 2**13  # rows whose bytes are summed at once
REMEDY = "build it anew by `firth index` or `vectors.index(...).save(...)`"


def fingerprint(space: VectorSpace) -> str:
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
    start = first_bytes(path)
    return start[8:9] == b"{" and b'"about"' in start and b'"seal"' in start


check_target = functools.partial(check_replaceable, is_ours=_is_index, what="indexes")


def write_index(path: str | os.PathLike[str], space: VectorSpace, settings: Mapping[str, Any], arrays: Tensors) -> None:
    """Write an index."""
    check_target(path)
    about = {"version": VERSION, **settings, "vectors": fingerprint(space)}
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    tensors: dict[str, npt.NDArray[Any]] = {**arrays, "about": text}
    tensors["seal"] = _seal(tensors)
    with replacing_file(path) as file:
        safetensors.write(file, tensors, {name: array.dtype for name, array in tensors.items()})


def read_index(path: Path, space: VectorSpace) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the settings of an index, and its arrays mapped from the file.

    Raises:
        FormatError: the file is damaged, cut short or something else, or other vectors were indexed.
    """
    arrays = _whole(path)
    about = _about(path, arrays["about"])
    if about["version"] != VERSION:
        raise FormatError(f"{path}: an index of version {about['version']}, expected {VERSION}; {REMEDY}")
    present = fingerprint(space)
    if about["vectors"] != present:
        raise FormatError(f"{path}: an index of other vectors ({about['vectors']}, these are {present}); {REMEDY}")
    return about, arrays


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


def _seal(arrays: Tensors) -> npt.NDArray[np.uint8]:
    state = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        state.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        state.update(array.reshape(-1).view(np.uint8).data)
    return np.frombuffer(state.digest(), dtype=np.uint8)
