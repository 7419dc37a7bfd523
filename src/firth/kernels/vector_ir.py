"""Emits LLVM IR for float32 vectors, the common part of the vector kernels.

LLVM vectorises Numba's loops only where it can prove that rows do not overlap, and then at 256 bits. The kernels of
`firth.kernels.step` are therefore emitted as explicit vector instructions. The functions here run while a kernel is
compiled; they emit code and compute nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

I8, I16, I32, I64, F32 = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()
LINE = 64  # bytes of a cache line, and the alignment of every row


class Emitter:
    """Emits vector instructions of one width into a function.

    Args:
        width: float32 lanes per vector.
    """

    def __init__(self, builder: Any, width: int) -> None:
        self.b = builder
        self.width = width
        self.vector = ir.VectorType(F32, width)
        self.ints = ir.VectorType(I32, width)

    def constant(self, value: float) -> Any:
        """Return a vector with one value in every lane."""
        return ir.Constant(self.vector, [float(value)] * self.width)

    def int_constant(self, value: int) -> Any:
        """Return an integer vector with one value in every lane."""
        return ir.Constant(self.ints, [value] * self.width)

    def load(self, address: Any, align: int = 4) -> Any:
        """Load a vector from an integer address."""
        return self.b.load(self.b.inttoptr(address, self.vector.as_pointer()), align=align)

    def store(self, value: Any, address: Any, align: int = 4) -> None:
        """Store a vector at an address."""
        self.b.store(value, self.b.inttoptr(address, value.type.as_pointer()), align=align)

    def load_ints(self, address: Any) -> Any:
        """Load an integer vector from an address."""
        return self.b.load(self.b.inttoptr(address, self.ints.as_pointer()), align=4)

    def load_address(self, table: Any, index: int) -> Any:
        """Load entry `index` of a table of addresses."""
        return self.b.load(self.b.inttoptr(self.offset(table, 8 * index), I64.as_pointer()), align=8)

    def broadcast(self, address: Any) -> Any:
        """Load one float and put it in every lane."""
        return self.splat(self.b.load(self.b.inttoptr(address, F32.as_pointer()), align=4))

    def splat(self, scalar: Any) -> Any:
        """Put one float in every lane."""
        first = self.b.insert_element(ir.Constant(self.vector, ir.Undefined), scalar, I32(0))
        return self.b.shuffle_vector(first, first, ir.Constant(self.ints, [0] * self.width))

    def offset(self, address: Any, size: int) -> Any:
        """Return an address `size` bytes on."""
        return self.b.add(address, I64(size)) if size else address

    def call(self, name: str, *arguments: Any) -> Any:
        """Call an LLVM intrinsic that is overloaded on the vector type, such as `llvm.fma`."""
        kind = ir.FunctionType(self.vector, [self.vector] * len(arguments))
        module = self.b.module
        full = f"{name}.v{self.width}f32"
        function = module.globals.get(full) or ir.Function(module, kind, full)
        return self.b.call(function, arguments)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        """Return x * y + z, with one rounding if the processor has the instruction."""
        return self.call("llvm.fmuladd", x, y, z)

    def shuffle(self, x: Any, y: Any, lanes: list[int]) -> Any:
        """Return the lanes of x followed by y at the given positions."""
        return self.b.shuffle_vector(x, y, ir.Constant(ir.VectorType(I32, len(lanes)), lanes))

    def horizontal_sums(self, vectors: list[Any]) -> Any:
        """Sum each of up to `width` vectors over its lanes; lane i of the result is the sum of vector i.

        A butterfly: two vectors fold into one. Lanes l with bit s = 0 hold sums of the first vector over lanes l and
        l + s, the other lanes those of the second; then s doubles. A fold is a blend and one shuffle rather than two
        shuffles, because processors have a single port for shuffles.
        """
        level = vectors + [None] * (self.width - len(vectors))
        s = 1
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=True)
            level = [self._fold(x, y, s) for x, y in pairs]
            s *= 2
        return level[0]

    def _fold(self, x: Any, y: Any, s: int) -> Any:
        if x is None:
            return None
        lanes = range(self.width)
        if y is None:
            return self.b.fadd(x, self.shuffle(x, x, [lane ^ s for lane in lanes]))
        own = self.shuffle(x, y, [lane + self.width * bool(lane & s) for lane in lanes])
        across = self.shuffle(x, y, [(lane ^ s) + self.width * bool(lane & s) for lane in lanes])
        return self.b.fadd(own, across)

    def exp(self, x: Any) -> Any:
        """Return e^x to float32 accuracy, |x| <= 80: 2^n by the exponent bits, 2^f by its Taylor series, |f| <= 1/2."""
        ln2, magic = 0.6931471805599453, 12582912.0  # adding 1.5 * 2^23 rounds to a whole number in the low bits
        t = self.b.fmul(x, self.constant(1 / ln2))
        rounded = self.b.fadd(t, self.constant(magic))
        f = self.b.fsub(t, self.b.fsub(rounded, self.constant(magic)))
        coefficients = [1.0]
        for k in range(1, 7):
            coefficients.append(coefficients[-1] * ln2 / k)
        series = self.constant(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            series = self.fma(series, f, self.constant(c))
        # The low bits of `rounded` hold n; moved to the exponent's place they multiply the series by 2^n.
        n = self.b.shl(self.b.bitcast(rounded, self.ints), self.int_constant(23))
        return self.b.bitcast(self.b.add(self.b.bitcast(series, self.ints), n), self.vector)

    def reciprocal_root(self, x: Any) -> Any:
        """Return 1 / sqrt(x), x > 0, within a few units of the last place; by estimate and Newton step if that pays."""
        kind = ir.FunctionType(self.vector, [self.vector])
        name = f"llvm.sqrt.v{self.width}f32"
        function = self.b.module.globals.get(name) or ir.Function(self.b.module, kind, name)
        root = self.b.call(function, [x], fastmath=("fast",))
        return self.b.fdiv(self.constant(1), root, flags=("fast",))

    def select(self, condition: Any, x: Any, y: Any) -> Any:
        """Return x where the condition holds and y elsewhere."""
        return self.b.select(condition, x, y)

    def when(self, condition: Any, carried: list[Any], body: Callable[[list[Any]], list[Any]]) -> list[Any]:
        """Emit code that runs if a condition holds, with values carried in registers.

        Args:
            condition: an i1 value.
            body: takes the values, emits code, returns the new values.

        Returns:
            The new values, or those before where the condition does not hold.
        """
        b = self.b
        before = b.block
        then, end = b.append_basic_block("then"), b.append_basic_block("end")
        b.cbranch(condition, then, end)
        b.position_at_end(then)
        values = body(list(carried))  # a copy: `body` may change it
        after = b.block
        b.branch(end)
        b.position_at_end(end)
        phis = []
        for old, new in zip(carried, values, strict=True):
            phi = b.phi(old.type)
            phi.add_incoming(old, before)
            phi.add_incoming(new, after)
            phis.append(phi)
        return phis

    def loop(self, count: Any, carried: list[Any], body: Callable[[Any, list[Any]], list[Any]]) -> list[Any]:
        """Emit `for i in range(count)` with values carried in registers; count must be at least one.

        Args:
            count: an i64 value.
            carried: the values before the first turn.
            body: takes (i, values), emits one turn, returns the new values.

        Returns:
            The values after the last turn.
        """
        b = self.b
        before = b.block
        start, end = b.append_basic_block("loop"), b.append_basic_block("done")
        b.branch(start)
        b.position_at_end(start)
        i = b.phi(I64)
        i.add_incoming(I64(0), before)
        phis = []
        for value in carried:
            phi = b.phi(value.type)
            phi.add_incoming(value, before)
            phis.append(phi)
        results = body(i, list(phis))
        next_i = b.add(i, I64(1))
        i.add_incoming(next_i, b.block)
        for phi, value in zip(phis, results, strict=True):
            phi.add_incoming(value, b.block)
        b.cbranch(b.icmp_signed("<", next_i, count), start, end)
        b.position_at_end(end)
        return results

    def prefetch(self, address: Any, *, write: bool = True) -> None:
        """Prefetch a cache line for reading and, unless `write` is false, for writing."""
        module, name = self.b.module, "llvm.prefetch.p0"
        pointer = I8.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, I32, I32, I32])
        function = module.globals.get(name) or ir.Function(module, kind, name)
        # (address, for writing, into all cache levels, data)
        self.b.call(function, [self.b.inttoptr(address, pointer), I32(int(write)), I32(3), I32(1)])


@contextmanager
def cases(builder: Any, value: Any, choices: range) -> Iterator[Callable[[int], Any]]:
    """Emit a switch on `value`; inside, `case(k)` positions the builder in the branch for k.

    Yields:
        A function that starts the branch of one choice; each branch ends by itself at the common exit.
    """
    exit_block = builder.append_basic_block("after")
    switch = builder.switch(value, exit_block)
    choices_so_far: list[int] = []

    def case(k: int) -> None:
        if choices_so_far:
            builder.branch(exit_block)
        block = builder.append_basic_block(f"case{k}")
        switch.add_case(ir.Constant(value.type, k), block)
        builder.position_at_end(block)
        choices_so_far.append(k)

    yield case
    builder.branch(exit_block)
    builder.position_at_end(exit_block)
