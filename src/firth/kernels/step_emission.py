"""The emission of the word2vec step: how rows and coefficients share the registers, and the code of both kernels.

`firth.kernels.step` has the formulas. A step goes through the output rows in turns of GROUP rows. `score` computes the
products of the hidden rows with several output rows side by side; `update` adds to output rows and gradients.
"""

import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir

from firth.kernels import processor
from firth.kernels.processor import registers
from firth.kernels.vector_ir import I64, Emitter, cases

Finish = Callable[[Emitter, Any, Any, dict[str, Any]], Any]  # scores, a number per output row, arguments -> stored

WIDTH = processor.width()
GROUP = 6  # output rows per turn: by default one target and five noise words
TAIL = 3  # output rows of a shorter last turn; the number of rows is padded to a multiple of it
MOST_PADDING = GROUP - 1


def most_hidden(width: int) -> int:
    """Return the largest number of hidden rows of a step, limited by the registers."""
    return 10 if registers(width) == 32 else 6


MOST_HIDDEN = most_hidden(WIDTH)


def read_together(width: int) -> int:
    """Return the number of output rows of a turn that are read before the first is updated: all, or one by one."""
    return GROUP if registers(width) == 32 else 1


def _scored_together(m: int, width: int) -> int:
    # Output rows whose scores are summed side by side. Enough independent sums must be in flight to hide the latency of
    # an addition, but not more than there are registers; the number divides GROUP. After the sums, whole vectors are
    # processed: the fewer vectors per row, the better.
    room = 24 if registers(width) == 32 else 12
    choices = [r for r in (6, 3, 2, 1) if r == 1 or r * m <= room]
    return min(choices, key=lambda r: -(-r * m // width) / r)


def layout(m: int, width: int) -> tuple[int, int]:
    """Return the output rows scored together and the vectors of their coefficients: m of the first row, and so on.

    There are m hidden rows, and vectors of `width` lanes.
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
Turn = Callable[[Any, list[Any], int], list[Any]]  # turn number, carried values, number of output rows -> new values


def _turns(e: Emitter, a: dict[str, Any], carried: list[Any], turn: Turn) -> list[Any]:
    """Emit turns of GROUP output rows each, and one of TAIL rows if no more are left."""
    whole = e.b.sdiv(e.b.add(a["n"], I64(GROUP - TAIL - 1)), I64(GROUP))
    carried = e.when(
        e.b.icmp_signed(">", whole, I64(0)),
        carried,
        lambda values: e.loop(whole, values, lambda i, carried: turn(i, carried, GROUP)),
    )
    rest = e.b.icmp_signed(">", a["n"], e.b.mul(whole, I64(GROUP)))
    return e.when(rest, carried, lambda values: turn(whole, values, TAIL))


def emit_score(e: Emitter, m: int, a: dict[str, Any], finish: Finish) -> None:
    """Emit the scores of m hidden rows and what is computed from them; `a` has the kernel's arguments by name.

    `finish` takes e, a vector of scores, the number of each lane from the table `signs`, and `a`; it returns the vector
    to store.
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
                numbers_vector = e.load(e.offset(numbers, 4 * (first + row[0])))
                number = e.shuffle(numbers_vector, e.constant(0), [r - row[0] if r < rows else e.width for r in row])
                index = first // rows * vectors + v
                e.store(finish(e, scores, number, a), e.offset(coefficients, 4 * e.width * index), 4 * e.width)
        return []

    _turns(e, a, [], score)


def _emit_sums(e: Emitter, hidden: list[Any], outputs: list[Any], a: dict[str, Any]) -> list[Any]:
    """Emit the products of all hidden and output rows, lane by lane; entry r m + k is for output r and hidden k."""
    m = len(hidden)

    def chunk(i: Any, sums: list[Any]) -> list[Any]:
        at = e.b.mul(i, I64(4 * e.width))

        def load(row: Any) -> Any:
            return e.load(e.b.add(row, at), 4 * e.width)

        # The side with fewer rows stays in registers, the other is loaded row by row: both would not fit.
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
    """Emit the update of the targets of m hidden rows and, unless `train_outputs` is False, of the output rows."""
    rows, vectors = layout(m, e.width)
    hidden = [e.load_address(a["hidden"], i) for i in range(m)]
    targets = [e.load_address(a["targets"], i) for i in range(m)]
    emit_group = _emit_group_update if read_together(e.width) == GROUP else _emit_group_update_in_turn

    def chunks(update: Callable[[Any, list[Any], list[Any]], list[Any]]) -> None:
        """Emit a loop over the chunks of a row; `update` takes the offset of a chunk, x, and gradients of zero."""

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
        """Emit the update by GROUP output rows: their addresses, and a few coefficients, are read once."""
        outputs, first = _group_tables(e, m, a, I64(0))
        first_coefficients = [coefficient(first, r, 0) for r in range(GROUP)] if m == 1 else []

        def read(r: int, k: int) -> Any:
            return first_coefficients[r] if first_coefficients else coefficient(first, r, k)

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
    """Emit the update by a group of output rows that are read together: the additions of several rows interleave."""
    o = [e.load(address, 4 * e.width) for address in addresses]
    additions = [e.constant(0)] * len(o)
    for k in range(len(x)):
        for r in range(len(o)):
            c = coefficient(r, k)
            if train_outputs:
                additions[r] = e.fma(c, x[k], additions[r])
            gradients[k] = e.fma(c, o[r], gradients[k])
    if train_outputs:
        _emit_additions(e, addresses, additions)
    return gradients


def _emit_group_update_in_turn(
    e: Emitter, x: list[Any], addresses: list[Any], coefficient: Read, gradients: list[Any], train_outputs: bool
) -> list[Any]:
    """Emit the same, row by row: 16 registers only have room for x, the gradients and one row."""
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
    # Rows are read again, one after the other: a row that occurs twice gets both additions.
    for address, value in zip(addresses, values, strict=True):
        e.store(e.b.fadd(e.load(address, 4 * e.width), value), address, 4 * e.width)


def emit_by_hidden(
    module: ir.Module, width: int, name: str, kind: Any, arguments: tuple[str, ...], emit: Callable[..., None]
) -> None:
    """Emit a function that branches to separate code for each number m of hidden rows.

    `kind` is its LLVM type; `arguments` are the names of its arguments, with `m`; `emit` takes an Emitter, m, and the
    arguments by name.
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
