"""The step that every model of the word2vec family takes, as explicit vector instructions.

What: M hidden rows x_m meet N output rows o_n with signs s_n: +1 for a true pair, -1 for a noise pair, 0 for none. One
small matrix product gives all M N scores, one logistic step their gradients, one pass updates every row.

Objective: J = sum_{m,n : s_n != 0} log sigma(s_n x_m . o_n), ascended with step size r:

    c_mn = r s_n sigma(-s_n x_m . o_n),     o_n += sum_m c_mn x_m,     target_m += sum_n c_mn o_n

where every c_mn comes from the rows as they stood before the step: `score` writes them, `update` adds. Skip-gram hands
over the rows of a window (targets: the same rows), CBOW one mean row (target: a row of gradients, which `add` then
scatters).

Source: Mikolov et al. 2013 (NIPS), equation 4, for the pair; Ji et al. 2016, "Parallelizing word2vec in shared and
distributed memory", section 3, for scoring a window against shared noise as a matrix product.

Departures: sigma is computed to float32 accuracy where word2vec.c reads a table of 1000 entries and clips beyond 6. An
output row that stands twice among the N gets both updates one after the other; so does a hidden row that stands twice
among the M: no update is lost. Where the second place falls in a later turn of the loop (with 16 registers, anywhere),
o_n in the hidden rows' sum is the row with the first update, a difference of second order in r.

Cost: 6 M N D flops; each row is read twice and written once.

The kernels exist for vectors of 16, 8 and 4 lanes. `compile_kernels` returns their addresses, compiled once a processor
and kept on disk; any Numba kernel calls them through an integer (docs/decisions/0001-vector-kernels.md).
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from firth.kernels import processor, row_sums, vector_ir
from firth.kernels.compiled import compiled
from firth.kernels.native import compile_functions
from firth.kernels.native_calls import calling
from firth.kernels.processor import registers
from firth.kernels.row_sums import emit_add, emit_mean
from firth.kernels.rows import own_lines
from firth.kernels.vector_ir import F32, I64, Emitter, cases

Finish = Callable[[Emitter, Any, Any, dict[str, Any]], Any]  # scores, a number an output row, arguments -> stored

WIDTH = processor.width()
GROUP = 6  # output rows of a turn: the default's one target and five noise words
TAIL = 3  # rows of a last turn that fewer rows are left for; their number is padded to a multiple of it
MOST_PADDING = GROUP - 1
LN2 = math.log(2.0)
CLAMP = 60.0  # scores beyond it change no float32 probability; it keeps e^x finite


def most_hidden(width: int) -> int:
    """Return the most hidden rows that one step takes: as many as leave room in the registers."""
    return 10 if registers(width) == 32 else 6


MOST_HIDDEN = most_hidden(WIDTH)


def read_together(width: int) -> int:
    """Return how many output rows of a turn are read before the first of them is updated: all, or one by one."""
    return GROUP if registers(width) == 32 else 1


def _scored_together(m: int, width: int) -> int:
    # Output rows whose scores are summed side by side. Enough independent sums must be in flight to hide the latency of
    # an addition, and no more than there are registers; the number divides GROUP. What follows the sums is done a whole
    # vector at a time: the fewer vectors a row, the better.
    room = 24 if registers(width) == 32 else 12
    choices = [r for r in (6, 3, 2, 1) if r == 1 or r * m <= room]
    return min(choices, key=lambda r: -(-r * m // width) / r)


def layout(m: int, width: int) -> tuple[int, int]:
    """Return the output rows scored together and the vectors that hold their coefficients: m of the first, and so on.

    Args:
        m: hidden rows.
        width: lanes a vector.
    """
    rows = _scored_together(m, width)
    return rows, -(-rows * m // width)


def _group_tables(e: Emitter, m: int, a: dict[str, Any], group: Any) -> tuple[list[Any], Any]:
    """Return the addresses of a group's output rows and of its coefficients."""
    rows, vectors = layout(m, e.width)
    table = e.b.add(a["outputs"], e.b.mul(group, I64(8 * GROUP)))
    size = 4 * e.width * vectors * GROUP // rows
    return [e.load_address(table, r) for r in range(GROUP)], e.b.add(a["coefficients"], e.b.mul(group, I64(size)))


Read = Callable[[int, int], Any]  # output row and hidden row of a group -> the coefficient in every lane
Turn = Callable[[Any, list[Any], int], list[Any]]  # number of a turn, carried values, output rows -> new values


def _turns(e: Emitter, a: dict[str, Any], carried: list[Any], turn: Turn) -> list[Any]:
    """Emit turns of GROUP output rows each, and one of TAIL rows where no more are left."""
    whole = e.b.sdiv(e.b.add(a["n"], I64(GROUP - TAIL - 1)), I64(GROUP))
    carried = e.when(
        e.b.icmp_signed(">", whole, I64(0)),
        carried,
        lambda values: e.loop(whole, values, lambda i, each: turn(i, each, GROUP)),
    )
    rest = e.b.icmp_signed(">", a["n"], e.b.mul(whole, I64(GROUP)))
    return e.when(rest, carried, lambda values: turn(whole, values, TAIL))


def emit_score(e: Emitter, m: int, a: dict[str, Any], finish: Finish) -> None:
    """Emit the scores of m hidden rows and what is made of them.

    Args:
        e: emits.
        m: hidden rows.
        a: the kernel's arguments by name.
        finish: takes e, a vector of scores, each lane's number from the table `signs`, and `a`; returns what is stored.
    """
    rows, vectors = layout(m, e.width)
    hidden = [e.load_address(a["hidden"], i) for i in range(m)]

    def score(group: Any, _: list[Any], count: int) -> list[Any]:
        outputs, coefficients = _group_tables(e, m, a, group)
        numbers = e.b.add(a["signs"], e.b.mul(group, I64(4 * GROUP)))
        for first in range(0, count, rows):
            sums = _emit_sums(e, hidden, outputs[first : min(first + rows, count)], a)
            for v in range(-(-len(sums) // e.width)):
                scores = e.horizontal_sums(sums[v * e.width : (v + 1) * e.width])
                row = [(v * e.width + lane) // m for lane in range(e.width)]  # the output row of each lane
                loaded = e.load(e.offset(numbers, 4 * (first + row[0])))
                number = e.shuffle(loaded, e.constant(0), [r - row[0] if r < rows else e.width for r in row])
                place = first // rows * vectors + v
                e.store(finish(e, scores, number, a), e.offset(coefficients, 4 * e.width * place), 4 * e.width)
        return []

    _turns(e, a, [], score)


def _emit_sums(e: Emitter, hidden: list[Any], outputs: list[Any], a: dict[str, Any]) -> list[Any]:
    """Emit every hidden row times every output row, lane by lane; entry r m + k is for output r and hidden k."""
    m = len(hidden)

    def chunk(i: Any, sums: list[Any]) -> list[Any]:
        at = e.b.mul(i, I64(4 * e.width))

        def load(row: Any) -> Any:
            return e.load(e.b.add(row, at), 4 * e.width)

        # The side of fewer rows stays in registers, the other is loaded row by row: all at once would not fit.
        if m < len(outputs):
            x = [load(row) for row in hidden]
            for r, row in enumerate(outputs):
                o = load(row)
                for k in range(m):
                    sums[r * m + k] = e.fma(x[k], o, sums[r * m + k])
            return sums
        o = [load(row) for row in outputs]
        for k, row in enumerate(hidden):
            x = load(row)
            for r in range(len(outputs)):
                sums[r * m + k] = e.fma(x, o[r], sums[r * m + k])
        return sums

    return e.loop(a["chunks"], [e.constant(0)] * (len(outputs) * m), chunk)


def emit_update(e: Emitter, m: int, a: dict[str, Any], *, train_outputs: bool = True) -> None:
    """Emit the update of m hidden rows' targets and of the output rows.

    Args:
        e: emits.
        m: hidden rows.
        a: the kernel's arguments by name.
        train_outputs: whether the output rows are updated too.
    """
    rows, vectors = layout(m, e.width)
    hidden = [e.load_address(a["hidden"], i) for i in range(m)]
    targets = [e.load_address(a["targets"], i) for i in range(m)]
    emit_group = _emit_group_update if read_together(e.width) == GROUP else _emit_group_update_in_turn

    def chunks(update: Callable[[Any, list[Any], list[Any]], list[Any]]) -> None:
        """Emit a loop over the chunks of a row; `update` takes a chunk's place, x, and gradients of zero."""

        def chunk(i: Any, _: list[Any]) -> list[Any]:
            at = e.b.mul(i, I64(4 * e.width))
            x = [e.load(e.b.add(row, at), 4 * e.width) for row in hidden]
            gradients = update(at, x, [e.constant(0)] * m)
            _emit_additions(e, [e.b.add(target, at) for target in targets], gradients)
            return []

        e.loop(a["chunks"], [], chunk)

    def coefficient(first: Any, r: int, k: int) -> Any:
        return e.broadcast(e.offset(first, 4 * (r // rows * vectors * e.width + r % rows * m + k)))

    def one_group(_: list[Any]) -> list[Any]:
        """Emit the update by GROUP output rows: their addresses, and few coefficients, are read once."""
        outputs, first = _group_tables(e, m, a, I64(0))
        kept = [coefficient(first, r, 0) for r in range(GROUP)] if m == 1 else []

        def read(r: int, k: int) -> Any:
            return kept[r] if kept else coefficient(first, r, k)

        def update(at: Any, x: list[Any], gradients: list[Any]) -> list[Any]:
            return emit_group(e, x, [e.b.add(row, at) for row in outputs], read, gradients, train_outputs)

        chunks(update)
        return []

    def any_groups(_: list[Any]) -> list[Any]:
        def update(at: Any, x: list[Any], gradients: list[Any]) -> list[Any]:
            def turn(group: Any, carried: list[Any], count: int) -> list[Any]:
                outputs, first = _group_tables(e, m, a, group)
                addresses = [e.b.add(row, at) for row in outputs[:count]]
                return emit_group(e, x, addresses, functools.partial(coefficient, first), carried, train_outputs)

            return _turns(e, a, gradients, turn)

        chunks(update)
        return []

    single = e.b.and_(e.b.icmp_signed(">", a["n"], I64(TAIL)), e.b.icmp_signed("<=", a["n"], I64(GROUP)))
    e.when(single, [], one_group)
    e.when(e.b.not_(single), [], any_groups)


def _emit_group_update(
    e: Emitter, x: list[Any], addresses: list[Any], coefficient: Read, gradients: list[Any], train_outputs: bool
) -> list[Any]:
    """Emit the update by a group of output rows that are read together: additions of several rows interleave."""
    o = [e.load(address, 4 * e.width) for address in addresses]
    added = [e.constant(0)] * len(o)
    for k in range(len(x)):
        for r in range(len(o)):
            c = coefficient(r, k)
            if train_outputs:
                added[r] = e.fma(c, x[k], added[r])
            gradients[k] = e.fma(c, o[r], gradients[k])
    if train_outputs:
        _emit_additions(e, addresses, added)
    return gradients


def _emit_group_update_in_turn(
    e: Emitter, x: list[Any], addresses: list[Any], coefficient: Read, gradients: list[Any], train_outputs: bool
) -> list[Any]:
    """Emit the same, row by row: 16 registers hold x, the gradients and one row, and no more."""
    for r, address in enumerate(addresses):
        o = e.load(address, 4 * e.width)
        updated = o
        for k in range(len(x)):
            c = coefficient(r, k)
            updated = e.fma(c, x[k], updated)
            gradients[k] = e.fma(c, o, gradients[k])
        if train_outputs:
            e.store(updated, address, 4 * e.width)
    return gradients


def _emit_additions(e: Emitter, addresses: list[Any], values: list[Any]) -> None:
    # Read again, one after the other: a row that stands twice gets both additions.
    for address, value in zip(addresses, values, strict=True):
        e.store(e.b.fadd(e.load(address, 4 * e.width), value), address, 4 * e.width)


def _logistic(e: Emitter, scores: Any, sign: Any, a: dict[str, Any]) -> Any:
    """Emit the logistic step: rate * sign * sigma(-z), z = sign * score; sigma(z) goes into the likelihood.

    The likelihood is kept a lane as mantissa in [1, 2) and whole exponent, so that a product of millions of
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


def emit_by_hidden(
    module: ir.Module, width: int, name: str, kind: Any, arguments: tuple[str, ...], emit: Callable[..., None]
) -> None:
    """Emit a function that branches to code of its own for each number m of hidden rows.

    Args:
        module: receives the function.
        width: lanes a vector.
        name: of the function.
        kind: its LLVM type.
        arguments: the names of its arguments, `m` among them.
        emit: takes an Emitter, m, and the arguments by name.
    """
    choices = range(1, most_hidden(width) + 1)
    function = ir.Function(module, kind, name)
    e = Emitter(ir.IRBuilder(function.append_basic_block()), width)
    a = dict(zip(arguments, function.args, strict=True))
    with cases(e.b, a["m"], choices) as case:
        for m in choices:
            case(m)
            emit(e, m, a)
    e.b.ret_void()


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


@functools.cache  # every shard of every epoch asks, and each compilation keeps its machine code for good
def compile_kernels(width: int) -> Kernels:
    """Return the kernels for vectors of `width` lanes.

    Args:
        width: 16, 8 or 4; a processor runs those its vectors are wide enough for.
    """
    sources = (__file__, row_sums.__file__, vector_ir.__file__)
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
        context: given by Numba.
        kernel: the address of `score`.
        hidden: table of M row addresses.
        m: M, from 1 to `most_hidden(width)`.
        outputs: table of N row addresses, followed by MOST_PADDING addresses of a row of zeros.
        n: N, at least 1.
        chunks: vectors a row.
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
        context: given by Numba.
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
        context: given by Numba.
        kernel: the address of `mean` or `add`.
        rows: table of m row addresses.
        m: how many, at least 1.
        other: address of the row that is written, or scattered.
        chunks: vectors a row.
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
    """Return the signs of one true and n - 1 noise rows, and the zeros that a kernel may read behind them."""
    signs = own_lines(n + MOST_PADDING + WIDTH, np.float32)
    signs[0] = 1
    signs[1:n] = -1
    return signs


def coefficient_floats(n: int) -> int:
    """Return the float32 numbers that the coefficients of n output rows take at most."""
    # An output row scored alone takes whole vectors for its M coefficients; rows scored together share them.
    return (n + MOST_PADDING) * -(-MOST_HIDDEN // WIDTH) * WIDTH


@compiled
def take_loss(
    likelihood: npt.NDArray[np.float32],  # (2 width,) from new_likelihood; the mantissas are set to 1
    exponents: npt.NDArray[np.int32],  # (width,) its second half, set to 0
) -> float:
    """Return -log of the running product as a float64 and start it anew; call it at least every 2^24 steps."""
    loss = 0.0
    for lane in range(len(exponents)):
        loss -= math.log(np.float64(likelihood[lane])) + LN2 * exponents[lane]
        likelihood[lane] = 1
        exponents[lane] = 0
    return loss
