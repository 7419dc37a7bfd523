"""A matrix product of rounded numbers that selects the exact products to compute.

What: rows and queries are rounded to integers from -127 to 127 or from -45 to 45, with one scale each. Their product in
bytes has a known error bound. A pair whose rounded cosine plus bound is below the query's floor cannot be a best one
and is skipped. `rescore` computes the few others exactly and keeps the best.

Objective: for a row x of length n with scale s, rounded r and error e = x - s r, and a query y of length 1 with t, q
and f = y - t q: x . y - s t r . q = e . y + s r . f, so that

    cos(x, y) <= (s / n) t r . q + u + (1 + u) |f|,     u = |e| / n.

Source: this is Cauchy-Schwarz. Bytes in the place of floats: Jacob et al. 2018, "Quantization and training of neural
networks for efficient integer-arithmetic-only inference", section 2.2 (zero points); the tiles of accumulators: Goto
and van de Geijn 2008, "Anatomy of high-performance matrix multiplication", section 6.

Departures: rows are stored with their largest level added, as the instructions multiply unsigned by signed bytes. A
query's accumulators start at minus that level times the sum of the query's numbers. With VNNI one instruction adds four
products to a lane of 32 bits. AVX2 adds two products to a lane of 16 bits: with numbers up to 45, four such sums fit
(8 x 90 x 45 < 2^15) before two lanes are added into one of 32 bits.

Cost: 2 B V D operations, with VNNI at four times and with AVX2 at three times the speed of float32, and 3 V D to round
the rows. Other processors have no tile.

Letters: B queries, R rows, P rows per panel, D width, K = D / 4 rounded up.
"""

import ctypes
import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir

from firth.kernels import processor, vector_ir
from firth.kernels.native import compile_functions
from firth.kernels.vector_ir import F32, I8, I16, I32, I64, Emitter

SMALLEST = 1e-30  # rows of smaller numbers are not rounded: their bound excludes nothing

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]


class Tile(NamedTuple):
    """The shape of the inner loop: `queries` times `vectors` accumulators of `width` lanes.

    Attributes:
        width: lanes of 32 bits per vector.
        queries: queries per tile.
        vectors: vectors of rows per tile.
        levels: the largest rounded number.
        together: quads summed in lanes of 16 bits before widening; 1 with VNNI, which needs no widening.
    """

    width: int
    queries: int
    vectors: int
    levels: int = 127
    together: int = 1

    @property
    def rows(self) -> int:
        """P, the rows of a panel."""
        return self.width * self.vectors

    def quads(self, dim: int) -> int:
        """Return K for rows of `dim` numbers, rounded up to whole turns of the inner loop."""
        return -(-dim // (4 * self.together)) * self.together


AVX2 = Tile(8, 3, 2, levels=45, together=4)


def host_tile() -> Tile | None:
    """Return the tile for this processor, or None without instructions for products of bytes."""
    if processor.has("avx512vnni", "avx512vl"):
        return Tile(16, 6, 4)
    if processor.has("avxvnni"):
        return Tile(8, 4, 2)
    return AVX2 if processor.has("avx2", "fma") else None


def _emit_pack(e: Emitter, tile: Tile, a: dict[str, Any]) -> None:
    """Emit the rounding of rows into panels of P rows: for each of K quads, four bytes per row."""
    b = e.b
    chunks = b.sdiv(a["dim"], I64(e.width))
    whole_lanes = b.mul(chunks, I64(e.width))
    rest = b.sub(a["dim"], whole_lanes)

    def row(r: Any, _: list[Any]) -> list[Any]:
        address = b.add(a["rows"], b.mul(r, b.mul(a["dim"], I64(4))))
        tail = b.add(address, b.mul(whole_lanes, I64(4)))

        def larger(i: Any, values: list[Any]) -> list[Any]:
            x = e.call("llvm.fabs", e.load(b.add(address, b.mul(i, I64(4 * e.width)))))
            return [e.call("llvm.maxnum", values[0], x)]

        (most,) = e.loop(chunks, [e.constant(0)], larger)
        peak = _largest(e, most)

        def larger_scalar(i: Any, values: list[Any]) -> list[Any]:
            return [_scalar(e, "llvm.maxnum", values[0], _scalar(e, "llvm.fabs", _float_at(e, tail, i)))]

        (peak,) = e.when(b.icmp_signed(">", rest, I64(0)), [peak], lambda values: e.loop(rest, values, larger_scalar))
        is_rounded = b.fcmp_ordered(">", peak, F32(SMALLEST))
        up = b.select(is_rounded, b.fdiv(F32(tile.levels), peak), F32(0))
        panel, within = b.udiv(r, I64(tile.rows)), b.urem(r, I64(tile.rows))
        panel_address = b.add(
            b.add(a["panels"], b.mul(panel, b.mul(a["quads"], I64(4 * tile.rows)))), b.mul(within, I64(4))
        )

        def rounded(i: Any, values: list[Any]) -> list[Any]:
            x = b.fmul(e.load(b.add(address, b.mul(i, I64(4 * e.width)))), e.splat(up))
            whole = e.call("llvm.rint", x)
            error = b.fsub(x, whole)
            bytes_ = b.trunc(b.add(b.fptosi(whole, e.ints), e.int_constant(tile.levels)), ir.VectorType(I8, e.width))
            quads = b.bitcast(bytes_, ir.VectorType(I32, e.width // 4))
            first = b.add(panel_address, b.mul(i, I64(e.width * tile.rows)))
            for quad in range(e.width // 4):
                value = b.extract_element(quads, I32(quad))
                b.store(value, b.inttoptr(e.offset(first, 4 * tile.rows * quad), I32.as_pointer()), align=4)
            return [e.fma(error, error, values[0])]

        (errors,) = e.loop(chunks, [e.constant(0)], rounded)
        squares = _total(e, errors)

        def rounded_scalar(i: Any, values: list[Any]) -> list[Any]:
            x = b.fmul(_float_at(e, tail, i), up)
            whole = _scalar(e, "llvm.rint", x)
            error = b.fsub(x, whole)
            k = b.add(whole_lanes, i)
            quad = b.mul(b.lshr(k, I64(2)), I64(4 * tile.rows))
            where = b.add(b.add(panel_address, quad), b.and_(k, I64(3)))
            byte = b.trunc(b.add(b.fptosi(whole, I32), I32(tile.levels)), I8)
            b.store(byte, b.inttoptr(where, I8.as_pointer()))
            return [b.fadd(values[0], b.fmul(error, error))]

        (squares,) = e.when(
            b.icmp_signed(">", rest, I64(0)), [squares], lambda values: e.loop(rest, values, rounded_scalar)
        )
        step = b.fdiv(b.fmul(peak, _float_at(e, a["inverses"], r)), F32(tile.levels))
        error = b.fmul(_scalar(e, "llvm.sqrt", squares), step)
        _store_float(e, b.select(is_rounded, step, F32(0)), a["steps"], r)
        # The bound of a row of tiny numbers excludes nothing; a zero row has cosine 0.
        zero = b.fcmp_ordered("==", peak, F32(0))
        _store_float(e, b.select(is_rounded, error, b.select(zero, F32(0), F32(1))), a["errors"], r)
        return []

    e.loop(a["count"], [], row)


def _emit_scan(e: Emitter, tile: Tile, a: dict[str, Any]) -> Any:
    """Emit the products of panels with all queries; return the address after the last hit."""
    b = e.b
    size = b.mul(a["quads"], I64(4 * tile.rows))

    def panel(i: Any, carried: list[Any]) -> list[Any]:
        rows = b.mul(i, I64(tile.rows))
        numbers = {name: b.add(a[name], b.mul(rows, I64(4))) for name in ("steps", "errors")}
        return [
            _emit_panel(e, tile, {**a, **numbers, "panel": b.add(a["panels"], b.mul(i, size)), "base": rows}, carried)
        ]

    return e.loop(a["count"], [a["out"]], panel)[0]


def _emit_panel(e: Emitter, tile: Tile, a: dict[str, Any], carried: list[Any]) -> Any:
    """Emit the product of one panel with all queries, tile by tile."""
    b = e.b
    steps = [e.load(e.offset(a["steps"], 4 * e.width * v)) for v in range(tile.vectors)]
    errors = [e.load(e.offset(a["errors"], 4 * e.width * v)) for v in range(tile.vectors)]
    size = b.mul(a["quads"], I64(4))  # bytes per query

    def tiles(i: Any, carried: list[Any]) -> list[Any]:
        first = b.mul(i, I64(tile.queries))
        query = b.add(a["queries"], b.mul(first, size))
        starts = [_int_at(e, a["starts"], b.add(first, I64(q))) for q in range(tile.queries)]
        zeros = [_splat_int(e, start) for start in starts for _ in range(tile.vectors)]

        def turn(i: Any, sums: list[Any]) -> list[Any]:
            pairs: list[Any] = [None] * len(sums)  # sums in lanes of 16 bits
            for part in range(tile.together):
                j = b.add(b.mul(i, I64(tile.together)), I64(part))
                at = b.add(a["panel"], b.mul(j, I64(4 * tile.rows)))
                rows = [e.load_ints(e.offset(at, 4 * e.width * v)) for v in range(tile.vectors)]
                for k in range(len(sums)):
                    q, v = divmod(k, tile.vectors)
                    if v == 0:
                        address = b.add(b.add(query, b.mul(size, I64(q))), b.mul(j, I64(4)))
                        number = _splat_int(e, b.load(b.inttoptr(address, I32.as_pointer()), align=4))
                    if tile.together == 1:
                        sums[k] = _multiply_add(e, sums[k], rows[v], number)
                    else:
                        product = _multiply_pairs(e, rows[v], number)
                        pairs[k] = product if pairs[k] is None else b.add(pairs[k], product)
            return sums if tile.together == 1 else [b.add(x, _widened(e, y)) for x, y in zip(sums, pairs, strict=True)]

        sums = e.loop(b.sdiv(a["quads"], I64(tile.together)), zeros, turn)
        out = carried[0]
        for q in range(tile.queries):
            number = b.add(first, I64(q))
            slope, floor = (e.splat(_float_at(e, a[name], number)) for name in ("slopes", "floors"))
            mask: Any = I64(0)
            for v in range(tile.vectors):
                bound = e.fma(errors[v], slope, b.fneg(floor))
                reach = e.fma(b.sitofp(sums[q * tile.vectors + v], e.vector), steps[v], bound)
                hits = b.bitcast(b.fcmp_ordered(">=", reach, e.constant(0)), ir.IntType(e.width))
                mask = b.or_(mask, b.shl(b.zext(hits, I64), I64(e.width * v)))

            def hit(values: list[Any], number: Any = number, mask: Any = mask) -> list[Any]:
                for index, value in enumerate((b.add(number, b.shl(a["base"], I64(32))), mask)):
                    b.store(value, b.inttoptr(e.offset(values[0], 8 * index), I64.as_pointer()), align=8)
                return [b.add(values[0], I64(16))]

            (out,) = e.when(b.icmp_unsigned("!=", mask, I64(0)), [out], hit)
        return [out]

    return e.loop(a["tiles"], carried, tiles)[0]


def _emit_rescore(e: Emitter, tile: Tile, a: dict[str, Any]) -> None:
    """Emit the exact cosines of all hits and the insertion of those that beat a query's k-th best."""
    b = e.b
    size = b.mul(a["dim"], I64(4))

    def hit(i: Any, _: list[Any]) -> list[Any]:
        address = b.add(a["hits"], b.mul(i, I64(16)))
        head, mask = (_int64_at(e, address, I64(part)) for part in range(2))
        query, base = b.and_(head, I64(0xFFFFFFFF)), b.lshr(head, I64(32))
        y = b.add(a["exact"], b.mul(query, size))
        ranking = {
            "rows": b.add(a["best"], b.mul(b.mul(query, a["k"]), I64(8))),
            "scores": b.add(a["scores"], b.mul(b.mul(query, a["k"]), I64(4))),
        }

        def lane(_: Any, masks: list[Any]) -> list[Any]:
            row = b.add(base, b.cttz(masks[0], ir.IntType(1)(1)))
            x = b.add(a["rows"], b.mul(row, size))
            score = b.fmul(_emit_dot(e, x, y, a["dim"]), _float_at(e, a["inverses"], row))
            worst = _float_at(e, ranking["scores"], b.sub(a["k"], I64(1)))
            better = b.fcmp_ordered(">", score, worst)
            e.when(better, [], lambda _: _emit_insert(e, ranking, a["k"], score, b.add(a["first"], row)))
            return [b.and_(masks[0], b.sub(masks[0], I64(1)))]

        e.loop(b.ctpop(mask), [mask], lane)
        return []

    e.loop(a["count"], [], hit)


def _emit_insert(e: Emitter, ranking: dict[str, Any], k: Any, score: Any, row: Any) -> list[Any]:
    """Emit the insertion of a row after all with at least its score; the last one is dropped."""
    b = e.b

    def ahead(i: Any, values: list[Any]) -> list[Any]:
        first = b.fcmp_ordered(">=", _float_at(e, ranking["scores"], i), score)
        return [b.add(values[0], b.zext(first, I64))]

    (rank,) = e.loop(k, [I64(0)], ahead)
    last = b.sub(k, I64(1))
    behind = b.sub(last, rank)

    def move(i: Any, _: list[Any]) -> list[Any]:
        to = b.sub(last, i)
        before = b.sub(to, I64(1))
        _store_float(e, _float_at(e, ranking["scores"], before), ranking["scores"], to)
        b.store(_int64_at(e, ranking["rows"], before), _at(e, ranking["rows"], to, I64, 8), align=8)
        return []

    e.when(b.icmp_signed(">", behind, I64(0)), [], lambda _: e.loop(behind, [], move))
    _store_float(e, score, ranking["scores"], rank)
    b.store(row, _at(e, ranking["rows"], rank, I64, 8), align=8)
    return []


def _emit_dot(e: Emitter, x: Any, y: Any, dim: Any) -> Any:
    b = e.b
    chunks = b.sdiv(dim, I64(e.width))
    whole_lanes = b.mul(chunks, I64(e.width))
    rest = b.sub(dim, whole_lanes)

    def chunk(j: Any, sums: list[Any]) -> list[Any]:
        at = b.mul(j, I64(4 * e.width))
        return [e.fma(e.load(b.add(x, at)), e.load(b.add(y, at)), sums[0])]

    total = _total(e, e.loop(chunks, [e.constant(0)], chunk)[0])

    def add_product(j: Any, sums: list[Any]) -> list[Any]:
        at = b.add(whole_lanes, j)
        return [b.fadd(sums[0], b.fmul(_float_at(e, x, at), _float_at(e, y, at)))]

    return e.when(b.icmp_signed(">", rest, I64(0)), [total], lambda values: e.loop(rest, values, add_product))[0]


def _multiply_add(e: Emitter, sums: Any, unsigned: Any, signed: Any) -> Any:
    """Add the products of four unsigned and four signed bytes to each lane."""
    return _intrinsic(e, f"llvm.x86.avx512.vpdpbusd.{32 * e.width}", e.ints, [sums, unsigned, signed])


def _multiply_pairs(e: Emitter, unsigned: Any, signed: Any) -> Any:
    """Return the sums of two products of unsigned and signed bytes in lanes of 16 bits; they saturate at 2^15."""
    bytes_, words = ir.VectorType(I8, 4 * e.width), ir.VectorType(I16, 2 * e.width)
    arguments = [e.b.bitcast(unsigned, bytes_), e.b.bitcast(signed, bytes_)]
    return _intrinsic(e, "llvm.x86.avx2.pmadd.ub.sw", words, arguments)


def _widened(e: Emitter, pairs: Any) -> Any:
    """Return the sums of pairs of 16-bit lanes in lanes of 32 bits."""
    ones = ir.Constant(pairs.type, [1] * (2 * e.width))
    return _intrinsic(e, "llvm.x86.avx2.pmadd.wd", e.ints, [pairs, ones])


def _intrinsic(e: Emitter, name: str, result: Any, arguments: list[Any]) -> Any:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = e.b.module.globals.get(name) or ir.Function(e.b.module, kind, name)
    return e.b.call(function, arguments)


def _splat_int(e: Emitter, value: Any) -> Any:
    first = e.b.insert_element(ir.Constant(e.ints, ir.Undefined), value, I32(0))
    return e.b.shuffle_vector(first, first, ir.Constant(e.ints, [0] * e.width))


def _total(e: Emitter, vector: Any) -> Any:
    return e.b.extract_element(e.horizontal_sums([vector]), I32(0))


def _largest(e: Emitter, vector: Any) -> Any:
    s = 1
    while s < e.width:
        vector = e.call("llvm.maxnum", vector, e.shuffle(vector, vector, [lane ^ s for lane in range(e.width)]))
        s *= 2
    return e.b.extract_element(vector, I32(0))


def _scalar(e: Emitter, name: str, *values: Any) -> Any:
    kind = ir.FunctionType(F32, [F32] * len(values))
    full = f"{name}.f32"
    function = e.b.module.globals.get(full) or ir.Function(e.b.module, kind, full)
    return e.b.call(function, values)


def _at(e: Emitter, address: Any, index: Any, kind: Any, size: int) -> Any:
    return e.b.inttoptr(e.b.add(address, e.b.mul(index, I64(size))), kind.as_pointer())


def _float_at(e: Emitter, address: Any, index: Any) -> Any:
    return e.b.load(_at(e, address, index, F32, 4), align=4)


def _store_float(e: Emitter, value: Any, address: Any, index: Any) -> None:
    e.b.store(value, _at(e, address, index, F32, 4), align=4)


def _int_at(e: Emitter, address: Any, index: Any) -> Any:
    return e.b.load(_at(e, address, index, I32, 4), align=4)


def _int64_at(e: Emitter, address: Any, index: Any) -> Any:
    return e.b.load(_at(e, address, index, I64, 8), align=8)


ARGUMENTS = {
    "pack": ("rows", "count", "dim", "quads", "inverses", "panels", "steps", "errors"),
    "scan": ("panels", "count", "quads", "steps", "errors", "queries", "tiles", "starts", "slopes", "floors", "out"),
    "rescore": ("rows", "exact", "dim", "inverses", "hits", "count", "first", "k", "best", "scores"),
}
_EMIT = {"pack": _emit_pack, "scan": _emit_scan, "rescore": _emit_rescore}


def _emit_all(module: ir.Module, tile: Tile) -> None:
    for name, arguments in ARGUMENTS.items():
        function = ir.Function(module, ir.FunctionType(I64, [I64] * len(arguments)), name)
        e = Emitter(ir.IRBuilder(function.append_basic_block()), tile.width)
        result = _EMIT[name](e, tile, dict(zip(arguments, function.args, strict=True)))
        e.b.ret(I64(0) if result is None else result)


@functools.cache
def compile_product(tile: Tile) -> dict[str, Any]:
    """Return the three functions for a tile; they take addresses and counts and release the GIL."""
    sources = (__file__, vector_ir.__file__)
    name = f"bytes{'x'.join(map(str, tile))}"
    code = compile_functions(name, list(ARGUMENTS), lambda module: _emit_all(module, tile), sources)
    kinds = {name: ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(ARGUMENTS[name])) for name in ARGUMENTS}
    return {name: kinds[name](code[name]) for name in ARGUMENTS}
