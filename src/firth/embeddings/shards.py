"""A thread's share of a text: where it stands, its random numbers, its loss; and a fixed sample of a text.

The loss that training sums is not the loss of the vectors. Each prediction is scored just before it is learned, by rows
that have followed the words and noise words of the moment, and the farther the larger the learning rate is. While the
rate falls, that lead is lost, and the sum may rise from epoch to epoch though the vectors become better. The loss on a
sample with the same windows and noise words each time, from which nothing is learned, has no such lead.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.kernels.pieces import ShardState
from firth.kernels.rows import own_lines
from firth.randomness import kernel_states

STRETCHES = 8  # that a sample is made of
SMALLEST_SAMPLE, LARGEST_SAMPLE = 4096, 65536  # tokens
SAMPLE_SHARE = 50  # a sample is a fiftieth of a corpus at most, but for small ones


@dataclass(frozen=True)
class Shard:
    """One thread's share of the corpus, and all that a kernel must remember between two calls.

    Attributes:
        first: the first token.
        last: one past the last token.
        position: (1,) int64, the next token to read.
        read: (1,) int64, tokens read in all epochs; the learning rate falls with it.
        random: (1,) uint64, state of the thread's own generator.
        loss: (1,) float64, summed over this epoch's predictions, in nats.
        predictions: (1,) int64, how many those are.
        learns: whether it is trained; otherwise its learning rate is zero, and its loss alone is wanted.
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
        """Return what a kernel updates; it returns soon after `stop` is set."""
        numbers = (self.position, self.read, self.random, self.loss, self.predictions)
        return ShardState(*numbers, stop, self.last, float(self.learns))

    def rewind(self) -> None:
        """Go back to the first token for another epoch."""
        self.position[0], self.loss[0], self.predictions[0] = self.first, 0.0, 0


TrainShard = Callable[[Shard, npt.NDArray[np.int64]], None]


def make_shards(tokens: int, count: int, seed: int) -> list[Shard]:
    """Cut a corpus into equal shares of tokens; a sentence on a border is trained in two pieces."""
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
    """Return a fixed sample of a corpus, whose loss is measured: stretches of it that stand equally far apart.

    Each call returns the same tokens with the same random states, so that the same words survive subsampling, windows
    are as wide, and the noise words are the same. A large corpus gives 65,536 tokens, a small one a fiftieth of
    itself, and at least 4,096 tokens where it has as many.
    """
    size = min(tokens, max(SMALLEST_SAMPLE, min(tokens // SAMPLE_SHARE, LARGEST_SAMPLE)))
    count = min(STRETCHES, max(1, size))
    firsts = [tokens * i // count for i in range(count)]
    states = kernel_states(seed, "loss sample", count)
    return [_shard(first, first + size // count, states[i : i + 1], learns=False) for i, first in enumerate(firsts)]


def mean_loss(shards: Sequence[Shard]) -> float:
    """Return the loss a prediction that shards have summed, nats; 0 where they made none."""
    return sum(float(s.loss[0]) for s in shards) / max(1, sum(int(s.predictions[0]) for s in shards))
