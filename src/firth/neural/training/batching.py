"""Batches of sequences of similar length: sentences to tag, pairs to translate.

**What** A batch of sequences is as wide as its longest; the rest is padding and wasted computation. Items are shuffled,
pools of some hundred batches are sorted by length and cut, and the batches are shuffled again: items of a batch are
similar in length and otherwise random.

**Objective** Every item once per epoch. A batch holds at most `batch_size` items, or at most `batch_size` tokens with
padding.

**Source** The usual practice of neural translation since Sutskever et al. 2014, section 3.4.

**Departures** The order is a function of the seed and the epoch only, so that a run can resume anywhere. An item longer
than a batch of tokens may be has a batch of its own. For several processes no batch has fewer items than there are
processes: such a batch at the end of a pool joins the one before.

**Cost** A sort per epoch; the plan of one epoch is cached, eight bytes per item.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, Required, Self, TypedDict, TypeVar, Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, OptionError
from firth.neural.training.task import Batches
from firth.randomness import generator

Item = TypeVar("Item")
Rows = npt.NDArray[np.int64]


class BatchOptions(TypedDict, total=False):
    """Options of `Buckets`: how many items a batch has, and in which order they come."""

    batch_size: Required[int]
    tokens: bool
    shuffle: bool
    seed: int


class TensorBatch:
    """A frozen dataclass of tensors, and of tuples and dataclasses of them: the input of a step or of a module.

    Attributes:
        fresh: True: no state is carried from batch to batch.
        scale: of the learning rate: 1.
        on_cpu: names of the fields that stay on the CPU.
    """

    fresh: ClassVar[bool] = True
    scale: ClassVar[float] = 1.0
    on_cpu: ClassVar[tuple[str, ...]] = ()

    def to(self, device: torch.device) -> Self:
        """Return the batch with its tensors on a device."""
        batch: Any = self
        names = [field.name for field in fields(batch) if field.name not in self.on_cpu]
        moved: Self = replace(batch, **{name: _moved(getattr(batch, name), device) for name in names})
        return moved


def _moved(value: Any, device: torch.device) -> Any:
    if hasattr(value, "to"):
        return value.to(device)
    if not isinstance(value, tuple):
        return value
    parts = (_moved(part, device) for part in value)
    return value._make(parts) if hasattr(value, "_make") else tuple(parts)  # a named tuple stays one


@dataclass(frozen=True, eq=False, kw_only=True)
class Buckets(Generic[Item]):
    """Items in batches of similar length; implements `firth.neural.training.task.Batches`.

    Attributes:
        items: N items.
        lengths: (N,) number of tokens of each item.
        collate: returns a batch of a list of items; `pad` helps.
        batch_size: maximum number of items per batch, or of tokens with padding.
        tokens: whether `batch_size` counts tokens.
        shuffle: whether each epoch has a new random order; otherwise items are in order of length.
        seed: of the order.
        pool: number of batches whose items are sorted together; larger pools waste less and are less random.
        part: (rank, count) of a process; each has its part of every batch.
    """

    items: Sequence[Item]
    lengths: Rows
    collate: Callable[[list[Item]], Any]
    batch_size: int
    tokens: bool = False
    shuffle: bool = True
    seed: int = 0
    pool: int = 100
    part: tuple[int, int] = (0, 1)
    _plans: dict[int, list[Rows]] = field(default_factory=dict, repr=False)  # of the last epoch

    def __post_init__(self) -> None:
        if len(self.items) == 0:
            raise CorpusError("no items to make batches of: expected at least one")
        if self.batch_size < 1:
            raise OptionError(f"batch_size={self.batch_size}: expected a whole number of at least 1")

    @classmethod
    def of(
        cls,
        items: Sequence[Item],
        collate: Callable[[list[Item]], Any],
        length: Callable[[Item], int] | None = None,
        **options: Unpack[BatchOptions],
    ) -> "Buckets[Item]":
        """Return items in batches of similar length; without lengths, for which nothing is padded, in random ones."""
        lengths = np.array([0 if length is None else length(item) for item in items], dtype=np.int64)
        return Buckets(items=items, lengths=lengths, collate=collate, **options)

    def count(self, epoch: int) -> int:
        """Return the number of batches of an epoch."""
        return len(self.plan(epoch))

    def epoch(self, number: int, start: int = 0) -> Iterator[Any]:
        """Yield the batches of an epoch (numbered from 0), without the first `start`."""
        rank, of = self.part
        for rows in self.plan(number)[start:]:
            yield self.collate([self.items[row] for row in rows[rank::of].tolist()])

    def shard(self, rank: int, of: int) -> "Buckets[Item]":
        """Return the part of every batch for process `rank` (from 0) `of` so many.

        Raises:
            OptionError: there are fewer items than processes, or a batch holds fewer.
        """
        most = len(self.items) if self.tokens else min(self.batch_size, len(self.items))
        if of > most:
            raise OptionError(f"processes={of}: a batch has {most} items, expected one each at least")
        return replace(self, part=(rank, of), _plans={})

    def plan(self, epoch: int) -> list[Rows]:
        """Return the indices of the items of each batch, the same for all processes."""
        key = epoch if self.shuffle else 0
        if key not in self._plans:
            self._plans.clear()
            self._plans[key] = self._new_plan(key)
        return self._plans[key]

    def waste(self, epoch: int = 0) -> float:
        """Return the fraction of padding among all computed tokens of an epoch."""
        sizes = [
            (len(rows) * int(self.lengths[rows].max()), int(self.lengths[rows].sum())) for rows in self.plan(epoch)
        ]
        computed, tokens = np.sum(sizes, axis=0)
        return 1 - float(tokens) / max(float(computed), 1.0)

    def in_item_order(self, values: Sequence[Sequence[Any]], epoch: int = 0) -> list[Any]:
        """Return N values in the order of the items, given those of each batch of an epoch."""
        result: list[Any] = [None] * len(self.items)
        for rows, batch in zip(self.plan(epoch), values, strict=True):
            for row, value in zip(rows.tolist(), batch, strict=True):
                result[row] = value
        return result

    def _new_plan(self, epoch: int) -> list[Rows]:
        if not self.shuffle:
            return self._cut(np.argsort(self.lengths, kind="stable"))
        random = generator(self.seed, f"order of epoch {epoch}")
        order = random.permutation(len(self.items))
        size = self.pool * max(self._items_per_batch(), self.part[1])
        cuts = [*range(0, max(len(order) - self.part[1], 0) + 1, size), len(order)]  # no pool is too small for a batch
        pools = [order[first:last] for first, last in itertools.pairwise(cuts)]
        batches = [rows for pool in pools for rows in self._cut(pool[np.argsort(self.lengths[pool], kind="stable")])]
        return [batches[i] for i in random.permutation(len(batches))]

    def _items_per_batch(self) -> int:
        if not self.tokens:
            return self.batch_size
        return max(1, int(self.batch_size / max(float(self.lengths.mean()), 1.0)))

    def _cut(self, rows: Rows) -> list[Rows]:
        """Cut items, shortest first, into the largest batches allowed."""
        least, borders = self.part[1], [0]
        while borders[-1] < len(rows):
            first = borders[-1]
            borders.append(min(first + max(self._fitting(rows[first:]), least), len(rows)))
        if len(borders) > 2 and borders[-1] - borders[-2] < least:
            del borders[-2]
        return [rows[first:last] for first, last in itertools.pairwise(borders)]

    def _fitting(self, rows: Rows) -> int:
        if not self.tokens:
            return self.batch_size
        most = rows[: self.batch_size]  # each has at least one token
        sizes = self.lengths[most] * np.arange(1, len(most) + 1)  # ascending: items are sorted by length
        return int(np.searchsorted(sizes, self.batch_size, side="right"))


def pad(sequences: Sequence[Sequence[int] | Rows], value: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (B, T) int64 ids of B sequences, padded with `value` on the right, and their (B,) int64 lengths."""
    lengths = torch.tensor([len(sequence) for sequence in sequences], dtype=torch.int64)
    ids = torch.full((len(sequences), int(lengths.max())), value, dtype=torch.int64)
    for row, sequence in zip(ids, sequences, strict=True):
        row[: len(sequence)] = torch.as_tensor(sequence)
    return ids, lengths


@dataclass(frozen=True)
class Accumulated:
    """Batches in groups; the last group of an epoch may be smaller.

    Attributes:
        batches: training data.
        size: batches of an update.
    """

    batches: Batches
    size: int

    def count(self, epoch: int) -> int:
        """Return the number of groups of an epoch."""
        return -(-self.batches.count(epoch) // self.size)

    def epoch(self, number: int, start: int = 0) -> Iterator[list[Any]]:
        """Yield the groups of an epoch (numbered from 0), without the first `start`."""
        batches = self.batches.epoch(number, start * self.size)
        while group := list(itertools.islice(batches, self.size)):
            yield group

    def shard(self, rank: int, of: int) -> "Accumulated":
        """Return the part of each batch for process `rank` (from 0) `of` so many."""
        return Accumulated(self.batches.shard(rank, of), self.size)
