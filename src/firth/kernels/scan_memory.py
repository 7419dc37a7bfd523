"""Eight bytes of text at a time: unaligned loads and stores, and tests of byte classes.

A word of 64 bits holds eight bytes, the first in its lowest bits (every processor that Numba compiles for is
little-endian). A mask has the highest bit of each byte set for which a test holds.

Source: Warren, *Hacker's Delight*, 2nd edition, section 6-1, for tests of many bytes in one word.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

LOW = np.uint64(0x0101010101010101)
HIGH = np.uint64(0x8080808080808080)
SEVEN = np.uint64(0x7F7F7F7F7F7F7F7F)
_I64 = ir.IntType(64)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _I64.as_pointer())


@intrinsic
def load8(typing_context: Any, text: Any, index: Any) -> Any:
    """Return text[index : index + 8] as one uint64; nothing is checked."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], args[0], args[1]), align=1)

    return types.uint64(text, types.int64), generate


@intrinsic
def store8(typing_context: Any, text: Any, index: Any, value: Any) -> Any:
    """Write a uint64 to text[index : index + 8]; nothing is checked."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature.args[0], args[0], args[1]), align=1)
        return context.get_dummy_value()

    return types.void(text, types.int64, types.uint64), generate


@intrinsic
def first_byte(typing_context: Any, mask: Any) -> Any:
    """Return the index of the first marked byte, 0 to 7; 8 for an empty mask."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.lshr(builder.cttz(args[0], ir.Constant(ir.IntType(1), 0)), ir.Constant(_I64, 3))

    return types.int64(types.uint64), generate


@njit(nogil=True, inline="always")
def folded_run(x: np.uint64, bytewise: bool, digits: bool) -> tuple[np.uint64, np.uint64]:
    """Return eight bytes folded to lower case, and a mask of bytes outside words; only its first mark is sure.

    Args:
        x: the bytes.
        bytewise: whether all bytes above the space are part of words, without folding.
        digits: whether ASCII digits are part of words as letters are.
    """
    if bytewise:
        return x, at_most_space(x)
    letters = ascii_letters(x)
    inside = letters | ascii_digits(x) if digits else letters
    return x | (letters >> np.uint64(2)), ~inside & HIGH  # 0x80 >> 2 is the bit of lower case


@njit(nogil=True, inline="always")
def at_most_space(x: np.uint64) -> np.uint64:
    """Mark the bytes 0 to 32. Only the first mark is sure: the borrow of a marked byte can mark the next."""
    return (x - np.uint64(0x21) * LOW) & ~x & HIGH


@njit(nogil=True, inline="always")
def ascii_letters(x: np.uint64) -> np.uint64:
    """Mark the bytes A to Z and a to z."""
    lower = (x | np.uint64(0x20) * LOW) & SEVEN
    return (lower + np.uint64(0x80 - 0x61) * LOW) & ~(lower + np.uint64(0x80 - 0x7B) * LOW) & ~x & HIGH


@njit(nogil=True, inline="always")
def ascii_digits(x: np.uint64) -> np.uint64:
    """Mark the bytes 0 to 9."""
    seven = x & SEVEN
    return (seven + np.uint64(0x80 - 0x30) * LOW) & ~(seven + np.uint64(0x80 - 0x3A) * LOW) & ~x & HIGH
