"""Sums of rows and additions to rows, as explicit vector instructions: the input side of CBOW and similar models."""

from collections.abc import Callable
from typing import Any

from firth.kernels.vector_ir import I64, Emitter, cases

UNROLLED = 10  # separate code for each number of rows up to this: the contexts of a window of five words per side

Turn = Callable[[Any, list[Any]], list[Any]]  # (address of a row's chunk, carried values) -> new values
Turns = Callable[[list[Any], Turn], list[Any]]  # (carried values, what to emit per row) -> values after the last row


def emit_mean(e: Emitter, rows: Any, m: Any, out: Any, chunks: Any, scale: Any) -> None:
    """Emit out = scale * (sum of the m rows).

    Args:
        chunks: vectors per row.
    """

    def chunk(at: Any, turns: Turns) -> None:
        def add(address: Any, total: list[Any]) -> list[Any]:
            return [e.b.fadd(total[0], e.load(address, 4 * e.width))]

        (total,) = turns([e.constant(0)], add)
        e.store(e.b.fmul(total, e.splat(scale)), e.b.add(out, at), 4 * e.width)

    _emit_rows(e, rows, m, chunks, chunk)


def emit_add(e: Emitter, rows: Any, m: Any, gradient: Any, chunks: Any, scale: Any) -> None:
    """Emit row += scale * gradient for each of the m rows in turn; then gradient = 0.

    Args:
        chunks: vectors per row.
    """

    def chunk(at: Any, turns: Turns) -> None:
        target = e.b.add(gradient, at)
        step = e.b.fmul(e.load(target, 4 * e.width), e.splat(scale))

        def add(address: Any, _: list[Any]) -> list[Any]:
            e.store(e.b.fadd(e.load(address, 4 * e.width), step), address, 4 * e.width)
            return []

        turns([], add)
        e.store(e.constant(0), target, 4 * e.width)

    _emit_rows(e, rows, m, chunks, chunk)


def _emit_rows(e: Emitter, rows: Any, m: Any, chunks: Any, chunk: Callable[[Any, Turns], None]) -> None:
    """Emit a loop over the chunks of m rows, with separate code for each m up to UNROLLED.

    `chunk` takes a chunk's offset in bytes and a function `turns`, which emits a turn for each row.
    """

    def unrolled(count: int) -> None:
        table = [e.load_address(rows, k) for k in range(count)]

        def add_chunk(i: Any, _: list[Any]) -> list[Any]:
            at = e.b.mul(i, I64(4 * e.width))

            def turns(values: list[Any], turn: Turn) -> list[Any]:
                for row in table:
                    values = turn(e.b.add(row, at), values)
                return values

            chunk(at, turns)
            return []

        e.loop(chunks, [], add_chunk)

    def looped(_: list[Any]) -> list[Any]:
        def add_chunk(i: Any, _: list[Any]) -> list[Any]:
            at = e.b.mul(i, I64(4 * e.width))

            def turns(values: list[Any], turn: Turn) -> list[Any]:
                def add_row(k: Any, carried: list[Any]) -> list[Any]:
                    row = e.load_address(e.b.add(rows, e.b.mul(k, I64(8))), 0)
                    return turn(e.b.add(row, at), carried)

                return e.loop(m, values, add_row)

            chunk(at, turns)
            return []

        return e.loop(chunks, [], add_chunk)

    choices = range(1, UNROLLED + 1)
    with cases(e.b, m, choices) as case:
        for count in choices:
            case(count)
            unrolled(count)
    e.when(e.b.icmp_signed(">", m, I64(UNROLLED)), [], looped)
