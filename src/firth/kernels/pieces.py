"""How an epoch kernel goes through its share of a text: a piece at a time, thinned out by subsampling.

A family's kernel is a loop over `pieces`, which reads on, lets the learning rate fall, keeps count of what was read and
sums the loss; what it does with the words of a piece is its own.

Source: Mikolov et al. 2013 (NIPS), section 2.3, for subsampling; word2vec.c for the schedule, and for pieces of at most
`firth.kernels.windows.LONGEST` kept words.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.step import take_loss
from firth.kernels.targets import Work
from firth.kernels.windows import subsample

LOSS_INTERVAL = 4096  # words between two readings of the running likelihood


class Text(NamedTuple):
    """What a shard's kernel reads."""

    ids: npt.NDArray[np.int32]  # (N,) the corpus
    offsets: npt.NDArray[np.int64]  # (S + 1,) where sentences begin
    thresholds: npt.NDArray[np.uint32]  # (V,) of subsampling
    first_lr: float
    last_lr: float
    total: int  # tokens a shard reads in all epochs: the learning rate's schedule


class ShardState(NamedTuple):
    """The part of a `Shard` that compiled kernels see, and the flag that stops them; the arrays are of one number."""

    position: npt.NDArray[np.int64]
    read: npt.NDArray[np.int64]
    random: npt.NDArray[np.uint64]
    loss: npt.NDArray[np.float64]
    predictions: npt.NDArray[np.int64]
    stop: npt.NDArray[np.int64]
    last: int  # one past the last token
    learns: float  # 1, or 0 where the loss alone is wanted: times the learning rate


@njit(nogil=True)
def pieces(text: Text, work: Work, state: ShardState) -> Iterator[tuple[int, int, np.float32]]:
    """Go through a shard from where it stands to its end, or until it is told to stop.

    Each piece's words are in `work.sentence`.

    Yields:
        How many words a piece has, 0 where none survived; the number of its sentence; the learning rate.
    """
    # A field of a tuple is counted as a reference each time it is read: outside the loop, once.
    ids, offsets, thresholds, sentence = text.ids, text.offsets, text.thresholds, work.sentence
    position, read, random, stop = state.position, state.read, state.random, state.stop
    place = np.searchsorted(offsets, position[0], side="right")
    since = 0
    while position[0] < state.last and stop[0] == 0:
        while offsets[place] <= position[0]:
            place += 1
        count, reached = subsample(ids, position[0], min(offsets[place], state.last), thresholds, random, sentence)
        rate = text.first_lr + (text.last_lr - text.first_lr) * min(1.0, read[0] / text.total)
        yield count, place - 1, np.float32(state.learns * rate)
        read[0] += reached - position[0]
        position[0] = reached
        since += count
        if since > LOSS_INTERVAL:
            state.loss[0] += take_loss(work.likelihood, work.exponents)
            since = 0
    state.loss[0] += take_loss(work.likelihood, work.exponents)
