"""A worker of a cluster: trains replicas of some shards and returns their changes.

It does not depend on the cluster: its owner calls its methods in turn, in this process or another.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus.as_corpus import opened_by_worker
from firth.embeddings.replicas import Changes, Replicas, matrices_of
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import TrainingArguments

STATE = ("position", "read", "random", "loss", "predictions")  # arrays of one number that a shard has

ShardState = tuple[float, ...]  # these numbers; pickled floats are smaller than arrays


@dataclass(frozen=True)
class Job:
    """The job of a worker.

    Attributes:
        model: options of the model, with all defaults filled in.
        corpus: folder of the encoded corpus, which all machines see.
        arguments: of the training, whose progress and checkpoints are the head's.
        longest: bound of the first interval; see `firth.embeddings.replicas.Schedule.of`.
    """

    model: Any
    corpus: Path
    fingerprint: str
    arguments: TrainingArguments[Any]
    longest: int


class Report(NamedTuple):
    """Result of a worker up to a merge."""

    states: list[ShardState]  # one per shard
    changes: Changes  # changes of the shards' replicas


def state_of(shard: Shard) -> ShardState:
    """Return the numbers of a shard that training changes."""
    return tuple(getattr(shard, name).item() for name in STATE)


def set_state(shard: Shard, state: ShardState) -> None:
    """Set them."""
    for name, value in zip(STATE, state, strict=True):
        getattr(shard, name)[:] = value


class ShardWorker:
    """A worker, whose shards and parameters `begin` sets.

    Raises:
        CorpusError: the corpus is not on this machine, or is another one.
    """

    def __init__(self, job: Job) -> None:
        corpus = opened_by_worker(job.corpus, job.fingerprint)
        run = job.model.train_on(corpus, dataclasses.replace(job.arguments, runner=lambda run: run))
        self._run, self._longest = run, job.longest
        self._shards: list[Shard] = []
        self._train: list[TrainShard] = []
        self._replicas: Replicas | None = None

    def begin(
        self,
        numbers: Sequence[int],
        states: Sequence[ShardState],
        matrices: Sequence[npt.NDArray[np.float32]],
        lr: float,
    ) -> None:
        """Own some shards, with parameters that are common to all.

        Args:
            matrices: those of `firth.embeddings.replicas.matrices_of`.
            lr: learning rate that the schedule follows.
        """
        run = self._run
        for own, given in zip(matrices_of(run.matrices), matrices, strict=True):
            own[:] = given
        if self._replicas is None or len(self._replicas.matrices) != len(numbers):
            self._replicas = None  # free it before making another
            shards = run.arguments.shards
            settings = {"owned": len(numbers), "longest": self._longest}
            self._replicas = Replicas(run.matrices, run.rates(), lr, shards, **settings)
        self._replicas.plan(lr)
        self._shards = [run.shards[number] for number in numbers]
        for shard, state in zip(self._shards, states, strict=True):
            set_state(shard, state)
        self._train = self._replicas.begin(run.trainer, self._shards)

    def plan(self, lr: float, states: Sequence[ShardState]) -> None:
        """Begin an epoch with a learning rate and the shards' states."""
        assert self._replicas is not None
        self._replicas.plan(lr)
        for shard, state in zip(self._shards, states, strict=True):
            set_state(shard, state)

    def advance(self, merged: Changes | None, lasts: Sequence[int] | None, tier: int) -> Report:
        """Take the rows of the last merge, train, and report.

        Args:
            merged: rows that have changed; None for none.
            lasts: where each shard's part ends; None to train nothing.
            tier: of the merge that is due then.
        """
        assert self._replicas is not None
        if merged is not None:
            self._replicas.take(merged)
        if lasts is not None:
            stop = np.zeros(1, dtype=np.int64)
            for shard, last, train in zip(self._shards, lasts, self._train, strict=True):
                train(dataclasses.replace(shard, last=last), stop)
        return Report([state_of(shard) for shard in self._shards], self._replicas.changes(tier))
