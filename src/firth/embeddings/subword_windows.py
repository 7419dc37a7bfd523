"""The epoch kernel of FastText: the words of a window predict one another; a word is the mean of its subword rows.

What: skip-gram averages the centre's rows to a hidden vector once, and predicts every context word from it. CBOW
averages the rows of all context words and predicts the centre. Each prediction updates the hidden vector; at the end of
the window, its total change is added to each row that it is the mean of.

Objective, Source, Departures: those of `firth.embeddings.fasttext`.

Cost: for a window of m context words and R rows per word, 6 D m (K + 1) + 2 D R flops with skip-gram; 6 D (K + 1) +
2 D m R with CBOW.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.memory import get_int64, set_int64
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import draw_alias, next_set, next_slot
from firth.kernels.objectives import MERGE, NEGATIVE, Predictor, merge_copies, predict, take_step
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.random import draw
from firth.kernels.step import call_rows
from firth.kernels.targets import Addresses, Workspace, draw_reach, end_outputs, place_prediction, target_rows
from firth.kernels.windows import LONGEST

SKIPGRAM, CBOW = range(2)
AHEAD = 2  # windows between drawing noise words and using them; their rows are prefetched meanwhile


class SubwordSettings(NamedTuple):
    """Settings of the FastText kernel."""

    noise: npt.NDArray[np.uint64]  # (V,) alias table
    starts: npt.NDArray[np.int64]  # (V + 1,) where each word's rows begin in `rows`
    rows: int  # address of a table of row addresses: a word's own row, then those of its n-grams
    mode: int  # SKIPGRAM or CBOW
    window: int  # words on each side
    shrink: bool  # whether the size of each window is drawn from 1 to `window`
    shared: int  # consecutive windows with the same noise words


@compiled
def train_subwords(
    text: Text, settings: SubwordSettings, work: Workspace, at: Addresses, predictor: Predictor, state: ShardState
) -> None:
    """Train a shard from its current position to its end or a stop."""
    # Numba counts a reference each time it reads a field of a tuple: read them once, outside the loops.
    noise, sentence, sets, starts = settings.noise, work.sentence, work.noise, settings.starts
    rows, mode, window, shared = settings.rows, settings.mode, settings.window, settings.shared
    random, predictions = state.random, state.predictions
    reaches = np.zeros(LONGEST, dtype=np.int64)
    for count, _, rate in pieces(text, work, state):
        merge_copies(predictor, at, count)
        if count < 2:
            continue  # a single word has no context
        for t in range(count):
            reaches[t] = draw_reach(random, window, settings.shrink)
        newest = current = len(sets) - 1  # the noise sets last drawn and in use
        due = remaining = 0  # windows until a new set is drawn, and until the next one is used
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                if predictor.kind == NEGATIVE and due == 0:
                    newest, due = next_slot(newest, len(sets)), shared
                    reach = 1
                    if mode == SKIPGRAM:
                        for other in range(ahead, min(ahead + shared, count)):
                            reach = max(reach, around(other, count, reaches[other]))
                    for k in range(reach * predictor.negative):
                        word = draw_alias(noise, draw(random))
                        sets[newest, k] = word
                        prefetch_row(at.outputs + word * at.output_bytes, at.output_bytes)
                due -= 1
                new = ahead + window if mode == CBOW else ahead  # the word whose input rows are needed next
                if new < count:
                    for i in range(starts[sentence[new]], starts[sentence[new] + 1]):
                        prefetch_row(get_int64(rows, i), at.row_bytes)
                new = ahead if mode == CBOW else ahead + window
                if new < count:
                    prefetch_row(at.outputs + sentence[new] * at.output_bytes, at.output_bytes)
            if t < 0:
                continue
            current, remaining = next_set(current, remaining, len(sets), shared)
            before, after = min(reaches[t], t), min(reaches[t], count - 1 - t)
            hidden, size = rows + 8 * starts[sentence[t]], starts[sentence[t] + 1] - starts[sentence[t]]
            if mode == CBOW:
                hidden, size = at.contexts, gather_rows(sentence, t, before, after, starts, rows, at.contexts)
            # h = mean of the `size` rows; gradient = -h, to which h is added after the steps: the change of h.
            call_rows(at.mean, hidden, size, at.hidden, at.chunks, np.float32(1 / size))
            call_rows(at.mean, at.hidden_table, 1, at.gradient, at.chunks, np.float32(-1))
            first, end = (t, t + 1) if mode == CBOW else (t - before, t + after + 1)
            k = 0
            for c in range(first, end):
                if c == t and mode == SKIPGRAM:
                    continue
                if predictor.kind == NEGATIVE:
                    n = place_prediction(at, 0, sentence[c], 0, sets, current, k, predictor.negative)
                    end_outputs(at, n)
                    take_step(predictor, at, at.hidden_table, at.hidden_table, 1, n, 0, rate)
                    k += predictor.negative
                else:
                    predict(predictor, at, random, sentence[c], at.hidden_table, at.hidden_table, 1, rate)
            # The change of the hidden vector is added to each of its rows.
            call_rows(at.add, at.gradient_table, 1, at.hidden, at.chunks, np.float32(1))
            call_rows(at.add, target_rows(hidden, size, at), size, at.gradient, at.chunks, np.float32(1))
            predictions[0] += 1 if mode == CBOW else before + after
    merge_copies(predictor, at, MERGE)


@njit(nogil=True, inline="always")
def around(t: int, count: int, reach: int) -> int:
    """Return the number of context words of a window."""
    return min(reach, t) + min(reach, count - 1 - t)


@njit(nogil=True, inline="always")
def gather_rows(
    sentence: npt.NDArray[np.int64],  # words that subsampling kept
    t: int,  # position of the centre
    before: int,  # context words before it
    after: int,  # context words after it
    starts: npt.NDArray[np.int64],  # (V + 1,) where each word's rows begin
    rows: int,  # address of the addresses of rows
    table: int,  # receives them
) -> int:
    """List the rows of all context words; return their number."""
    n = 0
    for j in range(t - before, t + after + 1):
        if j != t:
            for i in range(starts[sentence[j]], starts[sentence[j] + 1]):
                set_int64(table, n, get_int64(rows, i))
                n += 1
    return n
