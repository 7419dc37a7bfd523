"""Gradient accumulation: several batches for one update, where one large batch would not fit into memory."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firth.neural.training.task import Batches


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
