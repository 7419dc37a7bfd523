"""The epoch kernel of AdaGram: the posterior of the senses in a window, and the step of each.

Objective, Source, Departures: those of `firth.senses.adagram`.

Cost: 2 D flops for the evidence of a sense and 4 D for its step, per node on the paths of the window's words.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.embeddings.predictions import AHEAD
from firth.kernels.compiled import compiled
from firth.kernels.memory import get_float64, get_int64, set_float64, set_int64
from firth.kernels.native_calls import prefetch_row
from firth.kernels.objectives import MERGE, Predictor, fetch_outputs, merge_copies
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.sense_paths import Nodes, Paths, list_nodes, step_senses, weigh_evidence
from firth.kernels.stick_breaking import expected_logs
from firth.kernels.targets import Addresses, Workspace, draw_reach

NEW = 0.01  # senses after the last with fewer occurrences than this together are not considered


class SenseWorkspace(NamedTuple):
    """One thread's arrays; they must outlive the thread's `AdaGramSettings`."""

    nodes: Nodes
    table: npt.NDArray[np.int64]  # (3, T)
    posterior: npt.NDArray[np.float64]  # (T,)


class AdaGramSettings(NamedTuple):
    """Settings and addresses for one thread, as plain numbers: reference counts of shared arrays would slow threads."""

    window: int  # words on each side
    shrink: bool  # whether the size of each window is drawn from 1 to `window`
    senses: int  # T
    alpha: float
    threshold: float  # posterior below which a sense learns nothing
    occurrences: int  # address of (V, T) float64 n_wk, updated in place
    totals: int  # of (V,) float64 n_w
    paths: Paths
    rows: int  # of (T,) int64, the rows of the senses considered
    learning: int  # of (T,) int64, the rows of the senses that learn
    chosen: int  # of (T,) int64, their numbers
    posterior: int  # of (T,) float64


@compiled
def train_windows(
    text: Text, settings: AdaGramSettings, predictor: Predictor, work: Workspace, at: Addresses, state: ShardState
) -> None:
    """Train a shard from its current position to its end or a stop."""
    # Numba counts a reference each time it reads a field of a tuple: read them once, outside the loops.
    sentence, random, loss, predictions = work.sentence, state.random, state.loss, state.predictions
    window, word_bytes = settings.window, at.row_bytes * settings.senses
    for count, _, rate in pieces(text, work, state):
        merge_copies(predictor, at, count)
        if count < 2 or predictor.words < 2:
            continue  # a single word has no context, and a tree of one word has no node
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                prefetch_row(at.inputs + sentence[ahead] * word_bytes, at.row_bytes)
                if ahead + window < count:
                    fetch_outputs(predictor, at, sentence[ahead + window])
            if t < 0:
                continue
            reach = draw_reach(random, window, settings.shrink)
            first, last = max(0, t - reach), min(count - 1, t + reach)
            n = list_nodes(predictor, at, settings.paths, sentence, first, t, last)
            loss[0] -= learn_window(settings, at, sentence[t], n, rate)
            predictions[0] += last - first
    merge_copies(predictor, at, MERGE)


@njit(nogil=True)
def learn_window(
    settings: AdaGramSettings,  # with n nodes listed
    at: Addresses,
    word: int,  # the centre
    n: int,
    rate: np.float32,
) -> float:
    """Train on one window; return its part of the lower bound, log sum_k exp(E log pi_k + evidence_k), in nats."""
    counts = settings.occurrences + 8 * settings.senses * word
    m = _place_senses(settings, at, word, counts)
    expected_logs(counts, settings.senses, settings.alpha, m, settings.posterior)
    weigh_evidence(at, settings.paths, n, settings.rows, m, settings.posterior)
    bound: float = _normalise(settings.posterior, m)
    learning = _choose(settings, m)
    step_senses(at, settings.paths, n, settings.learning, settings.chosen, settings.posterior, learning, rate)
    total = get_float64(settings.totals, word)
    for k in range(settings.senses):
        expected = total * get_float64(settings.posterior, k) if k < m else 0.0
        set_float64(counts, k, get_float64(counts, k) + rate * (expected - get_float64(counts, k)))
    return bound


@njit(nogil=True, inline="always")
def _place_senses(settings: AdaGramSettings, at: Addresses, word: int, counts: int) -> int:
    """List the senses of a word and one new sense; return their number."""
    m, rest = settings.senses, 0.0
    while m > 1 and rest + get_float64(counts, m - 1) < NEW:
        m -= 1
        rest += get_float64(counts, m)
    m = min(m + 1, settings.senses)
    for k in range(m):
        set_int64(settings.rows, k, at.inputs + (word * settings.senses + k) * at.row_bytes)
    return m


@njit(nogil=True, inline="always")
def _normalise(logs: int, m: int) -> float:
    """Turn log weights into probabilities; return the logarithm of the sum of the weights."""
    largest, total = get_float64(logs, 0), 0.0
    for k in range(1, m):
        largest = max(largest, get_float64(logs, k))
    for k in range(m):
        set_float64(logs, k, math.exp(get_float64(logs, k) - largest))
        total += get_float64(logs, k)
    for k in range(m):
        set_float64(logs, k, get_float64(logs, k) / total)
    return float(largest + math.log(total))


@njit(nogil=True, inline="always")
def _choose(settings: AdaGramSettings, m: int) -> int:
    """List the senses that learn and set the posterior of the others to 0; return the number that learn."""
    learning = 0
    for k in range(m):
        if get_float64(settings.posterior, k) < settings.threshold:
            set_float64(settings.posterior, k, 0.0)
        else:
            set_int64(settings.learning, learning, get_int64(settings.rows, k))
            set_int64(settings.chosen, learning, k)
            learning += 1
    return learning
