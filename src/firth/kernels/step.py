"""The step that every model of the word2vec family takes, as explicit vector instructions.

What: M hidden rows x_m meet N output rows o_n with signs s_n: +1 for a true pair, -1 for a noise pair, 0 for none. One
small matrix product gives all M N scores, one logistic step their gradients, one pass updates every row.

Objective: J = sum_{m,n : s_n != 0} log sigma(s_n x_m . o_n), ascended with step size r:

    c_mn = r s_n sigma(-s_n x_m . o_n),     o_n += sum_m c_mn x_m,     target_m += sum_n c_mn o_n

where every c_mn comes from the rows as they stood before the step. Skip-gram hands over the rows of a window (targets:
the same rows), CBOW one mean row (target: a row of gradients, which `add_to_rows` then scatters).

Source: Mikolov et al. 2013 (NIPS), equation 4, for the pair; Ji et al. 2016, "Parallelizing word2vec in shared and
distributed memory", section 3, for scoring a window against shared noise as a matrix product.

Departures: sigma is computed to float32 accuracy where word2vec.c reads a table of 1000 entries and clips beyond 6. An
output row that stands twice among the N gets both updates one after the other; so does a hidden row that stands twice among
the M: no update is lost.

Cost: 6 M N D flops; each row is read once and written once.

The kernels exist for vectors of 16, 8 and 4 lanes. `STEP` and its companions are the addresses of those for this
processor: compiled once, kept in Numba's cache, and called from any kernel through an integer (see
docs/decisions/0001-vector-kernels.md).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from firth.kernels import vector_ir
from firth.kernels.native import compile_functions
from firth.kernels.vector_ir import F32, I64, LINE, Emitter, cases, host_width, registers

WIDTH = host_width()
MOST_PADDING = 5  # rows that a group of output rows may be short of; callers keep room for them
CLAMP = 60.0  # scores beyond it change no float32 probability; it keeps e^x finite


def most_hidden(width: int) -> int:
    """Return the most hidden rows that one step takes: as many as leave room in the registers."""
    return 10 if registers(width) == 32 else 6


MOST_HIDDEN = most_hidden(WIDTH)


def _rows_a_group(m: int, width: int) -> int:
    # Output rows scored together: the M x R sums should fill a vector and leave registers for the rows themselves. Of the
    # possible numbers those that divide 6, so that the default of one target and five noise words needs no padding.
    room = 16 if registers(width) == 32 else 8
    return max(r for r in (1, 2, 3, 6) if r == 1 or r * m <= room)


def _emit_step(e: Emitter, m: int, a: dict[str, Any]) -> None:
    """Emit one step for m hidden rows; `a` holds the arguments of `STEP` by name."""
    rows = _rows_a_group(m, e.width)
    vectors = -(-rows * m // e.width)  # vectors that hold one group's scores
    hidden = [e.load_address(a["hidden"], i) for i in range(m)]
    targets = [e.load_address(a["targets"], i) for i in range(m)]
    groups = e.b.sdiv(e.b.add(a["n"], I64(rows - 1)), I64(rows))

    def outputs(group: Any) -> list[Any]:
        table = e.b.add(a["outputs"], e.b.mul(group, I64(8 * rows)))
        return [e.load_address(table, r) for r in range(rows)]

    def coefficients(group: Any) -> Any:
        return e.b.add(a["scratch"], e.b.mul(group, I64(4 * e.width * vectors)))

    def score(group: Any, _: list[Any]) -> list[Any]:
        out = outputs(group)

        def chunk(i: Any, sums: list[Any]) -> list[Any]:
            at = e.b.mul(i, I64(4 * e.width))
            x = [e.load(e.b.add(row, at), 4 * e.width) for row in hidden]
            o = [e.load(e.b.add(row, at), 4 * e.width) for row in out]
            return [e.fma(x[k % m], o[k // m], total) for k, total in enumerate(sums)]

        sums = e.loop(a["chunks"], [e.constant(0)] * (rows * m), chunk)
        signs = e.b.add(a["signs"], e.b.mul(group, I64(4 * rows)))
        for v in range(vectors):
            scores = e.horizontal_sums(sums[v * e.width : (v + 1) * e.width])
            first = v * e.width // m  # the output row of this vector's first lane
            row = [(v * e.width + lane) // m for lane in range(e.width)]
            sign = e.shuffle(
                e.load(e.offset(signs, 4 * first)), e.constant(0), [r - first if r < rows else e.width for r in row]
            )
            c = _logistic(e, scores, sign, a)
            e.store(c, e.offset(coefficients(group), 4 * e.width * v), 4 * e.width)
        return []

    e.loop(groups, [], score)

    def update(i: Any, _: list[Any]) -> list[Any]:
        at = e.b.mul(i, I64(4 * e.width))
        x = [e.load(e.b.add(row, at), 4 * e.width) for row in hidden]

        def group_update(group: Any, gradients: list[Any]) -> list[Any]:
            c = coefficients(group)
            for r, row in enumerate(outputs(group)):
                address = e.b.add(row, at)
                o = moved = e.load(address, 4 * e.width)
                for k in range(m):
                    step = e.broadcast(e.offset(c, 4 * (r * m + k)))
                    moved = e.fma(step, x[k], moved)
                    gradients[k] = e.fma(step, o, gradients[k])
                e.store(moved, address, 4 * e.width)
            return gradients

        gradients = e.loop(groups, [e.constant(0)] * m, group_update)
        # Read again before adding: a row that stands twice among the hidden ones gets both gradients.
        for target, gradient in zip(targets, gradients, strict=True):
            address = e.b.add(target, at)
            e.store(e.b.fadd(e.load(address, 4 * e.width), gradient), address, 4 * e.width)
        return []

    e.loop(a["chunks"], [], update)


def _logistic(e: Emitter, scores: Any, sign: Any, a: dict[str, Any]) -> Any:
    """Emit the logistic step: return rate * sign * sigma(-z) for z = sign * score, and multiply sigma(z) into the likelihood.

    The likelihood is kept a lane as mantissa in [1, 2) and whole exponent, so that a product of millions of probabilities
    neither underflows nor needs a logarithm before it is read.
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
    return e.b.fmul(e.b.fmul(exp, p), e.b.fmul(sign, a["rate"]))


def _emit_mean(e: Emitter, rows: Any, m: Any, out: Any, chunks: Any, scale: Any) -> None:
    """Emit out = scale * (sum of the m rows)."""

    def chunk(i: Any, _: list[Any]) -> list[Any]:
        at = e.b.mul(i, I64(4 * e.width))

        def add(k: Any, total: list[Any]) -> list[Any]:
            row = e.load_address(e.b.add(rows, e.b.mul(k, I64(8))), 0)
            return [e.b.fadd(total[0], e.load(e.b.add(row, at), 4 * e.width))]

        (total,) = e.loop(m, [e.constant(0)], add)
        e.store(e.b.fmul(total, e.splat(scale)), e.b.add(out, at), 4 * e.width)
        return []

    e.loop(chunks, [], chunk)


def _emit_add(e: Emitter, rows: Any, m: Any, gradient: Any, chunks: Any, scale: Any) -> None:
    """Emit row += scale * gradient for each of the m rows, one after the other; then gradient = 0."""

    def chunk(i: Any, _: list[Any]) -> list[Any]:
        at = e.b.mul(i, I64(4 * e.width))
        address = e.b.add(gradient, at)
        step = e.b.fmul(e.load(address, 4 * e.width), e.splat(scale))

        def add(k: Any, _: list[Any]) -> list[Any]:
            row = e.b.add(e.load_address(e.b.add(rows, e.b.mul(k, I64(8))), 0), at)
            e.store(e.b.fadd(e.load(row, 4 * e.width), step), row, 4 * e.width)
            return []

        e.loop(m, [], add)
        e.store(e.constant(0), address, 4 * e.width)
        return []

    e.loop(chunks, [], chunk)


STEP_ARGUMENTS = ("hidden", "targets", "m", "outputs", "signs", "n", "chunks", "scratch", "likelihood", "rate")
STEP_KIND = ir.FunctionType(ir.VoidType(), [I64] * 9 + [F32])
ROWS_KIND = ir.FunctionType(ir.VoidType(), [I64] * 4 + [F32])


def _emit_all(module: ir.Module, width: int) -> None:
    step = ir.Function(module, STEP_KIND, "step")
    e = Emitter(ir.IRBuilder(step.append_basic_block()), width)
    a = dict(zip(STEP_ARGUMENTS, step.args, strict=True))
    a["rate"] = e.splat(a["rate"])
    choices = range(1, most_hidden(width) + 1)
    with cases(e.b, a["m"], choices) as case:
        for m in choices:
            case(m)
            _emit_step(e, m, a)
    e.b.ret_void()
    for name, emit in (("mean", _emit_mean), ("add", _emit_add)):
        function = ir.Function(module, ROWS_KIND, name)
        e = Emitter(ir.IRBuilder(function.append_basic_block()), width)
        emit(e, *function.args)
        e.b.ret_void()


def compile_kernels(width: int) -> dict[str, int]:
    """Return the addresses of the kernels `step`, `mean` and `add` for vectors of `width` lanes.

    Args:
        width: 16, 8 or 4; a processor runs those its vectors are wide enough for.
    """
    names = ("step", "mean", "add")
    sources = (__file__, vector_ir.__file__)
    return compile_functions(f"step{width}", names, lambda module: _emit_all(module, width), sources)


def _calling(kind: Any, signature: Any, values: Any, builder: Any) -> Any:
    builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])
    return I64(0)


@intrinsic
def call_step(
    context: Any, kernel: Any, hidden: Any, targets: Any, m: Any, outputs: Any, signs: Any, n: Any, chunks: Any,
    scratch: Any, likelihood: Any, rate: Any,
) -> Any:  # fmt: skip
    """Call a `step` kernel from compiled code: every argument but the last is an int64, and an address unless it counts.

    Args:
        context: given by Numba.
        kernel: the address of `step`.
        hidden: table of M row addresses.
        targets: table of the M rows that receive the gradients; the same table as `hidden` to train those rows.
        m: M, from 1 to `most_hidden(width)`.
        outputs: table of N row addresses, followed by MOST_PADDING addresses of a row of zeros.
        signs: N float32, +1, -1 or 0, followed by a vector's width of zeros.
        n: N, at least 1.
        chunks: vectors a row.
        scratch: room for (N + MOST_PADDING) M + 2 vectors of float32, aligned to a cache line.
        likelihood: the running product, from `new_likelihood`.
        rate: float32, the step size.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _calling(STEP_KIND, signature, values, builder)

    return types.int64(*[types.int64] * 10, types.float32), generate


@intrinsic
def call_rows(context: Any, kernel: Any, rows: Any, m: Any, other: Any, chunks: Any, scale: Any) -> Any:
    """Call a `mean` kernel (other = scale * sum of the m rows) or an `add` kernel (row += scale * other, then other = 0).

    Args:
        context: given by Numba.
        kernel: the address of `mean` or `add`.
        rows: table of m row addresses.
        m: how many, at least 1.
        other: address of the row that is written, or scattered.
        chunks: vectors a row.
        scale: float32.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _calling(ROWS_KIND, signature, values, builder)

    return types.int64(*[types.int64] * 5, types.float32), generate


@intrinsic
def prefetch_row(context: Any, address: Any, size: Any) -> Any:
    """Ask for the cache lines of a row that a later step will read and write.

    Args:
        context: given by Numba.
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


def new_likelihood(width: int) -> npt.NDArray[np.float32]:
    """Return an empty product of probabilities: `width` float32 mantissas of 1, then `width` int32 exponents of 0."""
    state = np.ones(2 * width, dtype=np.float32)
    state[width:] = 0
    return state


@njit(nogil=True, cache=True)
def take_loss(
    likelihood: npt.NDArray[np.float32],  # (2 width,) from new_likelihood, emptied
) -> float:
    """Return -log of the running product as a float64 and start it anew; call it at least every 2^24 steps."""
    width = len(likelihood) // 2
    exponents = likelihood[width:].view(np.int32)
    loss = 0.0
    for lane in range(width):
        loss -= np.log(np.float64(likelihood[lane])) + np.log(2.0) * exponents[lane]
        likelihood[lane] = 1
        exponents[lane] = 0
    return loss
