"""Scores of a prediction: the output layer of every model, with five objectives.

What: m hidden rows x are trained to predict one word w of V. The objective picks the output rows and their signs, turns
scores into coefficients, and the update of `firth.kernels.step` does the rest; what the hidden rows are made of is the
model's affair.

Objective, s_j = x . u_j, K noise words n_k drawn from q:

    NEGATIVE      log sigma(s_w) + sum_k log sigma(-s_{n_k}), noise equal to w left out; defines no probability
    HIERARCHICAL  sum over the path to w of log sigma(t x . u_node), t = +1 to the left and -1 to the right
    SOFTMAX       s_w - log sum_j e^{s_j}
    NCE           log sigma(z_w) + sum_k log sigma(-z_{n_k}),     z_j = s_j - log V - log K q_j
    IMPORTANCE    s_w - log( e^{s_w} + sum_{n_k != w} e^{s_{n_k}} / (K q_{n_k}) )

Source: Mikolov et al. 2013 (NIPS), equations 2, 3 and 4; Mnih and Teh 2012, "A fast and simple algorithm for training
neural probabilistic language models", equations 8 to 10, with the normaliser held fixed; Bengio and Senecal 2003,
"Quick training of probabilistic neural nets by importance sampling", section 3, and Jean et al. 2015, "On using very
large target vocabulary", section 3.1, for samples that many predictions share.

Departures: IMPORTANCE takes the predicted word with its exact weight and leaves it out among the samples, so that the
estimate of the normaliser has no bias; Jean et al. correct the predicted word as if it were a sample. NCE holds the
normaliser at V, where Mnih and Teh hold it at 1 and learn biases: an untrained model is then the uniform distribution,
and without biases the scores need not all learn to be near -log V first.

Cost: 6 D flops for each hidden row and output row: 1 + K of those, or the path's length, or V.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.exponentials import call_exponentials, index_of
from firth.kernels.memory import get_float32, get_float64, get_int64, get_uint64, set_float32, set_float64, set_int64
from firth.kernels.native_calls import prefetch_row
from firth.kernels.random import below, draw
from firth.kernels.rows import aligned_rows, own_lines
from firth.kernels.step import call_score, call_update
from firth.kernels.step_emission import GROUP, MOST_HIDDEN
from firth.kernels.targets import Addresses, end_outputs, place_output
from firth.kernels.trees import Tree

NEGATIVE, HIERARCHICAL, SOFTMAX, NCE, IMPORTANCE = range(5)
NORMALISED = (SOFTMAX, NCE, IMPORTANCE)  # take exponentials of scores
NEAR = 5  # nodes of a path that are in the first cache anyway
COPIED = 255  # nodes near the root that each of several threads has copies of: eight levels of a balanced tree
MERGE = 256
NAMES = ("negative", "hierarchical", "softmax", "nce", "importance")


class Scoring(NamedTuple):
    """The tables of an objective, kept alive by the caller; shared by all threads."""

    kind: int
    words: int  # V
    negative: int  # K
    noise: npt.NDArray[np.uint64]  # (V,) alias table, or (1,) where nothing is drawn
    shifts: npt.NDArray[np.float32]  # (V,) log K q, for NCE log V K q
    tree: Tree
    probabilities: npt.NDArray[np.float64]  # (V,) q


class Copies(NamedTuple):
    """One thread's copies of the nodes near the root, which every prediction of every thread would write to.

    A row that two threads write to in turn travels between their caches at every step, and two threads are then no
    faster than one. Copies are merged after some hundred words instead: each thread adds what it has learned since the
    last merger to the shared rows, and takes those.
    """

    first: int  # the first node that is copied; those behind it, up to the root, are too
    rows: npt.NDArray[np.float32]  # (2 n, P) the copies, and their values at the last merge
    unmerged: npt.NDArray[np.int64]  # (1,) words since then


def own_copies(layer: Scoring, outputs: npt.NDArray[np.float32], threads: int) -> Copies | None:
    """Return a thread's copies of the nodes near the root, or None where it writes to them alone.

    Args:
        outputs: (V, P) the shared rows.
    """
    if layer.kind != HIERARCHICAL or threads == 1:
        return None
    first = max(0, layer.words - 1 - COPIED)  # the root is the last node, and those near it stand before it
    rows = aligned_rows(2 * (layer.words - 1 - first), outputs.shape[1])
    rows[:] = np.tile(outputs[first : layer.words - 1], (2, 1))
    return Copies(first, rows, own_lines(1, np.int64))


class Predictor(NamedTuple):
    """The same as plain integers, with the buffers of one thread."""

    kind: int
    words: int
    negative: int
    noise: int  # addresses from here on
    shifts: int
    starts: int
    nodes: int
    signs: int
    zeros: int  # a row of zeros: the padding of tables
    loss: int  # float64, nats, of the objectives with a normaliser
    apart: int  # the first node of which a thread has its own copy, or V
    copies: int  # (2, nodes with copies) output rows: the copies, and their values at the last merge
    unmerged: int  # int64, words since then


def scoring(
    name: str,
    probabilities: npt.NDArray[np.float64],
    *,
    negative: int,
    noise: npt.NDArray[np.uint64],
    tree: Tree | None = None,
) -> Scoring:
    """Return what an objective reads.

    Args:
        name: one of `NAMES`.
        probabilities: (V,) q, that noise words are drawn by.
        negative: K noise words a prediction.
        noise: (V,) the alias table of q.
        tree: the paths of V words; needed by "hierarchical" alone.
    """
    with np.errstate(divide="ignore"):  # a word that is never drawn needs no correction
        shifts = np.log(negative * probabilities * (len(probabilities) if name == "nce" else 1)).astype(np.float32)
    return Scoring(
        kind=NAMES.index(name),
        words=len(probabilities),
        negative=negative,
        noise=noise,
        shifts=np.where(np.isfinite(shifts), shifts, np.float32(0)).astype(np.float32),
        tree=tree or Tree.empty(),
        probabilities=probabilities,
    )


def untrained_loss(layer: Scoring, frequencies: npt.NDArray[np.float64]) -> float:
    """Return the loss a prediction, in nats, of a model whose scores are all 0; for "importance" a bound.

    Args:
        frequencies: (V,) of the words that are predicted, summing to 1.
    """
    if layer.kind == NEGATIVE:
        return (layer.negative + 1) * math.log(2)
    if layer.kind == HIERARCHICAL:
        return float(frequencies @ layer.tree.lengths) * math.log(2)
    if layer.kind == NCE:
        shifts = layer.shifts.astype(np.float64)
        noise = layer.negative * layer.probabilities @ np.logaddexp(0, -shifts)
        return float(frequencies @ np.logaddexp(0, shifts) + noise)
    return math.log(layer.words)


def most_outputs(layer: Scoring) -> int:
    """Return the most output rows that one prediction takes: the size of the tables of a workspace."""
    if layer.kind == SOFTMAX:
        return layer.words
    return max(layer.tree.longest, 1) if layer.kind == HIERARCHICAL else layer.negative + 1


def predictor(layer: Scoring, at: Addresses, loss: npt.NDArray[np.float64], copies: Copies | None = None) -> Predictor:
    """Return an objective as integers.

    Args:
        at: a workspace whose tables hold `most_outputs` rows; "softmax" fills them here, once.
        loss: (1,) of the thread.
        copies: of the nodes near the root, kept alive by the caller; None where no other thread writes to them.
    """
    made = Predictor(
        kind=layer.kind,
        words=layer.words,
        negative=layer.negative,
        noise=layer.noise.ctypes.data,
        shifts=layer.shifts.ctypes.data,
        starts=layer.tree.starts.ctypes.data,
        nodes=layer.tree.nodes.ctypes.data,
        signs=layer.tree.signs.ctypes.data,
        zeros=at.zeros,
        loss=loss.ctypes.data,
        apart=layer.words if copies is None else copies.first,
        copies=0 if copies is None else copies.rows.ctypes.data,
        unmerged=0 if copies is None else copies.unmerged.ctypes.data,
    )
    if layer.kind == SOFTMAX:
        _place_all(layer.words, at)
    return made


@njit(nogil=True)
def predict(
    predictor: Predictor,
    at: Addresses,
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    word: int,  # w, that is predicted
    hidden: int,  # table of m row addresses
    targets: int,  # table of m rows that receive the gradients
    m: int,
    rate: np.float32,
) -> None:
    """Take one step of m hidden rows towards predicting a word."""
    n, true = predictor.words, word
    if predictor.kind == HIERARCHICAL:
        n, true = place_path(predictor, at, word), 0
    elif predictor.kind != SOFTMAX:
        n, true = place_sampled(predictor, at, random, word), 0
    if n == 0:
        return  # a tree of one word has no node
    for first in range(0, m, MOST_HIDDEN):
        rows = min(MOST_HIDDEN, m - first)
        take_step(predictor, at, hidden + 8 * first, targets + 8 * first, rows, n, true, rate)


@njit(nogil=True)
def take_step(
    predictor: Predictor, at: Addresses, hidden: int, targets: int, m: int, n: int, true: int, rate: np.float32
) -> None:
    """Take one step of m <= MOST_HIDDEN hidden rows against the n output rows that the tables list."""
    if predictor.kind == NEGATIVE or predictor.kind == HIERARCHICAL:
        call_score(at.score, hidden, m, at.table, n, at.chunks, at.coefficients, at.signs, at.likelihood, rate)
    else:
        call_exponentials(at.exponentials, hidden, m, at.table, n, at.chunks, at.coefficients, at.shifts)
        loss = _posteriors(at, m, n, rate) if predictor.kind == NCE else _softmax(at, m, n, true, rate)
        add_loss(predictor.loss, loss)
        clear_padding(at, m, n)
    call_update(at.update, hidden, targets, m, at.table, n, at.chunks, at.coefficients)


@njit(nogil=True, inline="always")
def clear_padding(at: Addresses, m: int, n: int) -> None:
    """Take the rows behind the n out of the step: e^0 is not 0, and the row of zeros must stay zero."""
    for i in range(n, -(-n // GROUP) * GROUP):
        for k in range(m):
            set_float32(at.coefficients, index_of(i, k, m), np.float32(0))


@njit(nogil=True, inline="always")
def draw_word(predictor: Predictor, random: npt.NDArray[np.uint64]) -> int:
    """Draw a noise word, as `firth.kernels.noise.draw_alias` does."""
    bits = draw(random)
    slot = below(bits, predictor.words)
    entry = get_uint64(predictor.noise, slot)
    alias = int(entry >> np.uint64(32))
    return slot + (alias - slot) * (np.uint32(bits) >= np.uint32(entry))  # the slot below its threshold, else its alias


@njit(nogil=True)
def place_sampled(predictor: Predictor, at: Addresses, random: npt.NDArray[np.uint64], word: int) -> int:
    """List a word and its noise; return how many output rows that is."""
    place_output(at, 0, word, 1)
    set_float32(at.shifts, 0, get_float32(predictor.shifts, word) if predictor.kind == NCE else np.float32(0))
    for k in range(1, predictor.negative + 1):
        drawn = draw_word(predictor, random)
        # Only noise-contrastive estimation counts a hit of the word itself as the noise that it is.
        place_output(at, k, drawn, 0 if drawn == word and predictor.kind != NCE else -1)
        set_float32(at.shifts, k, get_float32(predictor.shifts, drawn))
    end_outputs(at, predictor.negative + 1)
    return predictor.negative + 1


@njit(nogil=True, inline="always")
def node_row(predictor: Predictor, at: Addresses, node: int) -> int:
    """Return the address of a tree node's output row: the thread's own copy where it has one."""
    if node >= predictor.apart:
        return predictor.copies + (node - predictor.apart) * at.output_bytes
    return at.outputs + node * at.output_bytes


@njit(nogil=True, inline="always")
def extend_path(predictor: Predictor, at: Addresses, entry: int, word: int, shift: int) -> int:
    """List the nodes of a word's path, `shift` bytes into their rows, from entry `entry`; return the next free one."""
    first, last = get_int64(predictor.starts, word), get_int64(predictor.starts, word + 1)
    for i in range(first, last):
        set_int64(at.table, entry + i - first, node_row(predictor, at, get_int64(predictor.nodes, i)) + shift)
        set_float32(at.signs, entry + i - first, get_float32(predictor.signs, i))
    return entry + last - first


@njit(nogil=True)
def merge_copies(predictor: Predictor, at: Addresses, words: int) -> None:
    """Merge a thread's copies with the shared rows, if with these words enough have gone by; MERGE always are."""
    if predictor.copies == 0:
        return
    unmerged = get_int64(predictor.unmerged, 0) + words
    if unmerged >= MERGE:
        unmerged = 0
        shared, numbers = (
            at.outputs + predictor.apart * at.output_bytes,
            at.output_bytes // 4 * (predictor.words - 1 - predictor.apart),
        )
        for i in range(numbers):
            # learned = the copy now - the copy at the last merge
            learned = get_float32(predictor.copies, i) - get_float32(predictor.copies, numbers + i)
            merged = get_float32(shared, i) + learned
            set_float32(shared, i, merged)
            set_float32(predictor.copies, i, merged)
            set_float32(predictor.copies, numbers + i, merged)
    set_int64(predictor.unmerged, 0, unmerged)


@njit(nogil=True)
def place_path(predictor: Predictor, at: Addresses, word: int) -> int:
    """List the nodes between the root and a word; return how many there are."""
    n = extend_path(predictor, at, 0, word, 0)
    end_outputs(at, n)
    return n


@njit(nogil=True, inline="always")
def fetch_outputs(predictor: Predictor, at: Addresses, word: int) -> None:
    """Prefetch the output rows that the prediction of a word will read, as far as they are known."""
    if predictor.kind == HIERARCHICAL:
        # The nodes near the root are in every path, and never far.
        for i in range(get_int64(predictor.starts, word) + NEAR, get_int64(predictor.starts, word + 1)):
            prefetch_row(at.outputs + get_int64(predictor.nodes, i) * at.output_bytes, at.output_bytes)
    else:
        prefetch_row(at.outputs + word * at.output_bytes, at.output_bytes)


@njit(nogil=True)
def _place_all(words: int, at: Addresses) -> None:
    for word in range(words):
        place_output(at, word, word, 1)
        set_float32(at.shifts, word, np.float32(0))
    end_outputs(at, words)


@njit(nogil=True)
def _softmax(at: Addresses, m: int, n: int, true: int, rate: np.float32) -> float:
    """Turn exponentials into the coefficients of a softmax over the listed rows; return its loss."""
    loss = 0.0
    for k in range(m):
        total = 0.0
        for i in range(n):
            if get_float32(at.signs, i) != 0:
                total += get_float32(at.coefficients, index_of(i, k, m))
        loss += math.log(total) - math.log(get_float32(at.coefficients, index_of(true, k, m)))
        scale = -rate / np.float32(total)  # d log softmax / d score_i = [i = true] - e^score_i / total
        for i in range(n):
            index = index_of(i, k, m)
            present = get_float32(at.signs, i) != 0
            set_float32(
                at.coefficients, index, scale * get_float32(at.coefficients, index) if present else np.float32(0)
            )
        index = index_of(true, k, m)
        set_float32(at.coefficients, index, get_float32(at.coefficients, index) + rate)
    return loss


@njit(nogil=True)
def _posteriors(at: Addresses, m: int, n: int, rate: np.float32) -> float:
    """Turn exponentials into the coefficients of a classifier of true words and noise; return the loss."""
    loss = 0.0
    unit = np.float32(1)
    for k in range(m):
        for i in range(n):
            index = index_of(i, k, m)
            odds = get_float32(at.coefficients, index)
            if get_float32(at.signs, i) > 0:
                loss += math.log1p(1.0 / odds)  # -log p(true), p = odds / (1 + odds); d/dscore = 1 - p
                set_float32(at.coefficients, index, rate / (unit + odds))
            else:
                loss += math.log1p(np.float64(odds))  # -log p(noise) = log(1 + odds); d/dscore = -p
                set_float32(at.coefficients, index, -rate * odds / (unit + odds))
    return loss


@njit(nogil=True, inline="always")
def add_loss(address: int, loss: float) -> None:
    """Add to the float64 at an address."""
    set_float64(address, 0, get_float64(address, 0) + loss)


def new_loss() -> npt.NDArray[np.float64]:
    """Return a loss of 0, in its own cache line."""
    return np.asarray(own_lines(1, np.float64))
