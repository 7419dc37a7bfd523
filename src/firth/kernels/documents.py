"""Trains on one piece of a document: shared by training and inference of paragraph vectors.

A document has a row like a word. `firth.embeddings.paragraph` has the formulas of the modes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import draw_ahead, draw_alias, next_set
from firth.kernels.objectives import NEGATIVE, Predictor, place_path
from firth.kernels.positions import gather_positions, join_rows, split_gradient
from firth.kernels.random import draw
from firth.kernels.step import call_rows
from firth.kernels.step_emission import MOST_HIDDEN, WIDTH
from firth.kernels.targets import (
    Addresses,
    Workspace,
    addresses,
    draw_reach,
    end_outputs,
    fetch_rows,
    gather_contexts,
    new_workspace,
    place_outputs,
    place_prediction,
    step_listed,
)

DBOW, WORDS, MEAN, SUM, CONCATENATE = range(5)
BLOCK = 8  # words of a document that DBOW predicts per step
AHEAD = 2  # windows between drawing noise words and using them: time to prefetch their rows


class Reading(NamedTuple):
    """Options of reading a document, as plain numbers."""

    mode: int  # DBOW, WORDS, MEAN, SUM or CONCATENATE
    window: int  # words on each side
    shrink: bool  # whether a window's size is drawn from 1 to `window`
    shared: int  # consecutive windows with the same noise
    negative: int  # K noise words per prediction
    frozen: bool  # whether only the document's row is trained


def width_of(mode: int, window: int) -> int:
    """Return the number of rows that the hidden row concatenates."""
    return 2 * window + 1 if mode == CONCATENATE else 1


def document_work(reading: Reading, row: int, most_outputs: int) -> Workspace:
    """Return an empty workspace.

    Args:
        row: P, float32 numbers per row of a word or document.
        most_outputs: maximum number of output rows per prediction.
    """
    dbow = reading.mode == DBOW
    return new_workspace(
        reading.window,
        reading.negative * (BLOCK if dbow else 1),
        2 if dbow else AHEAD // reading.shared + 2,
        row * width_of(reading.mode, reading.window),
        outputs=most_outputs * (BLOCK if dbow else 1),
        contexts=2 * reading.window + 1,
    )


def document_addresses(
    work: Workspace, inputs: npt.NDArray[np.float32], outputs: npt.NDArray[np.float32], reading: Reading
) -> tuple[Addresses, Addresses]:
    """Return the addresses of a workspace for input rows, and for rows as wide as the outputs.

    Args:
        work: from `document_work`; the caller keeps it and both matrices alive.
        inputs: (R, P) from `aligned_rows`.
        outputs: (O, Q) from `aligned_rows`.
    """
    at = addresses(work, inputs, outputs, normalised=reading.frozen)
    if reading.frozen:
        at = at._replace(update=at.pull)
    return at, at._replace(chunks=outputs.shape[1] // WIDTH)


@njit(nogil=True, inline="always")
def read_piece(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    count: int,  # their number
    document: int,  # the address of the document's row
    rate: np.float32,
    reading: Reading,
    predictor: Predictor,
    at: Addresses,
    wide: Addresses,  # the same for steps of rows as wide as the outputs
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    sets: npt.NDArray[np.int64],  # (slots, K) noise words, or (slots, BLOCK K)
    contexts: npt.NDArray[np.int64],  # (2 window + 1,) receives row addresses
    table: npt.NDArray[np.int64],  # receives row addresses of outputs
    signs: npt.NDArray[np.float32],  # receives their signs
) -> int:
    """Train a document's row on up to LONGEST of its words; return the number of predictions."""
    predictions = 0
    if reading.mode == DBOW:
        contexts[0] = document
        if predictor.kind == NEGATIVE:
            filled = 1
            for first in range(-BLOCK, count, BLOCK):
                current, ahead = filled, first + BLOCK
                if ahead < count:
                    filled = 1 - filled
                    draw_block(
                        sentence, ahead, min(BLOCK, count - ahead), reading.negative, noise, random, sets, filled, at
                    )
                if first >= 0:
                    size = min(BLOCK, count - first)
                    n = place_block(sentence, first, size, reading.negative, sets, current, at)
                    step_listed(at.contexts, at.contexts, 1, n, rate, at)
        else:
            for t in range(count):
                n = place_path(predictor, at, sentence[t])
                if n > 0:
                    step_listed(at.contexts, at.contexts, 1, n, rate, at)
        predictions = count
    else:
        window, shared = reading.window, reading.shared
        filled = current = len(sets) - 1  # the noise sets last drawn and in use; below, the windows remaining to each
        due = remaining = 0
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count and predictor.kind == NEGATIVE:
                filled, due = draw_ahead(noise, random, sets, filled, due, shared, reading.shrink, at)
                fetch_rows(sentence, ahead, window, count, at)
            if t < 0:
                continue
            current, remaining = next_set(current, remaining, len(sets), shared)
            reach = draw_reach(random, window, reading.shrink)
            before, after = min(reach, t), min(reach, count - 1 - t)
            if reading.mode == CONCATENATE:
                gather_positions(sentence, t, before, after, window, contexts, at)
                m = 2 * window
            else:
                m = gather_contexts(sentence, t, before, after, window, contexts, at)
            contexts[m] = document
            n = reading.negative + 1
            if predictor.kind == NEGATIVE:
                place_outputs(sentence[t], sets, current, table, signs, at)
            else:
                n = place_path(predictor, at, sentence[t])
            if n > 0:
                predict_from(m, n, rate, reading, at, wide)
            predictions += m + 1 if reading.mode == WORDS else 1
    return predictions


@njit(nogil=True, inline="always")
def predict_from(m: int, n: int, rate: np.float32, reading: Reading, at: Addresses, wide: Addresses) -> None:
    """Take one step of m listed context rows and the document's row after them against n listed output rows."""
    first = m if reading.frozen else 0  # the first trained row
    rows, size = at.contexts + 8 * first, m + 1 - first
    if reading.mode == WORDS:
        for k in range(0, size, MOST_HIDDEN):
            step_listed(rows + 8 * k, rows + 8 * k, min(MOST_HIDDEN, size - k), n, rate, at)
    elif reading.mode == CONCATENATE:
        join_rows(at.contexts, m + 1, at)
        step_listed(at.hidden_table, at.gradient_table, 1, n, rate, wide)
        split_gradient(at.contexts, first, m + 1, at)
    else:
        share = np.float32(1 / (m + 1)) if reading.mode == MEAN else np.float32(1)
        call_rows(at.mean, at.contexts, m + 1, at.hidden, at.chunks, share)
        step_listed(at.hidden_table, at.gradient_table, 1, n, rate, at)
        call_rows(at.add, rows, size, at.gradient, at.chunks, np.float32(1))


@njit(nogil=True, inline="always")
def draw_block(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    first: int,  # the block's first word
    size: int,  # its words
    negative: int,  # K
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    sets: npt.NDArray[np.int64],  # (slots, BLOCK K) noise words
    slot: int,  # the set to fill
    at: Addresses,
) -> None:
    """Draw the noise words of a block of words and prefetch all their rows."""
    for i in range(size):
        prefetch_row(at.outputs + sentence[first + i] * at.output_bytes, at.output_bytes)
    for k in range(size * negative):
        word = draw_alias(noise, draw(random))
        sets[slot, k] = word
        prefetch_row(at.outputs + word * at.output_bytes, at.output_bytes)


@njit(nogil=True, inline="always")
def place_block(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    first: int,  # the block's first word
    size: int,  # its words
    negative: int,  # K
    sets: npt.NDArray[np.int64],  # (slots, BLOCK K) noise words
    current: int,  # the set to use
    at: Addresses,
) -> int:
    """List each word of a block and its K noise words; return the number of rows."""
    n = 0
    for i in range(size):
        n = place_prediction(at, n, sentence[first + i], 0, sets, current, i * negative, negative)
    end_outputs(at, n)
    return n
