"""The iterator of an epoch kernel over its shard of a text: one subsampled piece at a time.

A model's kernel is a loop over `pieces`, which reads and subsamples the text, lowers the learning rate, counts tokens
and sums the loss. The kernel trains on the words of each piece.

Source: Mikolov et al. 2013 (NIPS), section 2.3, for subsampling; word2vec.c for the schedule, and for pieces of at most
`firth.kernels.windows.LONGEST` kept words.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.step import take_loss
from firth.kernels.targets import Workspace
from firth.kernels.windows import subsample

LOSS_INTERVAL = 4096  # words between updates of the loss from the running likelihood


class Text(NamedTuple):
    """The input of a shard's kernel."""

    ids: npt.NDArray[np.int32]  # (N,) the corpus
    offsets: npt.NDArray[np.int64]  # (S + 1,) where sentences start
    thresholds: npt.NDArray[np.uint32]  # (V,) of subsampling
    first_lr: float
    last_lr: float
    total: int  # tokens per shard in all epochs, for the learning rate's schedule


class ShardState(NamedTuple):
    """The part of a `Shard` that compiled kernels see, and the flag that stops them; each array holds one number."""

    position: npt.NDArray[np.int64]
    read: npt.NDArray[np.int64]
    random: npt.NDArray[np.uint64]
    loss: npt.NDArray[np.float64]
    predictions: npt.NDArray[np.int64]
    stop: npt.NDArray[np.int64]
    last: int  # one past the last token
    learns: float  # factor of the learning rate: 1, or 0 to compute only the loss


@njit(nogil=True)
def pieces(text: Text, work: Workspace, state: ShardState) -> Iterator[tuple[int, int, np.float32]]:
    """Iterate over a shard from its current position to its end, or until the stop flag is set.

    Each piece's words are in `work.sentence`.

    Yields:
        Number of words of a piece, 0 if none survived; number of its sentence; learning rate.
    """
    # Each access to a tuple's field counts a reference: done once, outside the loop.
    ids, offsets, thresholds, sentence = text.ids, text.offsets, text.thresholds, work.sentence
    position, read, random, stop = state.position, state.read, state.random, state.stop
    next_sentence = np.searchsorted(offsets, position[0], side="right")
    since = 0
    while position[0] < state.last and stop[0] == 0:
        while offsets[next_sentence] <= position[0]:
            next_sentence += 1
        count, next_position = subsample(
            ids, position[0], min(offsets[next_sentence], state.last), thresholds, random, sentence
        )
        rate = text.first_lr + (text.last_lr - text.first_lr) * min(1.0, read[0] / text.total)
        yield count, next_sentence - 1, np.float32(state.learns * rate)
        read[0] += next_position - position[0]
        position[0] = next_position
        since += count
        if since > LOSS_INTERVAL:
            state.loss[0] += take_loss(work.likelihood, work.exponents)
            since = 0
    state.loss[0] += take_loss(work.likelihood, work.exponents)
