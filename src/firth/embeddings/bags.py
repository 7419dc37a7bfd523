"""The epoch kernel of PV-DBOW: several documents are trained side by side with the same noise words.

What: documents trained at the same time share noise words, so each noise row is read once for all of them: one small
matrix product instead of many rows read per document. For a single document nothing changes: each of its words has its
own K noise words.

Objective, Source: `firth.embeddings.paragraph`, DBOW.

Departures: a block of words and its noise words are two consecutive steps. A noise word equal to the predicted word is
left out, as in word2vec.c and everywhere in firth: a document with such a noise word takes a step of its own.

Cost: 6 D (K + 1) flops per word; one row is read per word, and K rows per word of the longest of SLOTS documents.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.documents import draw_block, place_block
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import draw_noise
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.rows import own_lines
from firth.kernels.step import take_loss
from firth.kernels.step_emission import GROUP, MOST_HIDDEN, MOST_PADDING, WIDTH
from firth.kernels.targets import Addresses, Workspace, new_workspace, step_listed
from firth.kernels.windows import LONGEST

SLOTS = min(8, MOST_HIDDEN)  # documents trained side by side
BLOCK = GROUP  # words of a document in a step
POOL = 32  # documents read from the corpus before the first of them is trained


class Bags(NamedTuple):
    """Further buffers of one thread."""

    pool: npt.NDArray[np.int64]  # (POOL, LONGEST + 1) words of the documents after subsampling
    counts: npt.NDArray[np.int64]  # (POOL,) their number
    rows: npt.NDArray[np.int64]  # (POOL,) the address of each document's row
    pieces: npt.NDArray[np.int64]  # (SLOTS,) the document in each slot
    done: npt.NDArray[np.int64]  # (SLOTS,) number of its words already trained
    hidden: npt.NDArray[np.int64]  # (SLOTS,) row addresses
    words: npt.NDArray[np.int64]  # (BLOCK + padding,) row addresses of a block of words
    words_signs: npt.NDArray[np.float32]
    noise: npt.NDArray[np.int64]  # (BLOCK K + padding,) row addresses of its noise
    noise_signs: npt.NDArray[np.float32]


def bag_work(negative: int, padded: int) -> tuple[Workspace, Bags]:
    """Return empty workspaces for K noise words per word and rows of P numbers."""
    work = new_workspace(1, BLOCK * negative, 2, padded, outputs=BLOCK * (negative + 1))
    words, words_signs = _table(BLOCK, 1, work)
    noise, noise_signs = _table(BLOCK * negative, -1, work)
    bags = Bags(
        pool=own_lines(POOL * (LONGEST + 1), np.int64).reshape(POOL, LONGEST + 1),
        counts=own_lines(POOL, np.int64),
        rows=own_lines(POOL, np.int64),
        pieces=own_lines(SLOTS, np.int64),
        done=own_lines(SLOTS, np.int64),
        hidden=own_lines(SLOTS, np.int64),
        words=words,
        words_signs=words_signs,
        noise=noise,
        noise_signs=noise_signs,
    )
    return work, bags


def _table(size: int, sign: int, work: Workspace) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    table, signs = own_lines(size + MOST_PADDING, np.int64), own_lines(size + MOST_PADDING + WIDTH, np.float32)
    table[:], signs[:size] = work.row_tables[0], sign
    return table, signs


def bag_addresses(at: Addresses, bags: Bags) -> tuple[Addresses, Addresses]:
    """Return the addresses for steps against a block of words, and against its noise."""
    hidden = at._replace(contexts=bags.hidden.ctypes.data)
    words = hidden._replace(table=bags.words.ctypes.data, signs=bags.words_signs.ctypes.data)
    return words, hidden._replace(table=bags.noise.ctypes.data, signs=bags.noise_signs.ctypes.data)


@compiled
def train_bags(
    text: Text,
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    negative: int,  # K
    work: Workspace,
    bags: Bags,
    at: Addresses,  # for partial blocks
    words_at: Addresses,  # for blocks of words
    noise_at: Addresses,  # for their noise
    state: ShardState,
) -> None:
    """Train a shard from its current position to its end or a stop."""
    # Numba counts a reference each time it reads a field of a tuple: read them once, outside the loop.
    pool, counts, rows, sentence = bags.pool, bags.counts, bags.rows, work.sentence
    random, predictions = state.random, state.predictions
    # A plain 0 has another type, for which the compiler would compile `train_pool` again.
    filled, pool_rate = np.int64(0), np.float32(0)
    for count, document, rate in pieces(text, work, state):
        if count == 0:
            continue
        if filled == 0:
            pool_rate = rate
        pool[filled, :count] = sentence[:count]
        counts[filled], rows[filled] = count, at.inputs + document * at.row_bytes
        filled += 1
        predictions[0] += count
        if filled == POOL:
            train_pool(filled, pool_rate, noise, negative, random, work, bags, at, words_at, noise_at)
            filled = np.int64(0)
    train_pool(filled, pool_rate, noise, negative, random, work, bags, at, words_at, noise_at)
    state.loss[0] += take_loss(work.likelihood, work.exponents)


@njit(nogil=True)
def train_pool(
    filled: int,  # documents in the pool
    rate: np.float32,
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    negative: int,  # K
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    work: Workspace,
    bags: Bags,
    at: Addresses,
    words_at: Addresses,
    noise_at: Addresses,
) -> None:
    """Train the documents of a pool, up to SLOTS of them side by side."""
    pool, counts, rows, slots, done = bags.pool, bags.counts, bags.rows, bags.pieces, bags.done
    hidden, words_table, noise_table = bags.hidden, bags.words, bags.noise
    sets, contexts = work.noise, work.contexts
    m = documents_begun = 0  # slots in use, documents started
    current = 0
    draw_noise(noise, random, sets, current, at, 0)
    while m > 0 or documents_begun < filled:
        while m < SLOTS and documents_begun < filled:
            slots[m], done[m] = documents_begun, 0
            prefetch_row(rows[documents_begun], at.row_bytes)
            fetch_block(pool, documents_begun, 0, counts[documents_begun], at)
            documents_begun += 1
            m += 1
        s = 0
        while s < m:
            piece = slots[s]
            size = counts[piece] - done[s]
            if size >= BLOCK:
                s += 1
                continue
            if size > 0:  # the rest of a document, less than a block
                sentence = pool[piece]
                contexts[0] = rows[piece]
                draw_block(sentence, done[s], size, negative, noise, random, sets, 1 - current, at)
                n = place_block(sentence, done[s], size, negative, sets, 1 - current, at)
                step_listed(at.contexts, at.contexts, 1, n, rate, at)
            m -= 1
            slots[s], done[s] = slots[m], done[m]
        if m == 0 or (m < SLOTS and documents_begun < filled):
            continue
        draw_noise(noise, random, sets, 1 - current, at, 0)
        together = 0  # documents that share the noise step
        for s in range(m):
            piece, first = slots[s], done[s]
            done[s] += BLOCK
            fetch_block(pool, piece, done[s], counts[piece], at)
            if is_among_noise(pool, piece, first, sets, current, negative):
                contexts[0] = rows[piece]
                n = place_block(pool[piece], first, BLOCK, negative, sets, current, at)
                step_listed(at.contexts, at.contexts, 1, n, rate, at)
                continue
            for i in range(BLOCK):
                words_table[i] = at.outputs + pool[piece, first + i] * at.output_bytes
            hidden[together] = rows[piece]
            slot = words_at.contexts + 8 * together
            step_listed(slot, slot, 1, BLOCK, rate, words_at)
            together += 1
        if together > 0:
            for k in range(BLOCK * negative):
                noise_table[k] = at.outputs + sets[current, k] * at.output_bytes
            step_listed(noise_at.contexts, noise_at.contexts, together, BLOCK * negative, rate, noise_at)
        current = 1 - current


@njit(nogil=True, inline="always")
def is_among_noise(
    pool: npt.NDArray[np.int64],  # (POOL, LONGEST + 1) words
    piece: int,  # the document
    first: int,  # the block's first word
    sets: npt.NDArray[np.int64],  # (2, BLOCK K) noise words
    current: int,  # the set to use
    negative: int,  # K
) -> bool:
    """Return whether a word of a block is one of its own K noise words."""
    for i in range(BLOCK):
        word = pool[piece, first + i]
        for k in range(i * negative, (i + 1) * negative):
            if sets[current, k] == word:
                return True
    return False


@njit(nogil=True, inline="always")
def fetch_block(
    pool: npt.NDArray[np.int64],  # (POOL, LONGEST + 1) words
    piece: int,  # the document
    first: int,  # the block's first word
    count: int,  # the document's words
    at: Addresses,
) -> None:
    """Prefetch the rows of a block of words."""
    for i in range(first, min(first + BLOCK, count)):
        prefetch_row(at.outputs + pool[piece, i] * at.output_bytes, at.output_bytes)
