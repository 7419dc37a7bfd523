"""safetensors files, mapped into memory.

The layout is that of the safetensors library, which opens these files too: eight bytes of length, a JSON header of that
length, padded with spaces, then the tensors without gaps. We write it ourselves so that a matrix goes to disk block by
block and never exists twice, and so that the first tensor begins on a 64-byte line; we read it ourselves because a
mapped file then opens in no time, whatever its size.

Source: https://github.com/huggingface/safetensors, "Format".
"""

import json
import math
import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.storage.mapping import content_of
from firth.storage.untrusted import parse_json
from firth.storage.user_files import open_file

LINE = 64  # bytes; rows that begin on a cache line are read fastest
BLOCK = 2**24  # bytes of a tensor converted at once
LONGEST_HEADER = 100_000_000  # bytes, the limit of the safetensors library
DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}
BFLOAT16 = "BF16"  # the upper half of an F32, a type that NumPy lacks: read as F32, never written
_CODES = {np.dtype(dtype): code for code, dtype in DTYPES.items()}

Tensors = Mapping[str, npt.NDArray[Any]]


def holds(dtype: np.dtype[Any]) -> bool:
    """Return whether a tensor of this type can be written."""
    return dtype.newbyteorder("<") in _CODES


def write(file: BinaryIO, tensors: Tensors, dtypes: Mapping[str, npt.DTypeLike]) -> None:
    """Write tensors in their order.

    Args:
        tensors: arrays by name, in memory or mapped.
    """
    header: dict[str, Any] = {}
    types = {name: np.dtype(dtypes[name]).newbyteorder("<") for name in tensors}
    start = 0
    for name, tensor in tensors.items():
        end = start + tensor.size * types[name].itemsize
        header[name] = {"dtype": _CODES[types[name]], "shape": list(tensor.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps({"__metadata__": {"format": "np"}, **header}, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % LINE)
    file.write(len(text).to_bytes(8, "little") + text)
    for name, array in tensors.items():
        tensor = np.atleast_1d(array)  # a single number has no rows
        rows = max(BLOCK // max(tensor.itemsize * math.prod(tensor.shape[1:]), 1), 1)
        for start in range(0, len(tensor), rows):
            file.write(np.ascontiguousarray(tensor[start : start + rows], dtype=types[name]).data)


def mapped(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a file, mapped from it and read-only; those of bfloat16 as float32, in memory.

    Raises:
        FormatError: the file is cut short or is no safetensors file.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size  # of the file that is open: its name may have gone to another
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or not 2 <= length <= min(size - 8, LONGEST_HEADER):
            raise FormatError(
                f"{path}: {size} bytes without a safetensors header; the file is cut short or something else"
            )
        try:
            header = parse_json(file.read(length))
            entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
            content = content_of(file)
            return {name: _tensor(content, 8 + length, entry) for name, entry in entries.items()}
        except _ShortFileError as short:
            raise FormatError(
                f"{path}: {size:,} bytes, expected {short.expected:,}; the file is cut short, copy it again"
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise FormatError(f"{path}: a damaged safetensors header ({error}); copy or save the file again") from None


class _ShortFileError(Exception):
    def __init__(self, expected: int) -> None:
        self.expected = expected


def _tensor(content: Any, start: int, entry: Mapping[str, Any]) -> npt.NDArray[Any]:
    code = entry["dtype"]
    if code != BFLOAT16 and code not in DTYPES:
        raise ValueError(f"numbers of the type {code!r}; expected one of {', '.join((*DTYPES, BFLOAT16))}")
    dtype = np.dtype("<u2" if code == BFLOAT16 else DTYPES[code])
    shape = tuple(operator.index(side) for side in entry["shape"])
    low, high = entry["data_offsets"]
    if min(shape, default=0) < 0 or min(low, high) < 0 or high - low != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{shape} numbers of {code} in bytes {low} to {high}")
    if start + high > len(content):
        raise _ShortFileError(start + high)
    if low == high:
        return np.empty(shape, "<f4" if code == BFLOAT16 else dtype)
    tensor = np.frombuffer(content, dtype, math.prod(shape), start + low).reshape(shape)
    if code == BFLOAT16:
        return (tensor.astype("<u4") << 16).view("<f4")
    return tensor if tensor.flags.aligned else tensor.copy()  # compiled code reads numbers at multiples of their size
