"""Replicas of the parameters that workers own: the head of a training on a cluster.

The head has the common parameters and the states of all shards. At each merge (`firth.embeddings.replicas`), workers
report the rows that their replicas have changed; the head merges them in the order of the shards, and the next request
hands the new rows to all workers. So a result depends on the seed, the number of shards and the longest first interval,
and not on the number of workers: with the same three it has the bits of replicas in one process.

A merge of all rows leaves all replicas equal to the common parameters; the head keeps a copy of them. If a worker
is lost, everybody goes back there: a new worker, or the others, take its shards, and the result has the same bits as
without the loss.

Cost: two more copies of both matrices in the head; per merge one request to each worker, and as many rows from and to
each as have changed.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth.cluster.worker import Report, ShardState, set_state, state_of
from firth.embeddings.matrices import Matrices
from firth.embeddings.replicas import (
    Changes,
    RowRoom,
    RunAll,
    Schedule,
    Train,
    matrices_of,
    merge_changes,
    padded_rates,
)
from firth.embeddings.shards import Shard, TrainShard
from firth.errors import ClusterError, LostWorkersError, warn_caller

LOSSES = 5  # times in a row that workers are lost, without a merge of all rows between them, that end a training

Call = tuple[Any, str, tuple[Any, ...]]  # a worker, a method of `ShardWorker`, arguments


class Crew(Protocol):
    """Workers, wherever they are.

    Attributes:
        workers: at least one.
    """

    workers: list[Any]

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Call methods of different workers at one time, and return their results."""
        ...

    def share(self, value: Any) -> Any:
        """Return the reference of a large argument of several calls."""
        ...

    def replace(self, lost: Sequence[Any]) -> None:
        """Do without some workers, with new ones in their place where there is room."""
        ...


class RemoteReplicas:
    """Replicas of a run that the workers of a crew train; implements `firth.embeddings.replicas.Merging`.

    Args:
        run: a `firth.embeddings.training.TrainingRun`.
        crew: the workers, made for the same run.

    Attributes:
        longest: most tokens between merges; None for the rule of `Schedule`.
        bytes: that have travelled as rows, to and from workers.
    """

    schedule: Schedule
    longest: int | None

    def __init__(self, run: Any, crew: Crew, longest: int) -> None:
        self._crew, self.longest = crew, longest
        self._common = matrices_of(run.matrices)
        self._how = run.arguments.shards, run.matrices.dim, longest
        self._rates = padded_rates(run.matrices, run.rates())
        self._lr = run.rate.lr
        self.schedule = Schedule.of(self._rates, self._lr, *self._how)
        self._shards: Sequence[Shard] = run.shards
        self._owned: list[tuple[Any, list[int]]] = []
        self._merged: Changes | None = None
        self._room = RowRoom(run.matrices.inputs.shape[1])
        self._kept: tuple[list[Any], list[ShardState]] = [], []
        self._failures = 0
        self.merges = self.bytes = self.lost = 0

    def begin(self, trainer: Callable[[Matrices], TrainShard], shards: Sequence[Shard]) -> list[TrainShard]:
        """Set every replica to the common parameters; see `Merging.begin`. None is of this process."""
        self._shards = shards
        self._keep()
        self._spread()
        return []

    def plan(self, lr: float) -> None:
        """Set the schedule for an epoch that begins with a learning rate, from states that all replicas share."""
        self._lr = lr
        self.schedule = Schedule.of(self._rates, lr, *self._how)
        self._keep()
        try:
            self._crew.ask([(worker, "plan", (lr, self._states(numbers))) for worker, numbers in self._owned])
        except LostWorkersError as error:
            self._recover(error)

    def advance(self, shards: Sequence[Shard], train: Train, run_all: RunAll, pieces: int) -> int:
        """Let all workers train to the next merge, and merge; see `Merging.advance`.

        After the loss of a worker all shards are back at the last merge of all rows, whose tier is returned.
        """
        parts, tier = self.schedule.next_merge(shards)
        if not self._work([[parts[number].last for number in numbers] for _, numbers in self._owned], tier):
            return self.schedule.tiers - 1
        if tier == self.schedule.tiers - 1:
            self._failures = 0
            self._keep()
        return tier

    def merge(self) -> None:
        """Merge all rows of an interrupted training."""
        self._work([None] * len(self._owned), self.schedule.tiers - 1)

    def compile(self) -> None:
        """Compile the merge before the first is due."""
        width = self._common[0].shape[1]
        none = np.zeros((2, 1), dtype=np.int64)
        changes = Changes(none, np.empty(0, dtype=np.int32), np.empty((0, width), dtype=np.float32))
        merge_changes(self._common, [changes], self._weights(), self._room)

    def _work(self, lasts: Sequence[Sequence[int] | None], tier: int) -> bool:
        """Train, merge and keep the rows for the next request; False after the loss of a worker."""
        merged = None if self._merged is None else self._crew.share(self._merged)
        self._merged = None  # an interrupt while workers train must not hand them the same rows twice
        calls = [
            (worker, "advance", (merged, until, tier)) for (worker, _), until in zip(self._owned, lasts, strict=True)
        ]
        try:
            reports: list[Report] = self._crew.ask(calls)
        except LostWorkersError as error:
            self._recover(error)
            return False
        for (_, numbers), report in zip(self._owned, reports, strict=True):
            for number, state in zip(numbers, report.states, strict=True):
                set_state(self._shards[number], state)
        changes = [report.changes for report in reports]  # workers own shards in their order
        self._merged = merge_changes(self._common, changes, self._weights(), self._room)
        self.merges += 1
        self.bytes += sum(map(_size, changes)) + len(self._owned) * _size(self._merged)
        return True

    def _weights(self) -> list[npt.NDArray[np.float32]]:
        return [plan.weights for plan in self.schedule.plans]

    def _states(self, numbers: Sequence[int]) -> list[ShardState]:
        return [state_of(self._shards[number]) for number in numbers]

    def _keep(self) -> None:
        """Remember the common parameters and the states, to go back to."""
        self._kept = [matrix.copy() for matrix in self._common], self._states(range(len(self._shards)))

    def _recover(self, error: LostWorkersError) -> None:
        """Go back to the last merge of all rows, with other workers.

        Raises:
            ClusterError: workers are lost again and again.
        """
        self.lost += len(error.lost)
        self._failures += 1
        if self._failures >= LOSSES:
            raise ClusterError(
                f"workers were lost {self._failures} times in a row ({error}); expected machines that stay up, with "
                "memory for the vectors and a copy of them for each shard"
            ) from error
        warn_caller(f"lost {len(error.lost)} of {len(self._crew.workers)} workers ({error}); going on without them")
        matrices, states = self._kept
        for common, saved in zip(self._common, matrices, strict=True):
            common[:] = saved
        for shard, state in zip(self._shards, states, strict=True):
            set_state(shard, state)
        self._crew.replace(error.lost)
        self._spread()

    def _spread(self) -> None:
        """Share the shards out, and send the common parameters to all workers."""
        shares = np.array_split(np.arange(len(self._shards)), len(self._crew.workers))
        self._owned = [
            (worker, share.tolist()) for worker, share in zip(self._crew.workers, shares, strict=True) if len(share)
        ]
        self._merged = None
        matrices = self._crew.share(list(self._common))
        self.bytes += len(self._owned) * sum(matrix.nbytes for matrix in self._common)
        try:
            self._crew.ask(
                [
                    (worker, "begin", (numbers, self._states(numbers), matrices, self._lr))
                    for worker, numbers in self._owned
                ]
            )
        except LostWorkersError as error:
            self._recover(error)


def _size(changes: Changes) -> int:
    return changes.rows.nbytes + changes.values.nbytes
