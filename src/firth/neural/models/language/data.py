"""Text as training data of language models: parallel streams, batches, and windows for models of a fixed order.

What: a text of N tokens is cut into B streams of equal length, to within one token. A batch holds the next T tokens of
    every stream (T = `bptt`). The state at its end is the initial state of the next batch; gradients stop there:
    truncated back-propagation through time.
Objective: every token is predicted exactly once per epoch, from the token before it and the state. The token before the
    first of a stream is the last of the previous stream; before the text stands `bos`, usually the end of a sentence.
Source: Williams and Peng 1990 (truncation); Mikolov et al. 2010 (for language models); Merity et al. 2018, section 4.1
    (random T).
Departures: no token is dropped. If B does not divide N, the first N mod B streams are one token longer; these tokens
    form an additional column of the last batch, where the other streams predict nothing (`TextBatch.predicted_rows`
    leaves them out). The last batch may be shorter than T. Random T are drawn for a whole epoch at once, from the seed
    and the epoch, so that a run can resume anywhere.
Cost: two gathers of B T numbers per batch; a memory-mapped text stays on disk.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Required, TypedDict

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, OptionError
from firth.neural.layers.state import State
from firth.randomness import generator

# Random T, as Merity et al. draw it: standard deviation, minimum, and the probability of a mean of half the usual T.
DEVIATION, MIN_BPTT, HALF_PROBABILITY = 5.0, 5, 0.05


@dataclass(frozen=True, eq=False)
class TextBatch:
    """The next T tokens of B streams.

    Attributes:
        inputs: (B, T) int64, the token before each target.
        targets: (B, T) int64, the tokens to predict.
        fresh: whether the streams begin here.
        predicted: (B, T) bool, which targets count; None if all do.
        scale: T relative to the usual T; factor on the learning rate.
    """

    inputs: torch.Tensor
    targets: torch.Tensor
    fresh: bool = False
    predicted: torch.Tensor | None = None
    scale: float = 1.0

    def to(self, device: torch.device) -> "TextBatch":
        """Return the batch with its tensors on a device."""
        predicted = None if self.predicted is None else self.predicted.to(device)
        return TextBatch(self.inputs.to(device), self.targets.to(device), self.fresh, predicted, self.scale)

    def predicted_rows(self, hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (N, D) rows of (B, T, D) hidden states and their (N,) targets, without those that do not count."""
        if self.predicted is None:
            return hidden.flatten(0, 1), self.targets.flatten()
        return hidden[self.predicted], self.targets[self.predicted]


class StreamOptions(TypedDict, total=False):
    """Options of `TextStream`: how much of the text a step reads."""

    batch_size: Required[int]
    bptt: Required[int]
    vary_bptt: bool
    seed: int


@dataclass(frozen=True, eq=False, kw_only=True)
class TextStream:
    """A text in B streams; implements `firth.neural.training.task.Batches`.

    Attributes:
        ids: (N,) whole numbers, in memory or mapped: the targets.
        inputs: (N,) the same tokens as inputs, for models whose inputs have other numbers; None for `ids`.
        batch_size: B; a shorter text has one stream per token.
        bptt: T.
        bos: id before the first token.
        vary_bptt: whether T is random.
        seed: of the random T.
        part: (rank, count) of a process; each has its part of the streams.
    """

    ids: npt.NDArray[Any]
    batch_size: int
    bptt: int
    bos: int
    vary_bptt: bool = False
    seed: int = 0
    part: tuple[int, int] = (0, 1)
    inputs: npt.NDArray[Any] | None = None

    def __post_init__(self) -> None:
        if len(self.ids) == 0:
            raise CorpusError("the text holds no token: expected at least one to predict")

    def count(self, epoch: int) -> int:
        """Return the number of batches of an epoch; epochs differ only with `vary_bptt`."""
        return len(self._borders(epoch)) - 1

    def epoch(self, number: int, start: int = 0) -> Iterator[TextBatch]:
        """Yield the batches of an epoch (numbered from 0), without the first `start`."""
        borders = self._borders(number)
        for index in range(start, len(borders) - 1):
            yield self._batch(borders[index], borders[index + 1], fresh=index == 0)

    def shard(self, rank: int, of: int) -> "TextStream":
        """Return the streams for process `rank` (from 0) `of` so many.

        Raises:
            OptionError: there are fewer streams than processes.
        """
        if of > len(self._lengths):
            raise OptionError(f"processes={of}: the text has {len(self._lengths)} streams, expected one each at least")
        return replace(self, part=(rank, of))

    @cached_property
    def _lengths(self) -> npt.NDArray[np.int64]:
        streams = min(self.batch_size, len(self.ids))
        short, longer = divmod(len(self.ids), streams)
        return short + (np.arange(streams) < longer)

    @cached_property
    def _rows(self) -> slice:
        rank, of = self.part
        streams = len(self._lengths)
        return slice(streams * rank // of, streams * (rank + 1) // of)

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self._lengths)[:-1]])

    def _borders(self, epoch: int) -> list[int]:
        shortest = int(self._lengths[-1])
        lengths = (
            self._random_bptt(shortest, epoch) if self.vary_bptt else np.full(-(-shortest // self.bptt), self.bptt)
        )
        borders = [0, *np.cumsum(lengths).tolist()]
        borders[-1] = int(self._lengths[0])  # the last batch takes the rest, with the ragged column
        return borders

    def _random_bptt(self, columns: int, epoch: int) -> npt.NDArray[np.int64]:
        random = generator(self.seed, f"steps of epoch {epoch}")
        count = columns // min(MIN_BPTT, self.bptt) + 1
        mean = np.where(random.random(count) < HALF_PROBABILITY, self.bptt / 2, self.bptt)
        lengths = np.maximum(random.normal(mean, DEVIATION).astype(np.int64), min(MIN_BPTT, self.bptt))
        return lengths[: int(np.searchsorted(np.cumsum(lengths), columns)) + 1]

    def _positions(self, first: int, last: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return (B, T) positions in the text, and which of them are inside their streams."""
        columns = np.arange(first, last)
        return self._starts[self._rows, None] + columns, columns < self._lengths[self._rows, None]

    def _batch(self, first: int, last: int, *, fresh: bool) -> TextBatch:
        positions, inside = self._positions(first, last)
        if not inside.all():
            positions = np.where(inside, positions, 0)  # any token: nothing is predicted there
        inputs = (self.ids if self.inputs is None else self.inputs)[positions - 1].astype(np.int64)
        inputs[positions == 0] = self.bos
        return TextBatch(
            torch.from_numpy(inputs),
            torch.from_numpy(self.ids[positions].astype(np.int64)),
            fresh,
            None if inside.all() else torch.from_numpy(inside),
            (last - first) / self.bptt if self.vary_bptt else 1.0,
        )


def windows(ids: torch.Tensor, state: State, size: int, bos: int) -> tuple[torch.Tensor, State]:
    """Prepend the context that completes the first window, for models of a fixed order.

    Args:
        ids: (B, T) int64.
        state: (B, size - 1) the ids before, or None at the start of a text.
        bos: id before the start of a text, repeated as needed.

    Returns:
        (B, T + size - 1), where [:, t:t + size] is the window that ends with ids[:, t]; and the next state.
    """
    context = ids.new_full((len(ids), size - 1), bos) if state is None else state
    padded = torch.cat([context, ids], 1)
    return padded, padded[:, padded.shape[1] - (size - 1) :]
