"""The part of MessagePack that spaCy's vectors need: maps of strings, and maps of whole numbers.

Source: the MessagePack specification, "Formats".
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError

MAP16, MAP32, UINT64, UINT32, STR16 = 0xDE, 0xDF, 0xCF, 0xCE, 0xDA
_SIZES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}  # bytes of an unsigned number behind its mark


def mapping(values: Mapping[str, str]) -> bytes:
    """Return a map of strings, fewer than 16."""
    assert len(values) < 16
    return bytes([0x80 | len(values)]) + b"".join(_text(text) for pair in values.items() for text in pair)


def _text(text: str) -> bytes:
    content = text.encode()
    return bytes([STR16]) + len(content).to_bytes(2, "big") + content


def table(keys: npt.NDArray[np.uint64], values: npt.NDArray[np.uint32]) -> bytes:
    """Return a map from keys of 64 bits to values of 32 bits."""
    entries = np.empty(len(keys), dtype=[("m", "u1"), ("key", ">u8"), ("n", "u1"), ("value", ">u4")])
    entries["m"], entries["n"], entries["key"], entries["value"] = UINT64, UINT32, keys, values
    return bytes([MAP32]) + len(keys).to_bytes(4, "big") + entries.tobytes()


def read_table(data: bytes, where: str) -> list[tuple[int, int]]:
    """Return the entries of a map of whole numbers that are not negative.

    Raises:
        FormatError: it holds something else, or is cut short.
    """
    if not data:
        raise FormatError(f"{where}: an empty file, expected a table of rows")
    mark = data[0]
    size, place = (mark & 0x0F, 1) if mark & 0xF0 == 0x80 else (0, 1)
    if mark in (MAP16, MAP32):
        place = 3 if mark == MAP16 else 5
        size = int.from_bytes(data[1:place], "big")
    elif mark & 0xF0 != 0x80:
        raise FormatError(f"{where}: byte {mark:#x}, expected a MessagePack map; copy the file again")
    numbers: list[int] = []
    for _ in range(2 * size):
        head = data[place] if place < len(data) else -1
        width = _SIZES.get(head, 0)
        if not 0 <= head < 0x80 and not width:
            raise FormatError(f"{where}: damaged or cut short at byte {place:,}; copy the file again")
        numbers.append(int.from_bytes(data[place + 1 : place + 1 + width], "big") if width else head)
        place += 1 + width
    if place != len(data):
        raise FormatError(f"{where}: {len(data):,} bytes, expected {place:,}; copy the file again")
    return list(zip(numbers[::2], numbers[1::2], strict=True))
