"""From a window of words to the rows of the step kernels.

A model's epoch kernel lists the addresses of the hidden rows and of the output rows in tables and takes a step. The
tables and all buffers are NumPy arrays that the caller keeps alive (`Workspace`). Functions take their addresses as
plain integers (`Addresses`), which need no reference counting.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.exponentials import compile_exponentials
from firth.kernels.memory import get_int64, get_uint8, set_float32, set_int64
from firth.kernels.native_calls import prefetch_row
from firth.kernels.random import below, draw
from firth.kernels.rows import aligned_rows, own_lines
from firth.kernels.step import (
    call_rows,
    call_score,
    call_update,
    coefficient_floats,
    compile_kernels,
    new_likelihood,
    new_signs,
)
from firth.kernels.step_emission import MOST_HIDDEN, MOST_PADDING, WIDTH
from firth.kernels.windows import LONGEST


class Workspace(NamedTuple):
    """One thread's workspace for the output rows of one centre and K noise words."""

    sentence: npt.NDArray[np.int64]  # (LONGEST + 1 + window,) words that survived subsampling
    noise: npt.NDArray[np.int64]  # (slots, K) sets of noise words in use at one time
    contexts: npt.NDArray[np.int64]  # (2 window,) row addresses
    targets: npt.NDArray[np.int64]  # (2 window,) row addresses: where gradients go if rows are frozen
    outputs: npt.NDArray[np.int64]  # (1 + K + padding,) row addresses: centre, noise, zeros
    signs: npt.NDArray[np.float32]  # (1 + K + padding,)
    shifts: npt.NDArray[np.float32]  # (1 + K + padding,) of models with a normaliser
    likelihood: npt.NDArray[np.float32]  # (2 WIDTH,) the running product, from new_likelihood
    exponents: npt.NDArray[np.int32]  # (WIDTH,) its second half, as integers
    coefficients: npt.NDArray[np.float32]
    rows: npt.NDArray[np.float32]  # (4, P): zeros for the padding; the mean of CBOW; its gradient; lost gradients
    row_tables: npt.NDArray[np.int64]  # (4,) their addresses


class Addresses(NamedTuple):
    """The addresses and sizes of a workspace, as integers."""

    score: int  # kernels
    update: int
    mean: int
    add: int
    inputs: int  # the first input row
    outputs: int  # the first output row
    row_bytes: int
    output_bytes: int
    chunks: int  # vectors per row
    zeros: int  # a row of zeros
    n: int  # output rows per step: 1 + K
    contexts: int  # tables
    targets: int
    table: int
    signs: int
    shifts: int
    coefficients: int
    likelihood: int
    hidden: int  # CBOW's mean, and the table of one that holds its address
    hidden_table: int
    gradient: int
    gradient_table: int
    lost: int  # a row that receives the gradients of frozen rows, and that nothing reads
    frozen: int  # uint8 for each input row, 1 if it is frozen; 0 if none is
    exponentials: int  # kernels of `firth.kernels.exponentials`, or 0
    pull: int


def new_workspace(
    window: int, negative: int, slots: int, width: int, *, outputs: int = 0, contexts: int = 0
) -> Workspace:
    """Return an empty workspace.

    Args:
        negative: K noise words per step.
        slots: sets of noise words in use at one time.
        width: P, float32 numbers per row.
        outputs: maximum number of output rows per step, if above 1 + K.
        contexts: maximum number of input rows per step, if above 2 `window`.
    """
    most = max(outputs, negative + 1)
    rows, likelihood = aligned_rows(4, width), new_likelihood()
    row_tables = rows.ctypes.data + np.arange(4, dtype=np.int64) * width * 4
    table = own_lines(most + MOST_PADDING, np.int64)
    table[:] = row_tables[0]
    return Workspace(
        sentence=own_lines(LONGEST + 1 + window, np.int64),
        noise=own_lines(slots * negative, np.int64).reshape(slots, negative),
        contexts=own_lines(max(contexts, 2 * window), np.int64),
        targets=own_lines(max(contexts, 2 * window), np.int64),
        outputs=table,
        signs=new_signs(most),
        shifts=own_lines(most + MOST_PADDING + WIDTH, np.float32),
        likelihood=likelihood,
        exponents=likelihood[WIDTH:].view(np.int32),
        coefficients=own_lines(coefficient_floats(most), np.float32),
        rows=rows,
        row_tables=row_tables,
    )


def addresses(
    work: Workspace,
    inputs: npt.NDArray[np.float32],
    outputs: npt.NDArray[np.float32],
    *,
    dim: int | None = None,
    normalised: bool = False,
    frozen: npt.NDArray[np.uint8] | None = None,
) -> Addresses:
    """Return the addresses of a workspace, of two matrices of rows, and of this processor's kernels.

    Args:
        work: the workspace; the caller keeps it and all arrays alive as long as the addresses are used.
        inputs: (R, P) float32 from `aligned_rows`.
        outputs: (O, Q) float32 from `aligned_rows`.
        dim: numbers of a row without padding; None for all.
        normalised: whether to compile the kernels of `firth.kernels.exponentials`.
        frozen: (R,) 1 for input rows that training leaves as they are; None if it trains all.
    """
    extra = compile_exponentials(WIDTH)._asdict() if normalised else {"exponentials": 0, "pull": 0}
    tables = work.row_tables.ctypes.data
    return Addresses(
        **compile_kernels(WIDTH)._asdict(),
        **extra,
        inputs=inputs.ctypes.data,
        outputs=outputs.ctypes.data,
        row_bytes=4 * inputs.shape[1],
        output_bytes=4 * outputs.shape[1],
        zeros=int(work.row_tables[0]),
        chunks=-(-(dim or inputs.shape[1]) // WIDTH),
        n=work.noise.shape[1] + 1,
        contexts=work.contexts.ctypes.data,
        targets=work.targets.ctypes.data,
        table=work.outputs.ctypes.data,
        signs=work.signs.ctypes.data,
        shifts=work.shifts.ctypes.data,
        coefficients=work.coefficients.ctypes.data,
        likelihood=work.likelihood.ctypes.data,
        hidden=int(work.row_tables[1]),
        hidden_table=tables + 8,
        gradient=int(work.row_tables[2]),
        gradient_table=tables + 16,
        lost=int(work.row_tables[3]),
        frozen=0 if frozen is None else frozen.ctypes.data,
    )


@njit(nogil=True, inline="always")
def draw_reach(random: npt.NDArray[np.uint64], window: int, shrink: bool) -> int:
    """Return the number of words on each side of a window: from 1 to `window` at random, or `window`."""
    return window - below(draw(random), window) if shrink else window


@njit(nogil=True, inline="always")
def fetch_rows(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    t: int,  # a later window
    window: int,
    count: int,  # words in the sentence
    at: Addresses,
) -> None:
    """Prefetch the rows that window t is the first to use: its centre's output row, its last word's input row."""
    prefetch_row(at.outputs + sentence[t] * at.output_bytes, at.output_bytes)
    if t + window < count:
        prefetch_row(at.inputs + sentence[t + window] * at.row_bytes, at.row_bytes)


@njit(nogil=True, inline="always")
def gather_contexts(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling, with room for `window` more
    t: int,  # the centre's position
    before: int,  # context words before the centre
    after: int,  # context words after it
    window: int,  # maximum of either
    contexts: npt.NDArray[np.int64],  # (2 window,) receives row addresses
    at: Addresses,
) -> int:
    """List the input rows of the words around a centre; return their number."""
    # Loops of constant length: a mispredicted loop end costs more than the extra turns. Their entries are overwritten
    # or lie after the last one in use.
    for j in range(window):
        contexts[j] = at.inputs + sentence[t - before + j] * at.row_bytes
    for j in range(window):
        contexts[before + j] = at.inputs + sentence[t + 1 + j] * at.row_bytes
    return before + after


@njit(nogil=True, inline="always")
def place_outputs(
    centre: int,
    sets: npt.NDArray[np.int64],  # (slots, K) noise words
    slot: int,  # the set to use
    table: npt.NDArray[np.int64],  # (1 + K + padding,) receives row addresses
    signs: npt.NDArray[np.float32],  # (1 + K + padding,) receives signs from entry 1
    at: Addresses,
) -> None:
    """List the output rows of a centre and its noise words; noise equal to the centre has sign 0."""
    table[0] = at.outputs + centre * at.output_bytes
    for k in range(sets.shape[1]):
        word = sets[slot, k]
        table[k + 1] = at.outputs + word * at.output_bytes
        signs[k + 1] = 0.0 if word == centre else -1.0


@njit(nogil=True, inline="always")
def target_rows(rows: int, m: int, at: Addresses) -> int:
    """Return a table of rows that receive the gradients of m listed input rows: the same unless some are frozen."""
    return rows if at.frozen == 0 else _without_frozen(rows, m, at)


@njit(nogil=True)
def _without_frozen(rows: int, m: int, at: Addresses) -> int:
    for i in range(m):
        row = get_int64(rows, i)
        set_int64(at.targets, i, at.lost if is_frozen(row, at) else row)
    return at.targets


@njit(nogil=True, inline="always")
def is_frozen(row: int, at: Addresses) -> bool:
    """Return whether the input row at an address is frozen; some are."""
    return get_uint8(at.frozen, (row - at.inputs) // at.row_bytes) != 0


@njit(nogil=True, inline="always")
def step(hidden: int, targets: int, m: int, rate: np.float32, at: Addresses) -> None:
    """Take one step of m hidden rows against the listed output rows; `targets` lists the rows that gradients update."""
    step_listed(hidden, targets, m, at.n, rate, at)


@njit(nogil=True, inline="always")
def step_listed(hidden: int, targets: int, m: int, n: int, rate: np.float32, at: Addresses) -> None:
    """Take one step of m hidden rows against the first n listed output rows; padding must follow them."""
    call_score(at.score, hidden, m, at.table, n, at.chunks, at.coefficients, at.signs, at.likelihood, rate)
    call_update(at.update, hidden, targets, m, at.table, n, at.chunks, at.coefficients)


@njit(nogil=True, inline="always")
def step_window(m: int, rate: np.float32, at: Addresses) -> None:
    """Skip-gram: m context rows against the same outputs, in blocks of the kernel's size."""
    targets = target_rows(at.contexts, m, at)
    for first in range(0, m, MOST_HIDDEN):
        step(at.contexts + 8 * first, targets + 8 * first, min(MOST_HIDDEN, m - first), rate, at)


@njit(nogil=True, inline="always")
def combine(m: int, mean: bool, scale: float, at: Addresses) -> None:
    """CBOW: write the mean or the sum of m context rows, times a scale, as the hidden row."""
    call_rows(at.mean, at.contexts, m, at.hidden, at.chunks, np.float32(scale / m if mean else scale))


@njit(nogil=True, inline="always")
def scatter(m: int, divide: bool, scale: float, at: Addresses) -> None:
    """CBOW: add the hidden row's gradient, times a scale, to each context row; or 1/m of it."""
    targets = target_rows(at.contexts, m, at)
    call_rows(at.add, targets, m, at.gradient, at.chunks, np.float32(scale / m if divide else scale))


@njit(nogil=True, inline="always")
def place_output(at: Addresses, entry: int, row: int, sign: float) -> None:
    """List an output row: +1 for a true pair, -1 for noise, 0 for one that takes no part."""
    set_int64(at.table, entry, at.outputs + row * at.output_bytes)
    set_float32(at.signs, entry, np.float32(sign))


@njit(nogil=True, inline="always")
def place_prediction(
    at: Addresses,
    entry: int,  # the first free entry
    word: int,
    shift: int,  # bytes from the beginning of an output row to the part that is meant
    sets: npt.NDArray[np.int64],  # (slots, most) noise words
    used: int,  # the set to use
    first: int,  # where the word's own noise begins in the set
    negative: int,  # K
) -> int:
    """List a word and its K noise words, of which those that are the word take no part; return the next free entry."""
    row = at.outputs + shift
    set_int64(at.table, entry, row + word * at.output_bytes)
    set_float32(at.signs, entry, np.float32(1))
    for k in range(negative):
        noise = sets[used, first + k]
        set_int64(at.table, entry + 1 + k, row + noise * at.output_bytes)
        set_float32(at.signs, entry + 1 + k, np.float32(0 if noise == word else -1))
    return entry + 1 + negative


@njit(nogil=True, inline="always")
def end_outputs(at: Addresses, n: int) -> None:
    """Close a list of n output rows with the padding that kernels read."""
    for i in range(MOST_PADDING):
        set_int64(at.table, n + i, at.zeros)
    for i in range(MOST_PADDING + WIDTH):
        set_float32(at.signs, n + i, np.float32(0))
