"""One piece of a document is read: the brick that training and inference of paragraph vectors share.

A document has a row like a word's. `firth.embeddings.paragraph` has the formulas of the modes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import draw_alias
from firth.kernels.objectives import NEGATIVE, Predictor, end_outputs, place_path, place_prediction
from firth.kernels.positions import gather_places, join_rows, split_gradient
from firth.kernels.random import below, draw
from firth.kernels.step import call_rows
from firth.kernels.step_emission import MOST_HIDDEN, WIDTH
from firth.kernels.targets import (
    Addresses,
    Work,
    addresses,
    draw_noise,
    fetch_rows,
    following,
    gather_contexts,
    new_work,
    place_outputs,
    step_listed,
)

DBOW, WORDS, MEAN, SUM, CONCATENATE = range(5)
BLOCK = 8  # words of a document that DBOW predicts in one step
AHEAD = 2  # windows between the drawing of noise words and their use, so that their rows can be fetched meanwhile


class Reading(NamedTuple):
    """How a document is read; plain numbers, which cost nothing to pass on."""

    mode: int  # DBOW, WORDS, MEAN, SUM or CONCATENATE
    window: int  # words a side
    shrink: bool  # whether a window's reach is drawn from 1 to `window`
    shared: int  # windows in a row with the same noise
    negative: int  # K noise words a prediction
    frozen: bool  # whether the document's row alone is trained


def width_of(mode: int, window: int) -> int:
    """Return how many rows stand side by side in the hidden row."""
    return 2 * window + 1 if mode == CONCATENATE else 1


def document_work(how: Reading, row: int, most_outputs: int) -> Work:
    """Return an empty workspace.

    Args:
        how: how documents will be read.
        row: P, float32 numbers of a word's or document's row.
        most_outputs: the most output rows of one prediction.
    """
    dbow = how.mode == DBOW
    return new_work(
        how.window,
        how.negative * (BLOCK if dbow else 1),
        2 if dbow else AHEAD // how.shared + 2,
        row * width_of(how.mode, how.window),
        outputs=most_outputs * (BLOCK if dbow else 1),
        contexts=2 * how.window + 1,
    )


def document_addresses(
    work: Work, inputs: npt.NDArray[np.float32], outputs: npt.NDArray[np.float32], how: Reading
) -> tuple[Addresses, Addresses]:
    """Return the addresses of a workspace for rows, and for rows as wide as those of the outputs.

    Args:
        work: from `document_work`, kept alive by the caller.
        inputs: (R, P) from `aligned_rows`, likewise.
        outputs: (O, Q) from `aligned_rows`, likewise.
        how: how documents will be read.
    """
    at = addresses(work, inputs, outputs, normalised=how.frozen)
    if how.frozen:
        at = at._replace(update=at.pull)
    return at, at._replace(chunks=outputs.shape[1] // WIDTH)


@njit(nogil=True, inline="always")
def read_piece(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    count: int,  # how many
    document: int,  # the address of the document's row
    rate: np.float32,
    how: Reading,
    by: Predictor,
    at: Addresses,
    joined: Addresses,  # the same for steps of rows as wide as the outputs
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    sets: npt.NDArray[np.int64],  # (slots, K) noise words, or (slots, BLOCK K)
    contexts: npt.NDArray[np.int64],  # (2 window + 1,) receives row addresses
    table: npt.NDArray[np.int64],  # receives row addresses of outputs
    signs: npt.NDArray[np.float32],  # receives their signs
) -> int:
    """Train a document's row on up to LONGEST of its words; return how many predictions were made."""
    made = 0
    if how.mode == DBOW:
        contexts[0] = document
        if by.kind == NEGATIVE:
            drawn = 1
            for first in range(-BLOCK, count, BLOCK):
                used, ahead = drawn, first + BLOCK
                if ahead < count:
                    drawn = 1 - drawn
                    draw_block(sentence, ahead, min(BLOCK, count - ahead), how.negative, noise, random, sets, drawn, at)
                if first >= 0:
                    size = min(BLOCK, count - first)
                    n = place_block(sentence, first, size, how.negative, sets, used, at)
                    step_listed(at.contexts, at.contexts, 1, n, rate, at)
        else:
            for t in range(count):
                n = place_path(by, at, sentence[t])
                if n > 0:
                    step_listed(at.contexts, at.contexts, 1, n, rate, at)
        made = count
    else:
        window, shared = how.window, how.shared
        drawn = used = len(sets) - 1  # the sets of noise words last drawn and in use, and the windows left to each
        due = left = 0
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count and by.kind == NEGATIVE:
                if due == 0:
                    drawn, due = following(drawn, len(sets)), shared
                    draw_noise(noise, random, sets, drawn, at, shared if how.shrink else 0)
                due -= 1
                fetch_rows(sentence, ahead, window, count, at)
            if t < 0:
                continue
            if left == 0:
                used, left = following(used, len(sets)), shared
            left -= 1
            reach = window - below(draw(random), window) if how.shrink else window
            before, after = min(reach, t), min(reach, count - 1 - t)
            if how.mode == CONCATENATE:
                gather_places(sentence, t, before, after, window, contexts, at)
                m = 2 * window
            else:
                m = gather_contexts(sentence, t, before, after, window, contexts, at)
            contexts[m] = document
            n = how.negative + 1
            if by.kind == NEGATIVE:
                place_outputs(sentence[t], sets, used, table, signs, at)
            else:
                n = place_path(by, at, sentence[t])
            if n > 0:
                predict_from(m, n, rate, how, at, joined)
            made += m + 1 if how.mode == WORDS else 1
    return made


@njit(nogil=True, inline="always")
def predict_from(m: int, n: int, rate: np.float32, how: Reading, at: Addresses, joined: Addresses) -> None:
    """Take one step of m listed context rows and the document's, which follows them, against n listed output rows."""
    first = m if how.frozen else 0  # of the rows that are trained
    rows, size = at.contexts + 8 * first, m + 1 - first
    if how.mode == WORDS:
        for k in range(0, size, MOST_HIDDEN):
            step_listed(rows + 8 * k, rows + 8 * k, min(MOST_HIDDEN, size - k), n, rate, at)
    elif how.mode == CONCATENATE:
        join_rows(at.contexts, m + 1, at)
        step_listed(at.hidden_table, at.gradient_table, 1, n, rate, joined)
        split_gradient(at.contexts, first, m + 1, at)
    else:
        share = np.float32(1 / (m + 1)) if how.mode == MEAN else np.float32(1)
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
    place: int,  # the set to fill
    at: Addresses,
) -> None:
    """Draw the noise words of a block of words, and ask for the rows of all."""
    for i in range(size):
        prefetch_row(at.outputs + sentence[first + i] * at.output_bytes, at.output_bytes)
    for k in range(size * negative):
        word = draw_alias(noise, draw(random))
        sets[place, k] = word
        prefetch_row(at.outputs + word * at.output_bytes, at.output_bytes)


@njit(nogil=True, inline="always")
def place_block(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    first: int,  # the block's first word
    size: int,  # its words
    negative: int,  # K
    sets: npt.NDArray[np.int64],  # (slots, BLOCK K) noise words
    used: int,  # the set to use
    at: Addresses,
) -> int:
    """List each word of a block and its K noise words; return how many rows."""
    n = 0
    for i in range(size):
        n = place_prediction(at, n, sentence[first + i], 0, sets, used, i * negative, negative)
    end_outputs(at, n)
    return n
