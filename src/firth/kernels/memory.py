"""Reads and writes numbers at addresses, without arrays.

Numba counts references to each array that a compiled function receives. Where two threads share an array, each count
takes the counter's cache line from the other thread. Functions that many kernels call therefore take plain integers.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_KINDS = {
    types.int64: ir.IntType(64),
    types.uint8: ir.IntType(8),
    types.float32: ir.FloatType(),
    types.uint64: ir.IntType(64),
    types.float64: ir.DoubleType(),
}


def _element(kind: Any, builder: Any, values: Any) -> Any:
    base = builder.inttoptr(values[0], _KINDS[kind].as_pointer())
    return builder.gep(base, [values[1]])


def _getter(kind: Any) -> Any:
    @intrinsic
    def get(context: Any, address: Any, index: Any) -> Any:
        """Return entry `index` of the numbers at an address."""

        def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.load(_element(kind, builder, values))

        return kind(types.int64, types.int64), generate

    return get


def _setter(kind: Any) -> Any:
    @intrinsic
    def put(context: Any, address: Any, index: Any, value: Any) -> Any:
        """Write entry `index` of the numbers at an address."""

        def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
            builder.store(values[2], _element(kind, builder, values))
            return ir.Constant(ir.IntType(64), 0)

        return types.int64(types.int64, types.int64, kind), generate

    return put


get_int64, get_uint8, get_uint64 = _getter(types.int64), _getter(types.uint8), _getter(types.uint64)
get_float32, get_float64 = _getter(types.float32), _getter(types.float64)
set_int64, set_float32, set_float64 = _setter(types.int64), _setter(types.float32), _setter(types.float64)
