"""Kernels for models with a normaliser: exponentials of scores, and updates of one side only.

What: `exponentials` writes e^(x_m . o_n - b_n) where `score` writes coefficients; a softmax or posterior needs only
sums. `pull` is `update` with fixed outputs, for inference on a new document.

Objective: none; `firth.kernels.objectives` turns exponentials into the coefficients of `update`.

Source: Bengio and Senecal 2003, "Quick training of probabilistic neural nets by importance sampling", section 3, for
the correction b_n; see `firth.kernels.step` for everything shared.

Departures: scores are cut at +-60 before the exponential, as in `step`, and no maximum is subtracted: e^60 is finite in
float32, and so is a sum of 10^12 of them.

Cost: as `score` and `update`. The kernels are compiled once per processor, when the first such model trains.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from firth.kernels import step, vector_ir
from firth.kernels.native import compile_functions
from firth.kernels.native_calls import calling
from firth.kernels.step import CLAMP, UPDATE, UPDATE_KIND
from firth.kernels.step_emission import MOST_HIDDEN, WIDTH, emit_by_hidden, emit_score, emit_update, layout
from firth.kernels.vector_ir import I64, Emitter

EXPONENTIALS = ("hidden", "m", "outputs", "n", "chunks", "coefficients", "signs")  # `signs` holds the b_n
EXPONENTIALS_KIND = ir.FunctionType(ir.VoidType(), [I64] * 7)
LAYOUTS = [(1, 1), *(layout(m, WIDTH) for m in range(1, MOST_HIDDEN + 1))]
TOGETHER = np.array([rows for rows, _ in LAYOUTS])  # by the number of hidden rows
BLOCK = np.array([WIDTH * vectors for _, vectors in LAYOUTS])


class Exponentials(NamedTuple):
    """Addresses of compiled kernels; see `call_exponentials` and `firth.kernels.step.call_update`."""

    exponentials: int
    pull: int


@functools.cache
def compile_exponentials(width: int) -> Exponentials:
    """Return the kernels for vectors of `width` lanes: 16, 8 or 4, as the processor supports."""
    sources = (__file__, step.__file__, vector_ir.__file__)
    code = compile_functions(
        f"exponentials{width}", Exponentials._fields, lambda module: _emit_all(module, width), sources
    )
    return Exponentials(**code)


def _emit_all(module: ir.Module, width: int) -> None:
    emit_by_hidden(
        module,
        width,
        "exponentials",
        EXPONENTIALS_KIND,
        EXPONENTIALS,
        lambda e, m, a: emit_score(e, m, a, _exponential),
    )
    emit_by_hidden(
        module, width, "pull", UPDATE_KIND, UPDATE, lambda e, m, a: emit_update(e, m, a, train_outputs=False)
    )


def _exponential(e: Emitter, scores: Any, shift: Any, _: dict[str, Any]) -> Any:
    z = e.b.fsub(scores, shift)
    return e.exp(e.call("llvm.maxnum", e.call("llvm.minnum", z, e.constant(CLAMP)), e.constant(-CLAMP)))


@intrinsic
def call_exponentials(
    context: Any, kernel: Any, hidden: Any, m: Any, outputs: Any, n: Any, chunks: Any, coefficients: Any, shifts: Any
) -> Any:
    """Call an `exponentials` kernel: write e^(x_m . o_n - b_n) at the indices that `index_of` returns.

    Every argument is an int64: an address, or a count.

    Args:
        kernel: the address of `exponentials`.
        hidden: see `firth.kernels.step.call_score`.
        m: see `firth.kernels.step.call_score`.
        outputs: see `firth.kernels.step.call_score`.
        n: see `firth.kernels.step.call_score`.
        chunks: see `firth.kernels.step.call_score`.
        coefficients: see `firth.kernels.step.call_score`.
        shifts: b_n, N float32, followed by numbers that may be read.
    """

    def generate(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return calling(EXPONENTIALS_KIND, values, builder)

    return types.int64(*[types.int64] * 8), generate


@njit(nogil=True, inline="always")
def index_of(n: int, k: int, m: int) -> int:
    """Return the index of the coefficient of output row n and hidden row k of m."""
    together = TOGETHER[m]
    return n // together * BLOCK[m] + n % together * m + k
