"""Shards: each thread's share of a text, with its position, random state and loss; and a fixed sample of a text.

The running loss of a training is not the loss of the vectors. Each prediction is scored just before it is learned, by
rows that have just adapted to the current words, and the more so the higher the learning rate. As the rate decays, this
advantage shrinks, and the running loss may rise from epoch to epoch although the vectors improve. The loss on a fixed
sample, with the same windows and negative samples each time and no learning, does not have this bias.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.kernels.pieces import ShardState
from firth.kernels.rows import own_lines
from firth.randomness import kernel_states

STRETCHES = 8  # parts of a sample
SMALLEST_SAMPLE, LARGEST_SAMPLE = 4096, 65536  # tokens
SAMPLE_SHARE = 50  # a sample is at most a fiftieth of a large corpus


@dataclass(frozen=True)
class Shard:
    """One thread's share of the corpus, and the state of its kernel between two calls.

    Attributes:
        last: one past the last token.
        position: (1,) int64, the next token to read.
        read: (1,) int64, tokens read in all epochs; the learning rate decays with it.
        random: (1,) uint64, state of the thread's random generator.
        loss: (1,) float64, sum over this epoch's predictions, in nats.
        predictions: (1,) int64, their number.
        learns: False to measure the loss only, with a learning rate of zero.
    """

    first: int
    last: int
    position: npt.NDArray[np.int64]
    read: npt.NDArray[np.int64]
    random: npt.NDArray[np.uint64]
    loss: npt.NDArray[np.float64]
    predictions: npt.NDArray[np.int64]
    learns: bool = True

    def state(self, stop: npt.NDArray[np.int64]) -> ShardState:
        """Return the arrays that a kernel updates; the kernel returns soon after `stop` is set."""
        numbers = (self.position, self.read, self.random, self.loss, self.predictions)
        return ShardState(*numbers, stop, self.last, float(self.learns))

    def rewind(self) -> None:
        """Go back to the first token for the next epoch."""
        self.position[0], self.loss[0], self.predictions[0] = self.first, 0.0, 0


TrainShard = Callable[[Shard, npt.NDArray[np.int64]], None]


def make_shards(tokens: int, count: int, seed: int) -> list[Shard]:
    """Split a corpus into equal shares of tokens; a sentence across a border is trained in two parts."""
    borders = [tokens * i // count for i in range(count + 1)]
    states = kernel_states(seed, "shard", count)
    return [_shard(borders[i], borders[i + 1], states[i : i + 1]) for i in range(count)]


def _shard(first: int, last: int, random: npt.NDArray[np.uint64], learns: bool = True) -> Shard:
    state = own_lines(5, np.int64)
    position, read, predictions = state[:1], state[1:2], state[2:3]
    own_random, loss = state[3:4].view(np.uint64), state[4:].view(np.float64)
    position[0], own_random[0] = first, random[0]
    return Shard(first, last, position, read, own_random, loss, predictions, learns)


def empty_shard() -> Shard:
    """Return a shard without tokens."""
    return _shard(0, 0, np.zeros(1, dtype=np.uint64))


def sample_shards(tokens: int, seed: int) -> list[Shard]:
    """Return a fixed sample of a corpus, to measure the loss: stretches at equal distances.

    Each call returns the same tokens with the same random states, so subsampling, window sizes and negative samples are
    the same. The sample has a fiftieth of the tokens, but from 4,096 (if the corpus has as many) to 65,536.
    """
    size = min(tokens, max(SMALLEST_SAMPLE, min(tokens // SAMPLE_SHARE, LARGEST_SAMPLE)))
    count = min(STRETCHES, max(1, size))
    firsts = [tokens * i // count for i in range(count)]
    states = kernel_states(seed, "loss sample", count)
    return [_shard(first, first + size // count, states[i : i + 1], learns=False) for i, first in enumerate(firsts)]


def mean_loss(shards: Sequence[Shard]) -> float:
    """Return the mean loss per prediction of shards, in nats; 0 if they made none."""
    return sum(float(s.loss[0]) for s in shards) / max(1, sum(int(s.predictions[0]) for s in shards))
