"""A text as parallel streams: the batches of truncated back-propagation through time.

**What** A text of N tokens is cut into B streams of equal length, to within one token. A batch takes the next T tokens
of every stream; the model's state at its end is where the next batch starts, with gradients cut between the two.

**Objective** Every token is predicted exactly once an epoch, from the token before it in the text and from the state.
The token before the first of a stream is the last of the stream before; before the text itself stands what the caller
says, usually the end of a sentence.

**Source** Williams and Peng 1990 (truncation); Mikolov et al. 2010 (for language models); Merity et al. 2018, section
4.1 (steps drawn at random).

**Departures** Nothing is dropped at the tail. Where B does not divide N, the first N mod B streams are a token longer;
those tokens join the last batch as one more column, in which the other streams predict nothing (`TextBatch.chosen`
leaves them out). The last batch may also be shorter than T. Steps drawn at random are drawn for a whole epoch at once,
from the seed and the epoch, so that a run can go on anywhere.

**Cost** A batch is two gathers of B T numbers; the text stays where it is, on disk if it is mapped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, OptionError
from firth.randomness import generator

SPREAD, SHORT, RARELY = 5.0, 5, 0.05  # Merity's: deviation of T, its least, how often it is drawn around half


@dataclass(frozen=True, eq=False)
class TextBatch:
    """The next T tokens of B streams.

    Attributes:
        inputs: (B, T) int64, the token before each.
        targets: (B, T) int64, what is to be predicted.
        fresh: whether the streams begin here.
        predicted: (B, T) bool, which targets count; None where all do.
        scale: T beside the usual T; the learning rate follows it.
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

    def chosen(self, hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what an output layer takes, of the tokens that count.

        Args:
            hidden: (B, T, D) what a model made of the inputs.

        Returns:
            (N, D) and (N,) targets; stream by stream, each in the order of the text.
        """
        if self.predicted is None:
            return hidden.flatten(0, 1), self.targets.flatten()
        return hidden[self.predicted], self.targets[self.predicted]


@dataclass(frozen=True, eq=False, kw_only=True)
class TextStream:
    """A text in B streams; it is `firth.neural.training.task.Batches`.

    Attributes:
        ids: (N,) whole numbers, in memory or mapped: what is predicted.
        inputs: (N,) the same tokens as a model reads them, where its inputs have other numbers; None for `ids`.
        batch_size: B; a text shorter than that has one stream a token.
        steps: T.
        before: the id that stands before the first token.
        vary: whether T is drawn at random around `steps`.
        seed: of those draws.
        part: which of how many processes this is for; each has its share of the streams.
    """

    ids: npt.NDArray[Any]
    batch_size: int
    steps: int
    before: int
    vary: bool = False
    seed: int = 0
    part: tuple[int, int] = (0, 1)
    inputs: npt.NDArray[Any] | None = None

    def __post_init__(self) -> None:
        if len(self.ids) == 0:
            raise CorpusError("the text holds no token: expected at least one to predict")

    def count(self, epoch: int) -> int:
        """Return how many batches an epoch has; only steps drawn at random make epochs differ."""
        return len(self._borders(epoch)) - 1

    def epoch(self, number: int, start: int = 0) -> Iterator[TextBatch]:
        """Yield the batches of an epoch from one of them on.

        Args:
            number: of the epoch, from 0.
            start: the batches to leave out.
        """
        borders = self._borders(number)
        for index in range(start, len(borders) - 1):
            yield self._batch(borders[index], borders[index + 1], fresh=index == 0)

    def shard(self, rank: int, of: int) -> "TextStream":
        """Return the streams that one of several processes trains on; together they have them all.

        Args:
            rank: of the process, from 0.
            of: how many processes there are.

        Raises:
            OptionError: there are fewer streams than processes.
        """
        if of > len(self._lengths):
            raise OptionError(f"processes={of}: the text has {len(self._lengths)} streams, expected one each at least")
        return replace(self, part=(rank, of))

    def assembled(self, values: Sequence[npt.NDArray[Any]], epoch: int = 0) -> npt.NDArray[Any]:
        """Bring values that were computed batch by batch into the order of the text.

        Args:
            values: for each batch of an epoch, one value a predicted token, in the order of `TextBatch.chosen`.
            epoch: which.

        Returns:
            (N,) one value a token.
        """
        result = np.empty(len(self.ids), dtype=values[0].dtype)
        borders = self._borders(epoch)
        for first, last, part in zip(borders, borders[1:], values, strict=False):
            places, inside = self._places(first, last)
            result[places[inside]] = part
        return result

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
        lengths = self._drawn(shortest, epoch) if self.vary else np.full(-(-shortest // self.steps), self.steps)
        borders = [0, *np.cumsum(lengths).tolist()]
        borders[-1] = int(self._lengths[0])  # the last batch takes what is left, a ragged column included
        return borders

    def _drawn(self, columns: int, epoch: int) -> npt.NDArray[np.int64]:
        random = generator(self.seed, f"steps of epoch {epoch}")
        most = columns // min(SHORT, self.steps) + 1
        usual = np.where(random.random(most) < RARELY, self.steps / 2, self.steps)
        lengths = np.maximum(random.normal(usual, SPREAD).astype(np.int64), min(SHORT, self.steps))
        return lengths[: int(np.searchsorted(np.cumsum(lengths), columns)) + 1]

    def _places(self, first: int, last: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        columns = np.arange(first, last)
        return self._starts[self._rows, None] + columns, columns < self._lengths[self._rows, None]

    def _batch(self, first: int, last: int, *, fresh: bool) -> TextBatch:
        places, inside = self._places(first, last)
        if not inside.all():
            places = np.where(inside, places, 0)  # any token: nothing is predicted there
        inputs = (self.ids if self.inputs is None else self.inputs)[places - 1].astype(np.int64)
        inputs[places == 0] = self.before
        return TextBatch(
            torch.from_numpy(inputs),
            torch.from_numpy(self.ids[places].astype(np.int64)),
            fresh,
            None if inside.all() else torch.from_numpy(inside),
            (last - first) / self.steps if self.vary else 1.0,
        )
