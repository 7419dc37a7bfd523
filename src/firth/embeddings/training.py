"""The training loop of all embeddings: shards, threads, progress, checkpoints, and when to stop.

A model provides one function that trains a shard until its end or until a flag is set. Everything else happens here,
once. Ctrl-C, SIGTERM, a checkpoint and divergence all set the same flag, which kernels check between sentences.
"""

import functools
import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.embeddings.checkpoint import load_checkpoint, save_checkpoint
from firth.embeddings.matrices import Matrices
from firth.embeddings.replicas import Merging, Replicas, RowRates
from firth.embeddings.shards import Shard, TrainShard, empty_shard, make_shards, mean_loss, sample_shards
from firth.embeddings.trainer import TrainingArguments
from firth.errors import DivergenceError, warn_caller
from firth.kernels.compiled import release_memory
from firth.progress import Report, Status, compiling, reporting
from firth.signals import StopRequest, finishing, stopping
from firth.storage.checkpoints import Checkpoint, checkpoint_of
from firth.storage.files import release_pages
from firth.training_facts import text_facts

POLL = 0.1  # seconds between two checks of the threads
CHECKPOINT_SHARE = 20  # training time between two checkpoints after epochs, as a multiple of the time to write one
WATCHED_ROWS = 1000  # rows of the most frequent words: diverging numbers show there first
LARGEST = 1e6  # bound of absolute values; learned numbers stay below 100, and diverging ones soon pass any bound
WORSE = 1.5  # bound of the loss, as a multiple of the untrained loss
FEW = 20  # predictions below which the mean loss is too noisy to judge
SAFE_LR = 0.05  # largest learning rate suggested after a divergence
ANY_THREADS = "any number (deterministic)"  # threads of a deterministic training in its checkpoint


class LearningRate(NamedTuple):
    """A linearly decaying learning rate.

    Attributes:
        final: final learning rate as a share of `lr`.
    """

    lr: float
    final: float

    def at(self, progress: float) -> float:
        """Return the learning rate after a share `progress` of the training."""
        return self.lr * (1 - (1 - self.final) * progress)


class TrainingData(Protocol):
    """The data of a training run: a corpus, labelled texts or co-occurrence counts."""

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """(N,) tokens."""

    @property
    def num_tokens(self) -> int:
        """N, the number of units after which the learning rate has decayed."""

    @property
    def fingerprint(self) -> str:
        """A digest that identifies the data."""


Result = TypeVar("Result")


@dataclass(kw_only=True)
class TrainingRun(Generic[Result]):
    """A training run and its state.

    Attributes:
        trainer: returns a function that trains the given matrices on a shard, until its end or until a flag is set.
            Each shard gets its own function.
        options: the model's options, for the result and to check that a checkpoint belongs to this run.
        untrained_loss: loss per prediction before any training, in nats.
        arguments: seed, threads, progress, checkpoint, and whether the result must not depend on the threads.
        finish: makes the result from the matrices and the facts about the run, which are JSON-compatible.
        sampled: whether the loss on a fixed sample is measured after each epoch; only for kernels that change nothing
            when the learning rate is zero.
        rates: returns how often training changes each row, for deterministic trainings; None if the model has none.
        unit: plural noun for the tokens of the data.
        epoch: the current epoch, from 0.
        losses: mean loss of each finished epoch.
        sample_losses: mean loss on the fixed sample after each finished epoch.
        interrupted: whether Ctrl-C or SIGTERM ended the run.
        start_fingerprint: fingerprint of the initial words and vectors; only in runs with checkpoints.
        saved_at: the value of `seconds` at the last checkpoint.
        save_seconds: how long the last checkpoint took to write.
        shards: the parts of the data that are trained side by side.
        replicas: the shards' own copies of the parameters in a deterministic training or on a cluster, or None.
    """

    corpus: TrainingData
    matrices: Matrices
    trainer: Callable[[Matrices], TrainShard]
    options: Mapping[str, Any]
    epochs: int
    rate: LearningRate
    untrained_loss: float
    arguments: TrainingArguments[Any]
    finish: Callable[[Matrices, dict[str, Any]], Result]
    sampled: bool = False
    rates: Callable[[], RowRates] | None = None
    unit: str = "words"
    epoch: int = 0
    losses: list[float] = field(default_factory=list)
    sample_losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False
    start_fingerprint: str = ""
    saved_at: float = 0.0
    save_seconds: float = 0.0
    shards: list[Shard] = field(init=False)
    replicas: Merging | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        arguments = self.arguments
        self.shards = make_shards(self.corpus.num_tokens, arguments.shards, arguments.seed)

    def train(self) -> Result:
        """Train to the end of the last epoch, or until interrupted, and return the result."""
        if self.arguments.runner is not None:
            result: Result = self.arguments.runner(self)
            return result
        if self.arguments.deterministic:
            assert self.rates is not None  # `Trainer.train` refuses models without them
            return self.train_with(Replicas(self.matrices, self.rates(), self.rate.lr, self.arguments.shards))
        return self.train_with(None)

    def train_with(self, replicas: Merging | None) -> Result:
        """Train with replicas of the parameters, or without; see `train`."""
        self.replicas = replicas
        with reporting(self.arguments.progress) as report:
            checkpoint = checkpoint_of(self.arguments.checkpoint)
            if checkpoint is not None:
                self.start_fingerprint = self.matrices.fingerprint()
                load_checkpoint(self, Path(checkpoint))
            compiling(self._compile, report)
            release_memory()
            try:
                with stopping() as request:
                    trainers = self._trainers()
                    while self.epoch < self.epochs and not request.stop:
                        _train_epoch(self, trainers, report, checkpoint, request)
                self.interrupted = self.epoch < self.epochs
            except KeyboardInterrupt:  # a second signal
                self.interrupted = self.epoch < self.epochs
        with finishing():
            return self._finished()

    def _finished(self) -> Result:
        """Merge what an interruption has left, and return the result."""
        if self.interrupted:
            if self.replicas is not None:
                self.replicas.merge()
            epoch = f"epoch {self.epoch + 1} of {self.epochs}"
            warn_caller(f"training was interrupted in {epoch}: the result holds what was learned so far")
        elif not any(self.losses):
            warn_caller(
                f"training made no prediction, and the vectors are the initial ones: no sentence of these "
                f"{self.corpus.num_tokens:,} words has two left after subsampling; use sample=0 for a small corpus"
            )
        return self._result()

    def measure(self) -> float:
        """Return the mean loss on the fixed sample, in nats per prediction, without training on it."""
        sample = sample_shards(self.corpus.num_tokens, self.arguments.seed)
        train_shard = self.trainer(self.matrices)
        for shard in sample:
            train_shard(shard, np.zeros(1, dtype=np.int64))
        return mean_loss(sample)

    def _trainers(self) -> list[TrainShard]:
        """Return the function of each shard, with the present parameters in its replica if it has one."""
        if self.replicas is None:
            return [self.trainer(self.matrices) for _ in self.shards]
        return self.replicas.begin(self.trainer, self.shards)

    def _compile(self) -> None:
        self.trainer(self.matrices)(empty_shard(), np.ones(1, dtype=np.int64))
        if self.replicas is not None:
            self.replicas.compile()

    def identity(self) -> dict[str, Any]:
        """Return the values that a checkpoint of this run must have."""
        return {
            "corpus": self.corpus.fingerprint,
            "options": dict(self.options),
            "seed": self.arguments.seed,
            "threads": self._threads(),
            "start": self.start_fingerprint,
            "freeze": self.arguments.freeze,
        }

    def _threads(self) -> int | str:
        """Return the entry of a checkpoint for threads: their number, or why it does not matter."""
        if self.replicas is not None and self.replicas.longest is not None:
            return f"any number (a cluster with {self.arguments.shards} shards, merge_every={self.replicas.longest})"
        return ANY_THREADS if self.arguments.deterministic else self.arguments.threads

    def _result(self) -> Result:
        facts = {
            "options": dict(self.options),
            **({"chosen": dict(self.arguments.chosen)} if self.arguments.chosen else {}),
            **({"min_count": self.corpus.options.min_count} if isinstance(self.corpus, Corpus) else {}),
            **text_facts(self.corpus),
            "seed": self.arguments.seed,
            "threads": self.arguments.threads,
            **({"deterministic": True} if self.arguments.deterministic else {}),
            **({"freeze": True} if self.arguments.freeze else {}),
            "loss": self.losses,
            **({"sample_loss": self.sample_losses} if self.sampled else {}),
            "unit": self.unit,
            self.unit: int(sum(s.read[0] for s in self.shards)),
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
            "corpus": self.corpus.fingerprint,
        }
        return self.finish(self.matrices, facts)


def _train_epoch(
    run: TrainingRun[Any],
    trainers: Sequence[TrainShard],
    report: Report,
    checkpoint: Checkpoint | None,
    request: StopRequest,
) -> None:
    """Train to the end of the epoch, to a checkpoint inside it, or to an interruption."""
    report(_status(run))
    watch = _Monitor(run, report, checkpoint, request)
    with ThreadPoolExecutor(run.arguments.threads) as pool:
        try:
            _train_shards(run, trainers, pool, watch)
        except BaseException:
            watch.stop[0] = 1
            raise
    run.seconds = watch.seconds
    _check_divergence(run, watch.stop, None)
    ended = all(shard.position[0] >= shard.last for shard in run.shards)
    if ended:
        _finish_epoch(run)
    due = not ended or request.stop or run.epoch == run.epochs
    if checkpoint is not None and (due or run.seconds - run.saved_at >= CHECKPOINT_SHARE * run.save_seconds):
        began = time.monotonic()
        save_checkpoint(run, Path(checkpoint))
        run.saved_at, run.save_seconds = run.seconds, time.monotonic() - began
    report(_status(run))


def _train_shards(
    run: TrainingRun[Any], trainers: Sequence[TrainShard], pool: ThreadPoolExecutor, watch: "_Monitor"
) -> None:
    """Train all shards to the end of the epoch or until a request to stop: at once, or from merge to merge."""
    replicas = run.replicas
    if replicas is None:
        _wait_for(pool, run.arguments.threads, trainers, run.shards, watch)
        return
    replicas.plan(run.rate.at(run.epoch / run.epochs))
    whole = False

    def train(parts: Sequence[Shard]) -> None:
        _wait_for(pool, run.arguments.threads, trainers, parts, watch)

    def run_all(calls: Sequence[Callable[[], None]]) -> None:
        left = deque(calls)
        helpers = [pool.submit(_call_all, left) for _ in range(min(run.arguments.threads, len(calls)) - 1)]
        _call_all(left)
        for helper in helpers:
            helper.result()

    # A checkpoint holds the common parameters only, so it waits until all replicas are equal to them.
    while not watch.stop[0] and not (watch.pausing and whole):
        tier = replicas.advance(run.shards, train, run_all, run.arguments.threads)
        whole = tier == replicas.schedule.tiers - 1
        if all(shard.position[0] >= shard.last for shard in run.shards):
            return
        watch.update_if_due()


def _wait_for(
    pool: ThreadPoolExecutor, threads: int, trainers: Sequence[TrainShard], shards: Sequence[Shard], watch: "_Monitor"
) -> None:
    left: deque[Callable[[], None]] = deque(
        functools.partial(train, shard, watch.stop) for train, shard in zip(trainers, shards, strict=True)
    )
    futures = [pool.submit(_call_all, left) for _ in range(min(threads, len(left)))]
    while wait(futures, timeout=POLL).not_done:
        watch.update()
    for future in futures:
        future.result()


def _call_all(left: deque[Callable[[], None]]) -> None:
    """Call functions until none is left: threads that share them start once, not once for each."""
    while True:
        try:
            call = left.popleft()
        except IndexError:
            return
        call()


class _Monitor:
    """Progress, checks and requests to stop, while threads train.

    Attributes:
        stop: (1,) the flag that stops kernels between two sentences.
        pausing: whether a stop or a checkpoint is due.
    """

    def __init__(
        self, run: TrainingRun[Any], report: Report, checkpoint: Checkpoint | None, request: StopRequest
    ) -> None:
        self.stop = np.zeros(1, dtype=np.int64)
        self.pausing = False
        self._run, self._report, self._checkpoint, self._request = run, report, checkpoint, request
        self._began, self._spent = time.monotonic(), run.seconds
        self._looked = self._began

    @property
    def seconds(self) -> float:
        """Time spent in kernels, in this epoch and before."""
        return self._spent + time.monotonic() - self._began

    def update(self) -> None:
        """Show progress, check the numbers, and find out whether a stop or a checkpoint is due."""
        run, self._looked = self._run, time.monotonic()
        run.seconds = self.seconds
        self._report(_status(run))
        _check_divergence(run, self.stop, WATCHED_ROWS)
        release_pages(run.corpus.ids)
        since, checkpoint = time.monotonic() - self._began, self._checkpoint
        self.pausing = self._request.stop or (checkpoint is not None and since > checkpoint.interval)
        if self.pausing and (run.replicas is None or checkpoint is None):
            self.stop[0] = 1

    def update_if_due(self) -> None:
        """Do the same if the last time is long enough ago."""
        if time.monotonic() - self._looked >= POLL:
            self.update()


def _finish_epoch(run: TrainingRun[Any]) -> None:
    run.losses.append(mean_loss(run.shards))
    if run.sampled:
        run.sample_losses.append(run.measure())
    run.epoch += 1
    for shard in run.shards:
        shard.rewind()


def _status(run: TrainingRun[Any]) -> Status:
    tokens = run.corpus.num_tokens
    words = sum(int(s.read[0]) for s in run.shards)
    predictions = sum(int(s.predictions[0]) for s in run.shards)
    figures = {"lr": run.rate.at(words / max(tokens * run.epochs, 1))}
    if predictions:
        figures = {"loss": sum(float(s.loss[0]) for s in run.shards) / predictions, **figures}
    elif run.losses:
        figures = {"loss": run.losses[-1], **figures}
    epoch = min(run.epoch + 1, run.epochs)
    return Status(
        stage=f"training, epoch {epoch}/{run.epochs}", done=words, total=tokens * run.epochs, unit=run.unit,
        seconds=run.seconds, figures=figures,
    )  # fmt: skip


def _check_divergence(run: TrainingRun[Any], stop: npt.NDArray[np.int64], rows: int | None) -> None:
    """Stop a diverging run: check the loss and the numbers of the first `rows` rows, or of all."""
    predictions = sum(int(s.predictions[0]) for s in run.shards)
    loss = sum(float(s.loss[0]) for s in run.shards)
    largest = max(_largest(run.matrices.inputs[:rows]), _largest(run.matrices.outputs[:rows]))
    # With a vocabulary of one word the untrained loss is 0; a positive loss does not mean divergence then.
    most = WORSE * max(run.untrained_loss, math.log(2))
    if largest < LARGEST and loss < most * (predictions + FEW):
        return
    stop[0] = 1
    words, lr = sum(int(s.read[0]) for s in run.shards), run.rate.lr
    raise DivergenceError(
        f"training diverged in epoch {run.epoch + 1} after {words:,} {run.unit} with lr={lr}: numbers up to "
        f"{largest:.3g} and a loss of {loss / max(predictions, 1):.3g}, expected numbers below {LARGEST:.0e} and a "
        f"loss below {most:.2f}; use a smaller learning rate, such as lr={min(lr / 10, SAFE_LR):.2g}"
    )


def _largest(rows: npt.NDArray[np.float32]) -> float:
    """Return the largest absolute value, infinity if one is NaN, without copying the rows."""
    low, high = float(rows.min(initial=0)), float(rows.max(initial=0))
    return math.inf if math.isnan(low) or math.isnan(high) else max(-low, high)
