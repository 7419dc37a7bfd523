"""The epoch kernel of Word2Vec for every objective except negative sampling: a window predicts its centre.

What: skip-gram passes the rows of a window, CBOW one row that is their mean or sum, to `firth.kernels.objectives`.
Negative sampling has its own kernel in `firth.embeddings.word2vec`, which draws the noise of several windows ahead.

Objective, Source, Departures: those of `firth.embeddings.word2vec` and `firth.kernels.objectives`.

Cost: for a window of M words and an objective with N output rows, 6 M N D flops with skip-gram, 6 N D with CBOW.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.objectives import MERGE, Predictor, fetch_outputs, merge_copies, predict
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.targets import Addresses, Workspace, combine, draw_reach, gather_contexts, scatter, target_rows

WINDOW, PAIR, CBOW = range(3)  # modes: one step a window, one a pair, one for the mean
AHEAD = 2  # windows between drawing noise or prefetching rows, and using them


class WindowSettings(NamedTuple):
    """Settings of the Word2Vec kernels."""

    noise: npt.NDArray[np.uint64]  # (V,) alias table
    mode: int  # WINDOW, PAIR or CBOW
    window: int  # words on each side
    shrink: bool  # whether the size of each window is drawn from 1 to `window`
    shared: int  # consecutive windows with the same noise words
    mean: bool  # CBOW: whether the hidden vector is a mean, not a sum
    divide: bool  # CBOW: whether the gradient is divided by the number of context words
    scale: float  # CBOW: factor of the hidden vector


@compiled
def train_predictions(
    text: Text, settings: WindowSettings, predictor: Predictor, work: Workspace, at: Addresses, state: ShardState
) -> None:
    """Train a shard from its current position to its end or a stop."""
    # Numba counts a reference each time it reads a field of a tuple: read them once, outside the loops.
    sentence, contexts, window = work.sentence, work.contexts, settings.window
    random, predictions = state.random, state.predictions
    for count, _, rate in pieces(text, work, state):
        merge_copies(predictor, at, count)
        if count < 2:
            continue  # a single word has no context
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                fetch_outputs(predictor, at, sentence[ahead])
                if ahead + window < count:
                    prefetch_row(at.inputs + sentence[ahead + window] * at.row_bytes, at.row_bytes)
            if t < 0:
                continue
            reach = draw_reach(random, window, settings.shrink)
            m = gather_contexts(sentence, t, min(reach, t), min(reach, count - 1 - t), window, contexts, at)
            if settings.mode == CBOW:
                combine(m, settings.mean, settings.scale, at)  # h = mean or sum of the m context rows
                predict(predictor, at, random, sentence[t], at.hidden_table, at.gradient_table, 1, rate)
                scatter(m, settings.divide, settings.scale, at)
            else:
                together = 1 if settings.mode == PAIR else m  # rows that share a step, and so its noise words
                targets = target_rows(at.contexts, m, at)
                for first in range(0, m, together):
                    block = at.contexts + 8 * first
                    predict(predictor, at, random, sentence[t], block, targets + 8 * first, together, rate)
            predictions[0] += 1 if settings.mode == CBOW else m
    merge_copies(predictor, at, MERGE)
