"""The training step of all word2vec-like models, in explicit vector instructions.

What: M hidden rows x_m meet N output rows o_n with signs s_n: +1 for a true pair, -1 for a noise pair, 0 for none. One
small matrix product gives all M N scores, one logistic step their gradients, one pass updates every row.

Objective: J = sum_{m,n : s_n != 0} log sigma(s_n x_m . o_n), ascended with step size r:

    c_mn = r s_n sigma(-s_n x_m . o_n),     o_n += sum_m c_mn x_m,     target_m += sum_n c_mn o_n

where every c_mn is computed from the rows before the step: `score` writes the c_mn, `update` adds. Skip-gram passes the
rows of a window (targets: the same rows), CBOW one mean row (target: a row of gradients, which `add` then scatters).

Source: Mikolov et al. 2013 (NIPS), equation 4, for the pair; Ji et al. 2016, "Parallelizing word2vec in shared and
distributed memory", section 3, for scoring a window against shared noise as a matrix product.

Departures: sigma is computed to float32 accuracy; word2vec.c uses a table of 1000 entries and clips beyond 6. An output
row that occurs twice among the N gets both updates in turn, and so does a hidden row that occurs twice among the M: no
update is lost. If the second occurrence is in a later turn of the loop (with 16 registers, anywhere), o_n in the
gradients of the hidden rows already has the first update, a difference of second order in r.

Cost: 6 M N D flops; each row is read twice and written once.

The kernels exist for vectors of 16, 8 and 4 lanes; `firth.kernels.step_emission` emits them. `compile_kernels` compiles
them once per processor, caches them on disk and returns their addresses; any Numba kernel calls them through an integer
(docs/decisions/0001-vector-kernels.md).
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from firth.kernels import row_sums, step_emission, vector_ir
from firth.kernels.compiled import compiled
from firth.kernels.native import compile_functions
from firth.kernels.native_calls import calling
from firth.kernels.row_sums import emit_add, emit_mean
from firth.kernels.rows import own_lines
from firth.kernels.step_emission import MOST_HIDDEN, MOST_PADDING, WIDTH, emit_by_hidden, emit_score, emit_update
from firth.kernels.vector_ir import F32, I64, Emitter

LN2 = math.log(2.0)
CLAMP = 60.0  # scores beyond it do not change a float32 probability; it keeps e^x finite


def _logistic(e: Emitter, scores: Any, sign: Any, a: dict[str, Any]) -> Any:
    """Emit the logistic step: rate * sign * sigma(-z), z = sign * score; sigma(z) goes into the likelihood.

    Each lane of the likelihood has a mantissa in [1, 2) and an integer exponent, so a product of millions of
    probabilities neither underflows nor needs a logarithm before it is read.
    """
    z = e.b.fmul(scores, sign)
    z = e.call("llvm.maxnum", e.call("llvm.minnum", z, e.constant(CLAMP)), e.constant(-CLAMP))
    exp = e.exp(e.b.fneg(z))
    p = e.b.fdiv(e.constant(1), e.b.fadd(exp, e.constant(1)), flags=("arcp", "nnan", "ninf", "nsz", "afn"))
    absent = e.b.fcmp_ordered("==", sign, e.constant(0))
    mantissas, exponents = a["likelihood"], e.offset(a["likelihood"], 4 * e.width)
    product = e.b.fmul(e.load(mantissas), e.select(absent, e.constant(1), p))
    bits = e.b.bitcast(product, e.ints)
    power = e.b.sub(e.b.lshr(bits, e.int_constant(23)), e.int_constant(127))
    fraction = e.b.or_(e.b.and_(bits, e.int_constant(0x7FFFFF)), e.int_constant(0x3F800000))
    e.store(fraction, mantissas)
    e.store(e.b.add(e.load_ints(exponents), power), exponents)
    return e.b.fmul(e.b.fmul(exp, p), e.b.fmul(sign, e.splat(a["rate"])))


SCORE = ("hidden", "m", "outputs", "n", "chunks", "coefficients", "signs", "likelihood", "rate")
UPDATE = ("hidden", "targets", "m", "outputs", "n", "chunks", "coefficients")
SCORE_KIND = ir.FunctionType(ir.VoidType(), [I64] * 8 + [F32])
UPDATE_KIND = ir.FunctionType(ir.VoidType(), [I64] * 7)
ROWS_KIND = ir.FunctionType(ir.VoidType(), [I64] * 4 + [F32])


def _emit_all(module: ir.Module, width: int) -> None:
    for name, kind, arguments, emit in (
        ("score", SCORE_KIND, SCORE, lambda e, m, a: emit_score(e, m, a, _logistic)),
        ("update", UPDATE_KIND, UPDATE, emit_update),
    ):
        emit_by_hidden(module, width, name, kind, arguments, emit)
    for name, emit_rows in (("mean", emit_mean), ("add", emit_add)):
        function = ir.Function(module, ROWS_KIND, name)
        e = Emitter(ir.IRBuilder(function.append_basic_block()), width)
        emit_rows(e, *function.args)
        e.b.ret_void()


class Kernels(NamedTuple):
    """Addresses of compiled kernels; the `call_...` functions say what each does."""

    score: int
    update: int
    mean: int
    add: int


@functools.cache  # called for every shard of every epoch; compiled code is never freed
def compile_kernels(width: int) -> Kernels:
    """Return the kernels for vectors of `width` lanes: 16, 8 or 4, as the processor supports."""
    sources = (__file__, step_emission.__file__, row_sums.__file__, vector_ir.__file__)
    code = compile_functions(f"step{width}", Kernels._fields, lambda module: _emit_all(module, width), sources)
    return Kernels(**code)


@intrinsic
def call_score(
    context: Any, kernel: Any, hidden: Any, m: Any, outputs: Any, n: Any, chunks: Any, coefficients: Any, signs: Any,
    likelihood: Any, rate: Any,
) -> Any:  # fmt: skip
    """Call a `score` kernel: write the coefficients of a step.

    Every argument but the last is an int64: an address, or a count.

    Args:
        kernel: the address of `score`.
        hidden: table of M row addresses.
        m: M, from 1 to `most_hidden(width)`.
        outputs: table of N row addresses, followed by MOST_PADDING addresses of a row of zeros.
        n: N, at least 1.
        chunks: vectors per row.
        coefficients: room for `coefficient_floats(N)` float32, aligned to a cache line.
        signs: N float32, +1, -1 or 0, followed by zeros as `new_signs` makes them.
        likelihood: the running product, from `new_likelihood`.
        rate: float32, the step size.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return calling(SCORE_KIND, values, builder)

    return types.int64(*[types.int64] * 9, types.float32), generate


@intrinsic
def call_update(
    context: Any, kernel: Any, hidden: Any, targets: Any, m: Any, outputs: Any, n: Any, chunks: Any, coefficients: Any
) -> Any:
    """Call an `update` kernel: add the gradients of a step, from the coefficients that `score` wrote.

    Args:
        kernel: the address of `update`.
        hidden: as for `score`.
        targets: table of the M rows that receive the gradients; the same table as `hidden` to train those rows.
        m: as for `score`.
        outputs: as for `score`.
        n: as for `score`.
        chunks: as for `score`.
        coefficients: what `score` wrote.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return calling(UPDATE_KIND, values, builder)

    return types.int64(*[types.int64] * 8), generate


@intrinsic
def call_rows(context: Any, kernel: Any, rows: Any, m: Any, other: Any, chunks: Any, scale: Any) -> Any:
    """Call a `mean` kernel or an `add` kernel.

    `mean` writes other = scale * sum of the m rows; `add` adds scale * other to each row, then clears other.

    Args:
        kernel: the address of `mean` or `add`.
        m: their number, at least 1.
        other: address of the row that is written or scattered.
        chunks: vectors per row.
        scale: float32.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return calling(ROWS_KIND, values, builder)

    return types.int64(*[types.int64] * 5, types.float32), generate


def new_likelihood() -> npt.NDArray[np.float32]:
    """Return an empty product of probabilities: WIDTH float32 mantissas of 1, then WIDTH int32 exponents of 0."""
    state = own_lines(2 * WIDTH, np.float32)
    state[:WIDTH] = 1
    return state


def new_signs(n: int) -> npt.NDArray[np.float32]:
    """Return the signs of one true and n - 1 noise rows, and the zeros that a kernel may read after them."""
    signs = own_lines(n + MOST_PADDING + WIDTH, np.float32)
    signs[0] = 1
    signs[1:n] = -1
    return signs


def coefficient_floats(n: int) -> int:
    """Return the maximum number of float32 coefficients of n output rows."""
    # An output row scored alone needs whole vectors for its M coefficients; rows scored together share them.
    return (n + MOST_PADDING) * -(-MOST_HIDDEN // WIDTH) * WIDTH


@compiled
def take_loss(
    likelihood: npt.NDArray[np.float32],  # (2 width,) from new_likelihood; the mantissas are set to 1
    exponents: npt.NDArray[np.int32],  # (width,) its second half, set to 0
) -> float:
    """Return -log of the running product as a float64 and reset it; call it at least every 2^24 steps."""
    loss = 0.0
    for lane in range(len(exponents)):
        loss -= math.log(np.float64(likelihood[lane])) + LN2 * exponents[lane]
        likelihood[lane] = 1
        exponents[lane] = 0
    return loss
