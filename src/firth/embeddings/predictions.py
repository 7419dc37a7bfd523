"""The epoch kernel of every objective but negative sampling: a window of words predicts its centre.

What: skip-gram hands over the rows of a window, CBOW one row that is their mean or their sum;
`firth.kernels.objectives` does the rest. Negative sampling has a kernel of its own in `firth.embeddings.word2vec`,
which draws the noise of several windows beforehand.

Objective, Source, Departures: those of `firth.embeddings.word2vec` and `firth.kernels.objectives`.

Cost: a window of M words and an objective that meets N output rows take 6 M N D flops with skip-gram, 6 N D with CBOW.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.objectives import MERGE, Predictor, fetch_outputs, merge_copies, predict
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.random import below, draw
from firth.kernels.targets import Addresses, Work, combine, gather_contexts, scatter

WINDOW, PAIR, CBOW = range(3)  # what an epoch kernel does with a window
AHEAD = 2  # windows between the drawing of noise or the asking for rows, and their use


class Task(NamedTuple):
    """What a shard's kernel makes of a text."""

    noise: npt.NDArray[np.uint64]  # (V,) alias table
    mode: int  # WINDOW, PAIR or CBOW
    window: int  # words a side
    shrink: bool  # whether a window's reach is drawn from 1 to `window`
    shared: int  # windows in a row with the same noise
    mean: bool  # CBOW: whether the hidden row is a mean, else a sum
    divide: bool  # CBOW: whether the gradient is divided by the number of context words
    scale: float  # CBOW: of the hidden row


@compiled
def train_predictions(text: Text, task: Task, by: Predictor, work: Work, at: Addresses, state: ShardState) -> None:
    """Train on a shard from where it stands."""
    # A field of a tuple is counted as a reference each time it is read: outside the loops, once.
    sentence, contexts, window = work.sentence, work.contexts, task.window
    random, predictions = state.random, state.predictions
    for count, _, rate in pieces(text, work, state):
        merge_copies(by, at, count)
        if count < 2:
            continue  # a word alone has no window
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                fetch_outputs(by, at, sentence[ahead])
                if ahead + window < count:
                    prefetch_row(at.inputs + sentence[ahead + window] * at.row_bytes, at.row_bytes)
            if t < 0:
                continue
            reach = window - below(draw(random), window) if task.shrink else window
            m = gather_contexts(sentence, t, min(reach, t), min(reach, count - 1 - t), window, contexts, at)
            if task.mode == CBOW:
                combine(m, task.mean, task.scale, at)
                predict(by, at, random, sentence[t], at.hidden_table, at.gradient_table, 1, rate)
                scatter(m, task.divide, task.scale, at)
            else:
                together = 1 if task.mode == PAIR else m
                for first in range(0, m, together):
                    block = at.contexts + 8 * first
                    predict(by, at, random, sentence[t], block, block, together, rate)
            predictions[0] += 1 if task.mode == CBOW else m
    merge_copies(by, at, MERGE)
