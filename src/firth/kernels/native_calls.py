"""Intrinsics for compiled code: calls of kernels and arrays by address, and prefetches."""

from typing import Any

from numba import types
from numba.extending import intrinsic

from firth.kernels.vector_ir import I64, LINE, Emitter


def calling(kind: Any, values: Any, builder: Any) -> Any:
    """Emit the call of a kernel for a Numba intrinsic; the first value is the kernel's address."""
    builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])
    return I64(0)


@intrinsic
def prefetch_row(context: Any, address: Any, size: Any) -> Any:
    """Prefetch the cache lines of a row that a later step reads and writes.

    Args:
        address: int64, the row's address.
        size: int64, bytes, a multiple of a cache line.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        e = Emitter(builder, 4)
        address, size = values

        def line(i: Any, carried: list[Any]) -> list[Any]:
            e.prefetch(e.b.add(address, e.b.mul(i, I64(LINE))))
            return []

        e.loop(e.b.sdiv(size, I64(LINE)), [], line)
        return I64(0)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def prefetch_line(context: Any, address: Any) -> Any:
    """Prefetch the cache line at an int64 address, which a later step only reads."""

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        Emitter(builder, 4).prefetch(values[0], write=False)
        return I64(0)

    return types.int64(types.int64), generate


@intrinsic
def int32_pointer(context: Any, address: Any) -> Any:
    """Return an int64 address as a pointer to int32 numbers, for `numba.carray`."""
    return types.CPointer(types.int32)(types.int64), _as_pointer


@intrinsic
def float32_pointer(context: Any, address: Any) -> Any:
    """Return an int64 address as a pointer to float32 numbers, for `numba.carray`."""
    return types.CPointer(types.float32)(types.int64), _as_pointer


def _as_pointer(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.inttoptr(values[0], context.get_value_type(signature.return_type))
