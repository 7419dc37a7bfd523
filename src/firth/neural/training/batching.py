"""Items of many lengths in batches of like ones: sentences to tag, pairs to translate.

**What** A batch of sequences is as wide as its longest; the rest is padding, which is computed for nothing. Items are
shuffled, pools of some hundred batches are sorted by length and cut, and the batches are shuffled again: neighbours in
a batch are alike in length and otherwise at random.

**Objective** Every item once an epoch. A batch holds at most `batch_size` items, or items times the longest of them at
most `batch_size` tokens.

**Source** The usual practice of neural translation since Sutskever et al. 2014, section 3.4.

**Departures** The order is a function of the seed and the epoch alone, so that a run can go on anywhere. An item longer
than a batch of tokens may be has a batch of its own. For several processes no batch has fewer items than there are
processes: one at the end of a pool joins the batch before it.

**Cost** A sort an epoch; the plan of one epoch is remembered, eight bytes an item.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, OptionError
from firth.randomness import generator

Item = TypeVar("Item")
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Buckets(Generic[Item]):
    """Items in batches of like length; it is `firth.neural.training.task.Batches`.

    Attributes:
        items: N of them.
        lengths: (N,) tokens of each, what its place in a batch costs.
        collate: makes a batch of some of them; `padded` helps.
        batch_size: items of a batch, or its tokens, padding included.
        tokens: whether `batch_size` counts tokens.
        shuffle: whether the order is drawn anew each epoch; where not, items go by length, and equal ones as they came.
        seed: of the order.
        pool: batches whose items are sorted together; more waste less and are less at random.
        part: which of how many processes this is for; each has its share of every batch.
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
    _plans: dict[int, list[Rows]] = field(default_factory=dict, repr=False)  # of one epoch, the last asked for

    def __post_init__(self) -> None:
        if len(self.items) == 0:
            raise CorpusError("there is nothing to make batches of: expected at least one item")
        if self.batch_size < 1:
            raise OptionError(f"batch_size={self.batch_size}: expected a whole number of at least 1")

    def count(self, epoch: int) -> int:
        """Return how many batches an epoch has."""
        return len(self.plan(epoch))

    def epoch(self, number: int, start: int = 0) -> Iterator[Any]:
        """Yield the batches of an epoch from one of them on.

        Args:
            number: of the epoch, from 0.
            start: the batches to leave out.
        """
        rank, of = self.part
        for rows in self.plan(number)[start:]:
            yield self.collate([self.items[row] for row in rows[rank::of].tolist()])

    def shard(self, rank: int, of: int) -> "Buckets[Item]":
        """Return the part of every batch that one of several processes trains on; together they have them all.

        Args:
            rank: of the process, from 0.
            of: how many processes there are.

        Raises:
            OptionError: there are fewer items than processes, or a batch holds fewer.
        """
        most = len(self.items) if self.tokens else min(self.batch_size, len(self.items))
        if of > most:
            raise OptionError(f"processes={of}: a batch has {most} items, expected one each at least")
        return replace(self, part=(rank, of), _plans={})

    def plan(self, epoch: int) -> list[Rows]:
        """Return which items are in which batch.

        Args:
            epoch: from 0.

        Returns:
            For each batch the places of its items in `items`, the same for all processes.
        """
        key = epoch if self.shuffle else 0
        if key not in self._plans:
            self._plans.clear()
            self._plans[key] = self._planned(key)
        return self._plans[key]

    def waste(self, epoch: int = 0) -> float:
        """Return the share of padding among all that is computed in an epoch, from 0 to 1."""
        sizes = [
            (len(rows) * int(self.lengths[rows].max()), int(self.lengths[rows].sum())) for rows in self.plan(epoch)
        ]
        computed, used = np.sum(sizes, axis=0)
        return 1 - float(used) / max(float(computed), 1.0)

    def assembled(self, values: Sequence[Sequence[Any]], epoch: int = 0) -> list[Any]:
        """Bring what was computed batch by batch into the order of the items.

        Args:
            values: for each batch of an epoch, one value an item.
            epoch: which.

        Returns:
            N values.
        """
        result: list[Any] = [None] * len(self.items)
        for rows, batch in zip(self.plan(epoch), values, strict=True):
            for row, value in zip(rows.tolist(), batch, strict=True):
                result[row] = value
        return result

    def _planned(self, epoch: int) -> list[Rows]:
        if not self.shuffle:
            return self._cut(np.argsort(self.lengths, kind="stable"))
        random = generator(self.seed, f"order of epoch {epoch}")
        order = random.permutation(len(self.items))
        size = self.pool * max(self._items_a_batch(), self.part[1])
        cuts = [*range(0, max(len(order) - self.part[1], 0) + 1, size), len(order)]  # no pool of too few for a batch
        pools = [order[first:last] for first, last in itertools.pairwise(cuts)]
        batches = [rows for pool in pools for rows in self._cut(pool[np.argsort(self.lengths[pool], kind="stable")])]
        return [batches[place] for place in random.permutation(len(batches))]

    def _items_a_batch(self) -> int:
        if not self.tokens:
            return self.batch_size
        return max(1, int(self.batch_size / max(float(self.lengths.mean()), 1.0)))

    def _cut(self, rows: Rows) -> list[Rows]:
        """Cut items, shortest first, into batches that are as large as they may be."""
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
        most = rows[: self.batch_size]  # each has a token at least
        sizes = self.lengths[most] * np.arange(1, len(most) + 1)  # grows: the next is never shorter
        return int(np.searchsorted(sizes, self.batch_size, side="right"))


def padded(sequences: Sequence[Sequence[int] | Rows], value: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sequences of ids side by side.

    Args:
        sequences: B of them, of lengths up to T.
        value: what stands behind the shorter ones.

    Returns:
        (B, T) int64 and (B,) int64, their lengths.
    """
    lengths = torch.tensor([len(sequence) for sequence in sequences], dtype=torch.int64)
    ids = torch.full((len(sequences), int(lengths.max())), value, dtype=torch.int64)
    for row, sequence in zip(ids, sequences, strict=True):
        row[: len(sequence)] = torch.as_tensor(sequence)
    return ids, lengths
