"""The weighted least-squares step of two rows with AdaGrad step sizes, as explicit vector instructions.

What: a cell holds a row x, a column y, a target t of their product, and a weight f. The kernel takes one step for each
cell of a tile in turn.

Objective: J = 1/2 sum f (x . y - t)^2, descended with AdaGrad; for each cell with g = r f (x . y - t) and for each
number k:

    x_k -= g y_k / sqrt(a_k),   a_k += (g y_k)^2,      y_k -= g x_k / sqrt(b_k),   b_k += (g x_k)^2

where x and y on the right are those before the step. A number with a_k = FIXED does not change: a bias is a number of
a row, multiplied by a fixed 1 on the other side.

Source: Pennington, Socher and Manning 2014, "GloVe: Global vectors for word representation", equation 8; Duchi, Hazan
and Singer 2011, "Adaptive subgradient methods for online learning and stochastic optimization", figure 1.

Departures: a and b start at 1 and sum squared steps (g y)^2, which include r, as GloVe's program does; AdaGrad sums
squared gradients. 1 / sqrt(a) is the processor's estimate, if it has one, improved by one Newton step.

Cost: 16 flops per number and cell; four rows are read and written.
"""

import functools
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from firth.kernels import vector_ir
from firth.kernels.compiled import compiled
from firth.kernels.native import compile_functions
from firth.kernels.native_calls import calling
from firth.kernels.vector_ir import F32, I32, I64, LINE, Emitter

FIXED = 1e30  # sum of squares of a number that does not change
CELL = 12  # bytes: the row as 16 bits and the column as 16 bits, t, f
SUMS = 4  # partial sums of a product
AHEAD = 2  # cells between the prefetch of rows and their use
FIT_KIND = ir.FunctionType(ir.VoidType(), [I64] * 7 + [F32])
F64 = ir.DoubleType()


@functools.cache
def compile_fit(width: int, chunks: int) -> int:
    """Return the address of the kernel that `call_fit` calls.

    Args:
        width: lanes per vector: 16, 8 or 4.
        chunks: vectors per row.
    """
    name = f"fit{width}x{chunks}"
    sources = (__file__, vector_ir.__file__)
    return compile_functions(name, ("fit",), lambda module: _emit_fit(module, width, chunks), sources)["fit"]


def _emit_fit(module: ir.Module, width: int, chunks: int) -> None:
    function = ir.Function(module, FIT_KIND, "fit")
    e = Emitter(ir.IRBuilder(function.append_basic_block()), width)
    cells, n, *matrices, cost, rate = function.args

    def cell(i: Any, carried: list[Any]) -> list[Any]:
        at = e.b.add(cells, e.b.mul(i, I64(CELL)))
        for address in _rows(e, e.offset(at, CELL * AHEAD), matrices, chunks):
            for line in range(0, 4 * width * chunks, LINE):
                e.prefetch(e.offset(address, line))
        target, weight = (_float(e, e.offset(at, shift)) for shift in (4, 8))
        rows = _rows(e, at, matrices, chunks)
        # cost = 1/2 sum weight (x . y - target)^2
        error = e.b.fsub(_emit_product(e, rows[0], rows[1], chunks), target)
        weighted = e.b.fmul(weight, error)
        _emit_steps(e, rows, chunks, e.splat(e.b.fmul(weighted, rate)))
        return [e.b.fadd(carried[0], e.b.fmul(e.b.fpext(weighted, F64), e.b.fpext(error, F64)))]

    (total,) = e.loop(n, [ir.Constant(F64, 0.0)], cell)
    e.b.store(e.b.fmul(total, ir.Constant(F64, 0.5)), e.b.inttoptr(cost, F64.as_pointer()))
    e.b.ret_void()


def _float(e: Emitter, address: Any) -> Any:
    return e.b.load(e.b.inttoptr(address, F32.as_pointer()), align=4)


def _rows(e: Emitter, cell: Any, matrices: list[Any], chunks: int) -> list[Any]:
    """Return the addresses of a cell's x, y, a and b."""
    pair = e.b.load(e.b.inttoptr(cell, I32.as_pointer()), align=4)
    size = I64(4 * e.width * chunks)
    row = e.b.mul(e.b.zext(e.b.and_(pair, I32(0xFFFF)), I64), size)
    column = e.b.mul(e.b.zext(e.b.lshr(pair, I32(16)), I64), size)
    return [e.b.add(base, shift) for base, shift in zip(matrices, (row, column, row, column), strict=True)]


def _emit_product(e: Emitter, x: Any, y: Any, chunks: int) -> Any:
    sums = [e.constant(0)] * min(SUMS, chunks)
    for k in range(chunks):
        at = 4 * e.width * k
        left, right = (e.load(e.offset(row, at), 4 * e.width) for row in (x, y))
        sums[k % SUMS] = e.fma(left, right, sums[k % SUMS])
    while len(sums) > 1:
        sums = [e.b.fadd(*sums[k : k + 2]) if k + 1 < len(sums) else sums[k] for k in range(0, len(sums), 2)]
    return e.b.extract_element(e.horizontal_sums(sums), I32(0))


def _emit_steps(e: Emitter, rows: list[Any], chunks: int, step: Any) -> None:
    for k in range(chunks):
        addresses = [e.offset(row, 4 * e.width * k) for row in rows]
        x, y, a, b = (e.load(address, 4 * e.width) for address in addresses)
        # AdaGrad: x -= dx / sqrt(a), then a += dx^2; y and b alike.
        dx, dy = e.b.fmul(step, y), e.b.fmul(step, x)
        for value, address in (
            (e.b.fsub(x, e.b.fmul(dx, e.reciprocal_root(a))), addresses[0]),
            (e.b.fsub(y, e.b.fmul(dy, e.reciprocal_root(b))), addresses[1]),
            (e.fma(dx, dx, a), addresses[2]),
            (e.fma(dy, dy, b), addresses[3]),
        ):
            e.store(value, address, 4 * e.width)


@intrinsic
def call_fit(
    context: Any, kernel: Any, cells: Any, n: Any, x: Any, y: Any, a: Any, b: Any, cost: Any, rate: Any
) -> Any:
    """Call a `fit` kernel: take a step for each cell of a tile.

    Every argument but the last is an int64: an address, or a count.

    Args:
        kernel: the address of `fit`.
        cells: of CELL bytes each, followed by AHEAD readable cells.
        n: number of cells, at least 1.
        x: row 0 of the tile's rows; all rows are aligned and have the kernel's number of vectors.
        y: row 0 of the tile's columns.
        cost: receives J, a float64.
        rate: float32, the step size r.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return calling(FIT_KIND, values, builder)

    return types.int64(*[types.int64] * 8, types.float32), generate


@compiled
def fit_tiles(
    kernel: int,  # from `compile_fit`
    tiles: npt.NDArray[np.int64],  # (t, 2) the row block and the column block of each tile; t may be 0
    bounds: npt.NDArray[np.int64],  # (B, B, 2) start and end of each tile's cells
    blocks: npt.NDArray[np.int64],  # (B + 1,) the first row of each block
    cells: int,  # address of all cells
    x: int,  # addresses of the four matrices
    y: int,
    a: int,
    b: int,
    row_bytes: int,
    costs: npt.NDArray[np.float64],  # (B, B), written for these tiles
    rate: np.float32,
) -> None:
    """Take a step for each cell of some tiles."""
    for t in range(len(tiles)):
        row, column = tiles[t]
        first, last = bounds[row, column]
        if last > first:
            row_shift, column_shift = blocks[row] * row_bytes, blocks[column] * row_bytes
            cost = costs.ctypes.data + 8 * (row * costs.shape[1] + column)
            call_fit(
                kernel,
                cells + CELL * first,
                last - first,
                x + row_shift,
                y + column_shift,
                a + row_shift,
                b + column_shift,
                cost,
                rate,
            )
