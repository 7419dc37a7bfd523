"""A sparse matrix times a block of dense columns, as explicit vector instructions in several threads.

What: out = A X for A (R, C) and X (C, BLOCK). A row of the result stays in registers during its cells. Columns are
processed in stripes, so that their rows of X stay in the second-level cache.

Objective: out_i = sum over the cells j of row i, in their order, of A_ij X_j.

Source: the definition of the product.

Departures: none.

Cost: 2 BLOCK flops per cell; each cell is read once, with BLOCK numbers of X.
"""

import functools
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from firth.kernels import vector_ir
from firth.kernels.compiled import compiled
from firth.kernels.native import compile_functions
from firth.kernels.native_calls import calling
from firth.kernels.rows import own_lines
from firth.kernels.step_emission import WIDTH
from firth.kernels.vector_ir import I32, I64, Emitter

BLOCK = 16  # columns of X: two cache lines per row
STRIPE = 8192  # columns per stripe: their rows of X take a mebibyte
PIECES = 8  # pieces of the rows per thread, to balance the load
F64 = ir.DoubleType()
KIND = ir.FunctionType(ir.VoidType(), [I64] * 8)


@functools.cache
def compile_product(width: int) -> int:
    """Return the address of the kernel that `multiply_rows` calls, for 16, 8 or 4 float32 lanes per vector."""
    sources = (__file__, vector_ir.__file__)
    return compile_functions(f"product{width}", ("product",), lambda module: _emit(module, width), sources)["product"]


def _emit(module: ir.Module, width: int) -> None:
    function = ir.Function(module, KIND, "product")
    e = Emitter(ir.IRBuilder(function.append_basic_block()), width)
    lanes = width // 2
    vector = ir.VectorType(F64, lanes)
    starts, ends, columns, values, block, out, first, rows = function.args

    def load(address: Any, kind: Any, align: int) -> Any:
        return e.b.load(e.b.inttoptr(address, kind.as_pointer()), align=align)

    def row(i: Any, _: list[Any]) -> list[Any]:
        number = e.b.add(first, i)
        begin, end = (load(e.b.add(side, e.b.mul(number, I64(8))), I64, 8) for side in (starts, ends))

        def cell(k: Any, sums: list[Any]) -> list[Any]:
            position = e.b.add(begin, k)
            value = load(e.b.add(values, e.b.mul(position, I64(8))), F64, 8)
            column = e.b.sext(load(e.b.add(columns, e.b.mul(position, I64(4))), I32, 4), I64)
            x = e.b.add(block, e.b.mul(column, I64(8 * BLOCK)))
            inserted = e.b.insert_element(ir.Constant(vector, ir.Undefined), value, I32(0))
            splat = e.b.shuffle_vector(inserted, inserted, ir.Constant(ir.VectorType(I32, lanes), [0] * lanes))
            return [_fma(e, splat, load(e.offset(x, 8 * lanes * v), vector, 8), total) for v, total in enumerate(sums)]

        target, count = e.b.add(out, e.b.mul(number, I64(8 * BLOCK))), e.b.sub(end, begin)
        before = [load(e.offset(target, 8 * lanes * v), vector, 8) for v in range(BLOCK // lanes)]
        sums = e.when(e.b.icmp_signed(">", count, I64(0)), before, lambda values: e.loop(count, values, cell))
        for v, total in enumerate(sums):
            e.store(total, e.offset(target, 8 * lanes * v), 8)
        return []

    e.loop(rows, [], row)
    e.b.ret_void()


def _fma(e: Emitter, x: Any, y: Any, z: Any) -> Any:
    name = f"llvm.fmuladd.v{x.type.count}f64"
    kind = ir.FunctionType(x.type, [x.type] * 3)
    return e.b.call(e.b.module.globals.get(name) or ir.Function(e.b.module, kind, name), (x, y, z))


@intrinsic
def call_product(
    context: Any,
    kernel: Any,
    starts: Any,
    ends: Any,
    columns: Any,
    values: Any,
    block: Any,
    out: Any,
    first: Any,
    rows: Any,
) -> Any:
    """Call a `product` kernel: add to some rows of a product; every argument is an int64, an address or a count.

    Args:
        kernel: the address of `product`.
        starts: int64, start of each row's cells.
        ends: int64, end of each row's cells.
        columns: int32 of the cells.
        values: float64 of the cells.
        block: X, rows of BLOCK float64.
        out: the product, rows of BLOCK float64.
        rows: number of rows, at least 1.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return calling(KIND, values, builder)

    return types.int64(*[types.int64] * 9), generate


@compiled
def multiply_rows(
    kernel: int,  # from `compile_product`
    bounds: npt.NDArray[np.int64],  # (S + 1, R), of `Cells`
    columns: npt.NDArray[np.int32],  # (cells,)
    values: npt.NDArray[np.float64],  # (cells,)
    block: npt.NDArray[np.float64],  # (C, BLOCK)
    out: npt.NDArray[np.float64],  # (R, BLOCK), zero; written
    first: int,  # the first row to compute
    last: int,  # one past the last
) -> None:
    """Write some rows of the product."""
    at = columns.ctypes.data, values.ctypes.data, block.ctypes.data, out.ctypes.data
    for stripe in range(len(bounds) - 1 if last > first else 0):
        starts, ends = bounds[stripe].ctypes.data, bounds[stripe + 1].ctypes.data
        call_product(kernel, starts, ends, at[0], at[1], at[2], at[3], first, last - first)


@compiled
def _find_stripes(
    starts: npt.NDArray[np.int64],  # (R + 1,)
    columns: npt.NDArray[np.int32],  # (cells,), ascending in each row
    bounds: npt.NDArray[np.int64],  # (S + 1, R), written
) -> None:
    for row in range(len(starts) - 1):
        at = starts[row]
        bounds[0, row] = at
        for stripe in range(1, len(bounds)):
            while at < starts[row + 1] and columns[at] < stripe * STRIPE:
                at += 1
            bounds[stripe, row] = at


class Cells(NamedTuple):
    """A sparse matrix prepared for products.

    Attributes:
        matrix: a SciPy `csr_array` (R, C) of float64, columns ascending in each row.
        bounds: (S + 1, R) int64, the bounds of each stripe of columns in each row.
    """

    matrix: Any
    bounds: npt.NDArray[np.int64]

    @classmethod
    def of(cls, matrix: Any) -> "Cells":
        """Return the cells of a SciPy `csr_array` of float64."""
        matrix.sort_indices()
        matrix.indptr, matrix.indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False)
        bounds = np.empty((-(-matrix.shape[1] // STRIPE) + 1, matrix.shape[0]), dtype=np.int64)
        _find_stripes(matrix.indptr, matrix.indices, bounds)
        return cls(matrix, bounds)


def multiply(cells: Cells, block: npt.NDArray[np.float64], pool: ThreadPoolExecutor, threads: int) -> Any:
    """Return the product of a sparse matrix with a dense block.

    Args:
        cells: of the matrix (R, C).
        block: (C, b).
        threads: number of threads; the result does not depend on it.

    Returns:
        (R, b) float64.
    """
    kernel = compile_product(WIDTH)
    matrix, starts = cells.matrix, cells.matrix.indptr
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], PIECES * threads + 1)[1:-1].astype(starts.dtype)).tolist()
    parts = []
    for first in range(0, block.shape[1], BLOCK):
        x, out = (own_lines(rows * BLOCK, np.float64).reshape(rows, BLOCK) for rows in matrix.shape[::-1])
        columns = block[:, first : first + BLOCK]
        x[:, : columns.shape[1]] = columns
        arguments: tuple[Any, ...] = (kernel, cells.bounds, matrix.indices, matrix.data, x, out)
        jobs = [pool.submit(multiply_rows, *arguments, *part) for part in pairwise([0, *cuts, matrix.shape[0]])]
        for job in jobs:
            job.result()
        parts.append(out[:, : columns.shape[1]])
    return np.concatenate(parts, axis=1)
