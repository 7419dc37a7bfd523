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

from firth.embeddings.training import ShardState
from firth.kernels.compiled import compiled
from firth.kernels.objectives import Predictor, fetch_outputs, predict
from firth.kernels.random import below, draw
from firth.kernels.step import prefetch_row, take_loss
from firth.kernels.targets import Addresses, Work, combine, gather_contexts, scatter
from firth.kernels.windows import subsample

WINDOW, PAIR, CBOW = range(3)  # what an epoch kernel does with a window
AHEAD = 2  # windows between the drawing of noise or the asking for rows, and their use
LOSS_INTERVAL = 4096  # words between two readings of the running likelihood


class Task(NamedTuple):
    """What a shard's kernel reads."""

    ids: npt.NDArray[np.int32]  # (N,) the corpus
    offsets: npt.NDArray[np.int64]  # (S + 1,) where sentences begin
    thresholds: npt.NDArray[np.uint32]  # (V,) of subsampling
    noise: npt.NDArray[np.uint64]  # (V,) alias table
    mode: int  # WINDOW, PAIR or CBOW
    window: int  # words a side
    shrink: bool  # whether a window's reach is drawn from 1 to `window`
    shared: int  # windows in a row with the same noise
    mean: bool  # CBOW: whether the hidden row is a mean, else a sum
    divide: bool  # CBOW: whether the gradient is divided by the number of context words
    scale: float  # CBOW: of the hidden row
    first_lr: float
    last_lr: float
    total: int  # tokens the shard reads in all epochs: the learning rate's schedule


@compiled
def train_predictions(
    task: Task, by: Predictor, work: Work, at: Addresses, state: ShardState, place: int, last: int
) -> None:
    """Train on a shard from where it stands, in the sentence ending at offsets[place], to the token before `last`."""
    # A field of a tuple is counted as a reference each time it is read: outside the loops, once.
    ids, offsets, thresholds = task.ids, task.offsets, task.thresholds
    sentence, contexts = work.sentence, work.contexts
    position, read, random, predictions = state.position, state.read, state.random, state.predictions
    stop, window, since = state.stop, task.window, 0
    while position[0] < last and stop[0] == 0:
        while offsets[place] <= position[0]:
            place += 1
        count, reached = subsample(ids, position[0], min(offsets[place], last), thresholds, random, sentence)
        rate = np.float32(task.first_lr + (task.last_lr - task.first_lr) * min(1.0, read[0] / task.total))
        if count < 2:
            count = 0  # a word alone has no window
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
        read[0] += reached - position[0]
        position[0] = reached
        since += count
        if since > LOSS_INTERVAL:
            state.loss[0] += take_loss(work.likelihood, work.exponents)
            since = 0
    state.loss[0] += take_loss(work.likelihood, work.exponents)
