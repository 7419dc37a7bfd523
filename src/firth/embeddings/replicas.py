"""Training that does not depend on the number of threads: replicas of the parameters, merged at fixed points.

What: the corpus is split into a fixed number of shards, whatever the number of threads. Each shard trains its own
replica, and replicas are merged after equal numbers of tokens. Learning rates and random numbers follow from the seed,
the shard and the position in the corpus, and merges sum in the order of the shards, so that the result does not depend
on which thread or machine trains a shard, nor when.

Objective: `firth.kernels.merging` has the merge rule, b' = b + w sum_s (r_s - b). It is exact for changes that do not
depend on each other. A row moves by about lr in each prediction that it takes part in; if S replicas together make so
many between two merges that

    x = S lr n p,    p predictions of the row a token, n tokens of a shard between two merges

is large, each replica moves towards the same optimum, and the sum overshoots. So rows are merged the more often the
more predictions they take part in: n is the largest of TIERS intervals, each twice the one before it, for which x is
at most BOUND, or else the first. Where the first is too long for a row, its weight is w = stable / x, from 1 to 1/S.
What is stable depends on the directions in which the other rows of its predictions lie: half their number, which is at
most D, and small in a corpus of few words or without subsampling. There, the first interval is shorter, too. A cluster,
whose intervals are longer and whose shards may be many, takes STABLE for it: with more, training diverged
(benchmarks/results/cluster.md). The schedule of an epoch follows the learning rate that the epoch begins with: as it
falls, merges get rarer.

The mean of all replicas at one common interval divides the learning rate of most rows by S, and their sum diverges; the
mean over the replicas that have changed a row does no better, for most rows are changed by all (benchmarks/LOG.md).

Source: Ji et al. 2016, "Parallelizing word2vec in shared and distributed memory", whose machines merge frequent words
more often than rare ones, for the tiers; `firth.kernels.merging` for the rule.

Departures: Ji et al. average the copies of all machines at each merge and raise the learning rate with their number.
Here changes are summed, and the learning rate is that of one thread.

Cost: S more copies of both matrices; 2 (S + 1) row accesses per merge of a row, after which S times as many
predictions of the row follow as x / lr says: the cost per word of the corpus hardly depends on V.
"""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from firth.embeddings.matrices import Matrices
from firth.embeddings.shards import Shard, TrainShard
from firth.kernels.compiled import read_only
from firth.kernels.merging import collect_rows, merge_lists, merge_rows, take_rows
from firth.kernels.rows import aligned_rows

SHARDS = 4
BOUND = 1.0  # largest x: above it, the first epoch is unstable; below it, only time is lost (benchmarks/LOG.md)
STABLE = 2.0  # the least x up to which changes are added in full
ROWS_PER_DIRECTION = 20  # equally frequent rows that span one more direction
SHORTEST, LONGEST = 64, 1024  # bounds of the first interval, in tokens of a shard
TIERS = 11  # intervals, each twice the one before it: the last one, 2^20 tokens, bounds the time to a checkpoint
KEPT = 2**17  # rows whose memory is kept for those that travel: 59 MB at 100 dimensions, which most merges do not fill
PIECE = 1024  # rows that one thread merges before a second one is worth its start

Rows = npt.NDArray[np.int32]
Rates = npt.NDArray[np.float64]
Train = Callable[[Sequence[Shard]], None]
RunAll = Callable[[Sequence[Callable[[], None]]], None]


class RowRates(NamedTuple):
    """Rates at which training changes the rows of a model: expected predictions per token of the corpus.

    The K noise words of a prediction count as one: over a training, they push as much as the predicted word pulls.
    """

    inputs: Rates  # (R,), or fewer: the rows behind them take part in none, or in those of one shard only
    outputs: Rates  # (O,), or fewer; of rows with several parts, those of each part


@dataclass(frozen=True, eq=False)
class MatrixPlan:
    """When the rows of one matrix are merged.

    Attributes:
        due: for each tier, the rows that are merged with it: its own and those of the tiers before it.
        weights: (R,) float32, w.
    """

    due: Sequence[Rows]
    weights: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Schedule:
    """When shards are merged, and which rows: it follows from the rates, the learning rate and the number of shards.

    Attributes:
        interval: tokens of a shard between two merges, the first tier's.
        tiers: number of tiers; a merge with the last one leaves all replicas equal.
        plans: one for each matrix.
    """

    interval: int
    tiers: int
    plans: Sequence[MatrixPlan]

    @classmethod
    def of(cls, rates: Sequence[Rates], lr: float, shards: int, dim: int, longest: int | None = None) -> "Schedule":
        """Return the schedule of a training.

        Args:
            rates: (R,) predictions per token, for each matrix.
            shards: S.
            dim: D.
            longest: bound of the first interval, for merges that cost more; LONGEST if None. Over longer intervals,
                and with more shards, sums of changes are stable no further than x = STABLE.
        """
        moves = [shards * lr * rate for rate in rates]
        stable = _stable(moves, dim)
        typical = max(
            float((move**2).sum() / move.sum()) if move.any() else 0.0 for move in moves
        )  # rows of a prediction
        added = stable if longest is None else STABLE  # the x up to which changes are added in full
        interval = longest or LONGEST
        while interval > SHORTEST and interval * typical > stable / 2:
            interval //= 2
        with np.errstate(divide="ignore"):  # a row without predictions can wait forever
            room = [BOUND / (move * interval) for move in moves]
        tier = [sum((limit >= 2**k).astype(np.int8) for k in range(1, TIERS)) for limit in room]
        tiers = 1 + max(int(np.max(tiers_of_rows, initial=0)) for tiers_of_rows in tier)
        plans = [
            MatrixPlan(
                [np.flatnonzero(own <= k).astype(np.int32) for k in range(tiers)],
                (limit * (added / BOUND)).clip(1 / shards, 1).astype(np.float32),
            )
            for own, limit in zip(tier, room, strict=True)
        ]
        return cls(interval, tiers, plans)

    def step(self, shards: Sequence[Shard]) -> int:
        """Return the number of merges of this epoch so far, from the positions of all shards after one."""
        return max(-(-int(shard.position[0] - shard.first) // self.interval) for shard in shards)

    def next_parts(self, shards: Sequence[Shard]) -> list[Shard]:
        """Return the same shards, each up to the next merge."""
        read = (self.step(shards) + 1) * self.interval
        return [dataclasses.replace(shard, last=min(shard.first + read, shard.last)) for shard in shards]

    def next_merge(self, shards: Sequence[Shard]) -> tuple[list[Shard], int]:
        """Return the same shards up to the next merge, and its tier."""
        parts = self.next_parts(shards)
        there = [
            dataclasses.replace(shard, position=np.array([part.last], dtype=np.int64))
            for shard, part in zip(shards, parts, strict=True)
        ]
        return parts, self.tier(there)

    def tier(self, shards: Sequence[Shard]) -> int:
        """Return the last tier that is due at the positions of all shards; at the end of an epoch, all are."""
        if all(shard.position[0] >= shard.last for shard in shards):
            return self.tiers - 1
        step = self.step(shards)
        return max(k for k in range(self.tiers) if step % 2**k == 0)


class Merging(Protocol):
    """The interface of replicas of the parameters, in this process or on other machines.

    Attributes:
        longest: bound of the first interval; see `Schedule.of`.
    """

    schedule: Schedule
    longest: int | None

    def begin(self, trainer: Callable[[Matrices], TrainShard], shards: Sequence[Shard]) -> list[TrainShard]:
        """Set every replica to the common parameters; return the functions that train the replicas of this process."""
        ...

    def plan(self, lr: float) -> None:
        """Set the schedule for an epoch that begins with a learning rate."""
        ...

    def advance(self, shards: Sequence[Shard], train: Train, run_all: RunAll, pieces: int) -> int:
        """Train all shards to the next merge, and merge; return the tier of the merge.

        Args:
            shards: all of them; their state moves on.
            train: trains the shards of this process up to their ends.
            run_all: calls functions in any order, or at one time.
            pieces: parts that the merge may have.
        """
        ...

    def merge(self) -> None:
        """Merge all rows."""
        ...

    def compile(self) -> None:
        """Compile the merge before the first is due."""
        ...


class Changes(NamedTuple):
    """Changes of replicas since their rows were last merged, or the result of their merge.

    A few large arrays, for each array that travels has a price. They are valid until the next call that returns any:
    their memory is used again.
    """

    counts: npt.NDArray[np.int64]  # (matrices, replicas) rows of each; (matrices, 1) of a merge
    rows: Rows  # (n,) those of the first matrix's first replica in ascending order, then those of its second, ...
    values: npt.NDArray[np.float32]  # (n, P)


class RowRoom:
    """Memory for rows that travel, kept between merges: the first write to new memory costs more than the row.

    Room for more than KEPT rows is allocated at each call: only the rare merges of all rows need it.

    Args:
        width: P.
    """

    def __init__(self, width: int) -> None:
        self._rows, self._values = np.empty(0, dtype=np.int32), aligned_rows(0, width)

    def of(self, count: int) -> tuple[Rows, npt.NDArray[np.float32]]:
        """Return arrays for a number of rows and their values."""
        if count <= len(self._rows):
            return self._rows, self._values
        made = np.empty(count, dtype=np.int32), aligned_rows(count, self._values.shape[1])
        if count <= KEPT:
            self._rows, self._values = made
        return made


class Replicas:
    """A replica of the parameters for each shard, or for some of them.

    Attributes:
        longest: bound of the first interval; see `Schedule.of`.
        matrices: the replicas, in the order of the shards; their other attributes are those of the common parameters.
    """

    schedule: Schedule
    matrices: list[Matrices]

    def __init__(
        self,
        common: Matrices,
        rates: RowRates,
        lr: float,
        shards: int,
        *,
        owned: int | None = None,
        longest: int | None = None,
    ) -> None:
        """Allocate replicas, whose contents `begin` sets.

        Args:
            common: the parameters; output rows may have several parts, each as wide as an input row.
            rates: predictions of the rows per token of the corpus.
            lr: learning rate of the first schedule.
            shards: S.
            owned: number of replicas here; S if None.
            longest: bound of the first interval; see `Schedule.of`.
        """
        self._common = matrices_of(common)
        self._shards, self._dim, self.longest = shards, common.dim, longest
        self._rates = padded_rates(common, rates)
        self.plan(lr)
        count = shards if owned is None else owned
        self._stacks = tuple(
            aligned_rows(count * len(matrix), matrix.shape[1]).reshape(count, *matrix.shape) for matrix in self._common
        )
        self.matrices = [
            dataclasses.replace(common, inputs=own, outputs=out.reshape(common.outputs.shape))
            for own, out in zip(*self._stacks, strict=True)
        ]
        self._room = RowRoom(self._common[0].shape[1])

    def plan(self, lr: float) -> None:
        """Set the schedule for an epoch that begins with a learning rate."""
        self.schedule = Schedule.of(self._rates, lr, self._shards, self._dim, self.longest)
        self._shares: dict[tuple[int, int], list[tuple[Rows, ...]]] = {}  # all merges with a tier have the same

    def begin(self, trainer: Callable[[Matrices], TrainShard], shards: Sequence[Shard]) -> list[TrainShard]:
        """Set every replica to the common parameters; return the functions that train them."""
        for common, stack in zip(self._common, self._stacks, strict=True):
            stack[:] = common
        return [trainer(own) for own in self.matrices]

    def compile(self) -> None:
        """Compile the merge before the first is due."""
        for common, stack, plan in zip(self._common, self._stacks, self.schedule.plans, strict=True):
            merge_rows(common, stack, np.empty(0, dtype=np.int32), plan.weights)

    def advance(self, shards: Sequence[Shard], train: Train, run_all: RunAll, pieces: int) -> int:
        """Train all shards to the next merge, and merge; see `Merging.advance`."""
        train(self.schedule.next_parts(shards))
        tier = self.schedule.tier(shards)
        run_all(self._merges(tier, pieces))
        return tier

    def merge(self) -> None:
        """Merge all rows."""
        for part in self._merges(self.schedule.tiers - 1):
            part()

    def _merges(self, tier: int, pieces: int = 1) -> list[Callable[[], None]]:
        """Return the parts of a merge, each with its share of every matrix."""
        if (tier, pieces) not in self._shares:
            due = [plan.due[tier] for plan in self.schedule.plans]
            count = min(pieces, 1 + sum(map(len, due)) // PIECE)
            self._shares[tier, pieces] = list(zip(*(np.array_split(rows, count) for rows in due), strict=True))
        return [functools.partial(self._merge_part, share) for share in self._shares[tier, pieces]]

    def _merge_part(self, due: Sequence[Rows]) -> None:
        for common, stack, rows, plan in zip(self._common, self._stacks, due, self.schedule.plans, strict=True):
            merge_rows(common, stack, rows, plan.weights)

    def changes(self, tier: int) -> Changes:
        """Return the changes of the replicas here in the rows that are due with a tier."""
        due = [plan.due[tier] for plan in self.schedule.plans]
        rows, values = self._room.of(len(self.matrices) * sum(map(len, due)))
        counts = np.zeros((len(due), len(self.matrices)), dtype=np.int64)
        end = 0
        for m, (common, stack) in enumerate(zip(self._common, self._stacks, strict=True)):
            for s, replica in enumerate(stack):
                counts[m, s] = collect_rows(common, replica, due[m], rows[end:], values[end:])
                end += counts[m, s]
        return Changes(counts, rows[:end], values[:end])

    def take(self, merged: Changes) -> None:
        """Set merged rows, in the common parameters and in all replicas here."""
        end = 0
        for common, stack, (count,) in zip(self._common, self._stacks, merged.counts, strict=True):
            part = slice(end, end + count)
            take_rows(common, stack, read_only(merged.rows[part]), read_only(merged.values[part]))
            end += count


def merge_changes(
    matrices: Sequence[npt.NDArray[np.float32]],
    changes: Sequence[Changes],
    weights: Sequence[npt.NDArray[np.float32]],
    room: RowRoom,
) -> Changes:
    """Merge the changes of all replicas into matrices; return the new rows.

    Args:
        matrices: the common ones, (R, P) each, updated in place.
        changes: of replicas in the order of the shards: of one or several in each item.
        weights: (R,) w for each matrix.
    """
    list_sizes = [sum(int(change.counts[m].sum()) for change in changes) for m in range(len(matrices))]
    rows, values = room.of(sum(min(n, len(common)) for n, common in zip(list_sizes, matrices, strict=True)))
    counts, end = np.zeros((len(matrices), 1), dtype=np.int64), 0
    lists = np.concatenate([_lists(change) for change in changes], axis=1)
    for m, (common, weight) in enumerate(zip(matrices, weights, strict=True)):
        counts[m] = merge_lists(common, weight, lists[m], rows[end:], values[end:])
        end += int(counts[m, 0])
    return Changes(counts, rows[:end], values[:end])


def _lists(changes: Changes) -> npt.NDArray[np.int64]:
    """Return (matrices, replicas, 3): addresses of the rows and values of each, and their number."""
    ends = changes.counts.cumsum().reshape(changes.counts.shape)
    firsts = ends - changes.counts
    rows = changes.rows.ctypes.data + changes.rows.itemsize * firsts
    values = changes.values.ctypes.data + changes.values.strides[0] * firsts
    return np.stack([rows, values, changes.counts], axis=-1)


def matrices_of(common: Matrices) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return both matrices with rows of the width of an input row: output rows may have several parts."""
    return common.inputs, common.outputs.reshape(-1, common.inputs.shape[1])


def padded_rates(common: Matrices, rates: RowRates) -> list[Rates]:
    """Return the rates of all rows of `matrices_of`."""
    parts = common.outputs.shape[1] // max(1, common.inputs.shape[1])
    inputs, outputs = matrices_of(common)
    return [_padded(rates.inputs, len(inputs)), _padded(np.repeat(rates.outputs, parts), len(outputs))]


def _stable(moves: Sequence[Rates], dim: int) -> float:
    """Return the x up to which changes are added in full, from the effective number of rows in predictions."""
    rows = next((float(move.sum() ** 2 / (move**2).sum()) for move in moves if move.any()), 0.0)
    return max(STABLE, min(dim, rows / ROWS_PER_DIRECTION) / 2)


def _padded(rates: Rates, rows: int) -> Rates:
    return np.concatenate([rates, np.zeros(rows - len(rates))])
