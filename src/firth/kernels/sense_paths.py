"""The senses of a word and the tree paths of its context: evidence for each sense, and the training step.

What: m rows, the senses of a centre word, each predict the context words c_1 .. c_M by the turns of their paths. The
paths share the nodes near the root. Each node of a window is listed once, with its numbers of visits and of left turns.

Objective, for node i passed n_i times, l_i of them to the left, and sense row x_k:

    log p(c_1 .. c_M | k) = sum_i l_i log sigma(x_k . u_i) + (n_i - l_i) log sigma(-x_k . u_i)

and, with q_k the posterior of sense k and r the learning rate, all from the rows before the step:

    c_ik = r q_k (l_i - n_i sigma(x_k . u_i)),   x_k += sum_i c_ik u_i,   u_i += sum_k c_ik x_k

Source: Bartunov et al. 2016, "Breaking sticks and ambiguities with adaptive skip-gram", section 3.1 and algorithm 1.

Departures: scores are cut at +-60, as in `firth.kernels.exponentials`.

Cost: 2 D flops per node and sense for the evidence, 4 D more for a step.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.exponentials import BLOCK, TOGETHER, call_exponentials
from firth.kernels.memory import get_float32, get_float64, get_int64, set_float32, set_float64, set_int64
from firth.kernels.objectives import Predictor, clear_padding, node_row
from firth.kernels.rows import own_lines
from firth.kernels.step import call_update
from firth.kernels.step_emission import MOST_HIDDEN
from firth.kernels.targets import Addresses, end_outputs

SMALLEST = 1e-200  # below this, products of probabilities are replaced by logarithms


class Nodes(NamedTuple):
    """One thread's list of a window's nodes and their probabilities; kept alive by the caller."""

    positions: npt.NDArray[np.int64]  # (V,) the stamp of a node's last list plus its index there
    stamp: npt.NDArray[np.int64]  # (1,)
    lefts: npt.NDArray[np.float64]  # (N,) left turns at each node
    turns: npt.NDArray[np.float64]  # (N,) visits of each node
    chances: npt.NDArray[np.float64]  # (T, N) sigma of each sense's scores
    products: npt.NDArray[np.float64]  # (T,)


class Paths(NamedTuple):
    """The addresses of `Nodes`, as plain integers."""

    most: int  # N
    positions: int  # addresses from here on
    stamp: int
    lefts: int
    turns: int
    chances: int
    products: int


def new_nodes(words: int, most: int, senses: int) -> Nodes:
    """Return an empty list for V words, at most N nodes per window and T senses per word."""
    return Nodes(
        positions=np.full(words, -1, dtype=np.int64),
        stamp=own_lines(1, np.int64),
        lefts=own_lines(most, np.float64),
        turns=own_lines(most, np.float64),
        chances=own_lines(senses * most, np.float64).reshape(senses, most),
        products=own_lines(senses, np.float64),
    )


def paths_of(nodes: Nodes) -> Paths:
    """Return a list as integers."""
    return Paths(len(nodes.lefts), *(array.ctypes.data for array in nodes))


@njit(nogil=True)
def list_nodes(
    predictor: Predictor,
    at: Addresses,
    paths: Paths,
    sentence: npt.NDArray[np.int64],
    first: int,  # the first context word
    centre: int,  # left out
    last: int,  # the last context word
) -> int:
    """List the nodes on the paths to a window's context words, each once; return their number."""
    stamp, n = get_int64(paths.stamp, 0), 0
    for j in range(first, last + 1):
        if j == centre:
            continue
        word = sentence[j]
        for i in range(get_int64(predictor.starts, word), get_int64(predictor.starts, word + 1)):
            node = get_int64(predictor.nodes, i)
            left = np.float64(get_float32(predictor.signs, i) > 0)
            index = get_int64(paths.positions, node) - stamp
            if index < 0:
                set_int64(paths.positions, node, stamp + n)
                set_int64(at.table, n, node_row(predictor, at, node))
                set_float64(paths.lefts, n, left)
                set_float64(paths.turns, n, 1.0)
                n += 1
            else:
                set_float64(paths.lefts, index, get_float64(paths.lefts, index) + left)
                set_float64(paths.turns, index, get_float64(paths.turns, index) + 1.0)
    set_int64(paths.stamp, 0, stamp + n)
    end_outputs(at, n)
    return n


@njit(nogil=True)
def weigh_evidence(
    at: Addresses,
    paths: Paths,
    n: int,  # nodes listed
    senses: int,  # table of m row addresses
    m: int,
    evidence: int,  # address of m float64 that are added to
) -> None:
    """Add the log-probability of the listed turns under each sense to its evidence."""
    for first in range(0, m, MOST_HIDDEN):
        size = min(MOST_HIDDEN, m - first)
        call_exponentials(at.exponentials, senses + 8 * first, size, at.table, n, at.chunks, at.coefficients, at.shifts)
        _take_turns(at, paths, n, size, paths.chances + 8 * first * paths.most, evidence + 8 * first)


@njit(nogil=True)
def _take_turns(at: Addresses, paths: Paths, n: int, m: int, chances: int, evidence: int) -> None:
    together, block = TOGETHER[m], BLOCK[m]
    for k in range(m):
        set_float64(paths.products, k, 1.0)
    base = 0
    for start in range(0, n, together):
        for i in range(start, min(start + together, n)):
            lefts, turns = get_float64(paths.lefts, i), get_float64(paths.turns, i)
            for k in range(m):
                odds = np.float64(get_float32(at.coefficients, base + (i - start) * m + k))
                right = 1.0 / (1.0 + odds)  # odds = e^(v_s . u_node); left = sigma(v_s . u_node)
                left = odds * right
                set_float64(chances, k * paths.most + i, left)
                # prod over turns of left or right; a logarithm is taken only before the product underflows
                product = get_float64(paths.products, k) * (left if lefts > 0.0 else right)
                for turn in range(1, int(turns)):
                    product *= left if turn < lefts else right
                    if product < SMALLEST:
                        set_float64(evidence, k, get_float64(evidence, k) + math.log(product))
                        product = 1.0
                if product < SMALLEST:
                    set_float64(evidence, k, get_float64(evidence, k) + math.log(product))
                    product = 1.0
                set_float64(paths.products, k, product)
        base += block
    for k in range(m):
        set_float64(evidence, k, get_float64(evidence, k) + math.log(get_float64(paths.products, k)))


@njit(nogil=True)
def step_senses(
    at: Addresses,
    paths: Paths,
    n: int,  # nodes listed
    table: int,  # of m row addresses
    sense_numbers: int,  # address of m int64: the indices of these senses among all
    weights: int,  # address of float64, the posteriors of all senses
    m: int,
    rate: np.float32,
) -> None:
    """Take one step of m senses and of the listed nodes towards the turns, weighted by the posteriors."""
    for first in range(0, m, MOST_HIDDEN):
        size = min(MOST_HIDDEN, m - first)
        together, block = TOGETHER[size], BLOCK[size]
        for k in range(size):
            sense = get_int64(sense_numbers, first + k)
            weight, chances = rate * get_float64(weights, sense), paths.chances + 8 * sense * paths.most
            base = k
            for start in range(0, n, together):
                for i in range(start, min(start + together, n)):
                    slope = get_float64(paths.lefts, i) - get_float64(paths.turns, i) * get_float64(chances, i)
                    set_float32(at.coefficients, base + (i - start) * size, np.float32(weight * slope))
                base += block
        clear_padding(at, size, n)
        rows = table + 8 * first
        call_update(at.update, rows, rows, size, at.table, n, at.chunks, at.coefficients)
