"""What every embedding that trains in shards shares: matrices, shards, threads, progress, and when to stop.

A model brings one function that trains a shard from where its `Shard` stands until the shard's end or until it is told
to stop. Everything that is not arithmetic happens here, once: a stop for Ctrl-C or SIGTERM, for a checkpoint or for
divergence is the same flag, looked at between sentences.
"""

import hashlib
import math
import os
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.embeddings.checkpoint import load_checkpoint, save_checkpoint
from firth.embeddings.shards import Shard as Shard
from firth.embeddings.shards import TrainShard as TrainShard
from firth.embeddings.shards import empty_shard, mean_loss, sample_shards
from firth.embeddings.shards import make_shards as make_shards
from firth.errors import DivergenceError, OptionError, ShapeError
from firth.kernels.compiled import release_compiler
from firth.kernels.pieces import Text
from firth.kernels.rows import aligned_rows
from firth.kernels.threads import usable_threads as usable_threads
from firth.kernels.windows import keep_thresholds
from firth.progress import Progress, Report, Status, compiling, reporting
from firth.randomness import generator
from firth.signals import Asked, stopping
from firth.storage.files import release_pages
from firth.vectors.word_vectors import WordVectors

POLL = 0.1  # seconds between two looks at the threads
CHECKPOINT_INTERVAL = 300.0  # seconds between two checkpoints inside an epoch
CHECKPOINT_SHARE = 20  # times as long as keeping the state takes is trained before it is kept after an epoch again
WATCHED_ROWS = 1000  # the most frequent words: where numbers explode, they do so first
LARGEST = 1e6  # size of a number; learned ones stay below 100, and an explosion passes any bound within a few steps
WORSE = 1.5  # times the untrained loss: learning at a rate that suits stays below 1
FEW = 20  # predictions whose mean loss chance alone may bring there
SAFE_LR = 0.05  # the most that is suggested after a divergence


@dataclass(frozen=True)
class Matrices:
    """The two sides of a model and the words they belong to.

    Attributes:
        words: V words.
        counts: (V,) int64.
        inputs: (V, P) float32, rows padded to cache lines.
        outputs: (V, P) float32.
        dim: D, the numbers of a row that are used.
        state: further arrays that training changes and a checkpoint keeps, by name.
    """

    words: list[str]
    counts: npt.NDArray[np.int64]
    inputs: npt.NDArray[np.float32]
    outputs: npt.NDArray[np.float32]
    dim: int
    state: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    limits: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]] = field(default_factory=dict)


class LearningRate(NamedTuple):
    """A learning rate that falls linearly.

    Attributes:
        lr: at the start.
        final: the share of it that is left at the end.
    """

    lr: float
    final: float

    def at(self, progress: float) -> float:
        """Return the learning rate when a share `progress` of all words has been read."""
        return self.lr * (1 - (1 - self.final) * progress)


class Encoded(Protocol):
    """What a run asks of the text that it goes through."""

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """(N,) its tokens."""

    @property
    def num_tokens(self) -> int:
        """N, or what else the learning rate falls with."""

    @property
    def fingerprint(self) -> str:
        """What tells it from other texts."""


Result = TypeVar("Result")


@dataclass(kw_only=True)
class Run(Generic[Result]):
    """A training run: what is trained, how far it has come.

    Attributes:
        corpus: the text.
        matrices: what is trained, in place.
        train_shard: trains a shard until its end or until the flag it is given is set.
        options: the model's options, for the result and to tell whether a checkpoint belongs to this run.
        epochs: passes over the corpus.
        rate: the learning rate.
        untrained_loss: loss a prediction before any training, nats.
        seed: of all randomness.
        threads: one shard each.
        finish: makes the result of the matrices and of the facts about the run, a value that JSON holds.
        sampled: whether the loss on a fixed sample of the text is measured after each epoch; for kernels that leave
            everything as it is where the learning rate is zero.
        unit: what the tokens of the text are called.
        epoch: the epoch in work, from 0.
        losses: mean loss of each finished epoch.
        sample_losses: mean loss on the fixed sample after each finished epoch.
        seconds: time spent in kernels.
        interrupted: whether Ctrl-C or SIGTERM ended the run.
        beginning: fingerprint of the words and vectors it began with; only a run with checkpoints has one.
        kept: what `seconds` was when the state was last kept.
        keeping: how long that took.
    """

    corpus: Encoded
    matrices: Matrices
    train_shard: TrainShard
    options: Mapping[str, Any]
    epochs: int
    rate: LearningRate
    untrained_loss: float
    seed: int
    threads: int
    finish: Callable[[Matrices, dict[str, Any]], Result]
    sampled: bool = False
    unit: str = "words"
    epoch: int = 0
    losses: list[float] = field(default_factory=list)
    sample_losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False
    beginning: str = ""
    kept: float = 0.0
    keeping: float = 0.0
    shards: list[Shard] = field(init=False)

    def __post_init__(self) -> None:
        self.shards = make_shards(self.corpus.num_tokens, self.threads, self.seed)

    def train(self, *, progress: Progress, checkpoint: str | os.PathLike[str] | None) -> Result:
        """Train until the last epoch's end, a checkpoint at a time, and return the result."""
        with reporting(progress) as report:
            folder = None if checkpoint is None else Path(checkpoint)
            if folder is not None:
                self.beginning = _fingerprint(self.matrices)
                load_checkpoint(self, folder)
            compiling(lambda: self.train_shard(empty_shard(), np.ones(1, dtype=np.int64)), report)
            release_compiler()
            try:
                with stopping() as asked:
                    while self.epoch < self.epochs and not asked.stop:
                        _train_epoch(self, report, folder, asked)
                self.interrupted = self.epoch < self.epochs
            except KeyboardInterrupt:  # a second signal
                self.interrupted = self.epoch < self.epochs
        if self.interrupted:
            place = f"epoch {self.epoch + 1} of {self.epochs}"
            warnings.warn(f"training was interrupted in {place}: the vectors learned so far are kept", stacklevel=3)
        elif not any(self.losses):
            warnings.warn(
                f"training made no prediction: no sentence of these {self.corpus.num_tokens:,} words had two left "
                "after subsampling, and the vectors are those it began with; use sample=0 for so small a corpus",
                stacklevel=3,
            )
        return self._result()

    def measure(self) -> float:
        """Return the mean loss on the fixed sample, nats a prediction; nothing learns from it."""
        sample = sample_shards(self.corpus.num_tokens, self.seed)
        for shard in sample:
            self.train_shard(shard, np.zeros(1, dtype=np.int64))
        return mean_loss(sample)

    def identity(self) -> dict[str, Any]:
        """What must be equal for a checkpoint to belong to this run."""
        return {
            "options": dict(self.options),
            "corpus": self.corpus.fingerprint,
            "seed": self.seed,
            "threads": self.threads,
            "start": self.beginning,
        }

    def _result(self) -> Result:
        facts = {
            "options": dict(self.options),
            "seed": self.seed,
            "threads": self.threads,
            "loss": self.losses,
            **({"sample_loss": self.sample_losses} if self.sampled else {}),
            "unit": self.unit,
            self.unit: int(sum(s.read[0] for s in self.shards)),
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
            "corpus": self.corpus.fingerprint,
        }
        return self.finish(self.matrices, facts)


def text_of(corpus: Corpus, *, sample: float, rate: LearningRate, epochs: int, threads: int) -> Text:
    """Return what the kernels of a run read.

    Args:
        corpus: the encoded text.
        sample: relative frequency above which words are thinned out; 0 keeps all.
        rate: the learning rate.
        epochs: passes over the corpus.
        threads: how many share the corpus.
    """
    return Text(
        ids=corpus.ids,
        offsets=corpus.offsets,
        thresholds=keep_thresholds(corpus.vocabulary.keep_probabilities(sample)),
        first_lr=rate.at(0),
        last_lr=rate.at(1),
        total=max(1, epochs * corpus.num_tokens // threads),
    )


def word_vectors(
    matrices: Matrices, facts: dict[str, Any], attributes: Mapping[str, npt.NDArray[Any]] | None = None
) -> WordVectors:
    """Return a run's result where each row is a word's: input vectors, with output vectors and counts."""
    m = matrices
    return WordVectors(
        m.words,
        m.inputs[:, : m.dim],
        counts=m.counts,
        output_vectors=m.outputs[:, : m.dim],
        metadata={"training": facts},
        attributes=attributes,
    )


def initial_matrices(corpus: Corpus, dim: int, *, seed: int, start: WordVectors | None, reach: float = 1.0) -> Matrices:
    """Return matrices to train: random inputs in +-reach/D and zero outputs, or what `start` holds.

    Words of the corpus come first, by id; words that only `start` has follow and keep their vectors.

    Args:
        corpus: its vocabulary gives the words.
        dim: D, the width of the vectors.
        seed: of the random inputs.
        start: vectors to go on from, or None.
        reach: the largest random number, times D.

    Raises:
        ShapeError: `start` is not `dim` wide.
        OptionError: `start` holds numbers that are not finite.
    """
    words, counts = list(corpus.vocabulary.words), np.asarray(corpus.vocabulary.counts, dtype=np.int64)
    if start is not None and start.dim != dim:
        raise ShapeError(
            f"start holds vectors of width {start.dim}, the options ask for dim={dim}: use dim={start.dim}"
        )
    if start is not None:
        words += [word for word in start.words if word not in corpus.vocabulary]
        counts = np.concatenate([counts, np.zeros(len(words) - len(counts), dtype=np.int64)])
    inputs, outputs = aligned_rows(len(words), dim), aligned_rows(len(words), dim)
    random = generator(seed, "input vectors")
    for rows in np.array_split(inputs, max(1, len(inputs) // 4096)):
        rows[:, :dim] = (random.random((len(rows), dim), dtype=np.float32) * 2 - 1) * reach / dim
    if start is not None:
        _copy_start(start, words, counts, inputs, outputs)
    return Matrices(words, counts, inputs, outputs, dim)


def _copy_start(
    start: WordVectors,
    words: list[str],
    counts: npt.NDArray[np.int64],
    inputs: npt.NDArray[np.float32],
    outputs: npt.NDArray[np.float32],
) -> None:
    for name, matrix in (("vectors", start.vectors), ("output vectors", start.output_vectors)):
        if matrix is not None and not np.isfinite(matrix).all():
            word = start.words[int(np.argmin(np.isfinite(matrix).all(1)))]
            raise OptionError(f"start's {name} hold NaN or infinity, first for {word!r}: expected finite numbers")
    place = {word: i for i, word in enumerate(words)}
    rows = np.array([place[word] for word in start.words], dtype=np.int64)
    inputs[rows, : start.dim] = start.vectors
    if start.output_vectors is not None and start.output_vectors.shape[1] != start.dim:
        raise ShapeError(
            f"start's output vectors are {start.output_vectors.shape[1]} wide, expected dim={start.dim}: they are of a "
            "model of word order; start from vectors of the same model"
        )
    if start.output_vectors is not None:
        outputs[rows, : start.dim] = start.output_vectors
    if start.counts is not None:
        counts[rows] += start.counts


def _fingerprint(matrices: Matrices) -> str:
    digest = hashlib.blake2b("\n".join(matrices.words).encode("utf-8", "surrogatepass"), digest_size=16)
    for rows in (matrices.inputs, matrices.outputs):
        digest.update(rows.data)
    return digest.hexdigest()


def _train_epoch(run: Run[Any], report: Report, folder: Path | None, asked: Asked) -> None:
    """Train to the end of the epoch, or to a checkpoint inside it, or to an interruption."""
    report(_status(run))
    stop = np.zeros(1, dtype=np.int64)
    began, spent = time.monotonic(), run.seconds
    with ThreadPoolExecutor(run.threads) as pool:
        futures = [pool.submit(run.train_shard, shard, stop) for shard in run.shards]
        try:
            while wait(futures, timeout=POLL).not_done:
                run.seconds = spent + time.monotonic() - began
                report(_status(run))
                _check_sound(run, stop, WATCHED_ROWS)
                release_pages(run.corpus.ids)
                if asked.stop or (folder is not None and time.monotonic() - began > CHECKPOINT_INTERVAL):
                    stop[0] = 1
        except BaseException:
            stop[0] = 1
            raise
    run.seconds = spent + time.monotonic() - began
    _raise_failures(futures)
    _check_sound(run, stop, None)
    ended = all(shard.position[0] >= shard.last for shard in run.shards)
    if ended:
        _finish_epoch(run)
    needed = not ended or asked.stop or run.epoch == run.epochs
    if folder is not None and (needed or run.seconds - run.kept >= CHECKPOINT_SHARE * run.keeping):
        began = time.monotonic()
        save_checkpoint(run, folder)
        run.kept, run.keeping = run.seconds, time.monotonic() - began
    report(_status(run))


def _finish_epoch(run: Run[Any]) -> None:
    run.losses.append(mean_loss(run.shards))
    if run.sampled:
        run.sample_losses.append(run.measure())
    run.epoch += 1
    for shard in run.shards:
        shard.rewind()


def _raise_failures(futures: list[Future[None]]) -> None:
    for future in futures:
        future.result()


def _status(run: Run[Any]) -> Status:
    tokens = run.corpus.num_tokens
    done = sum(int(s.read[0]) for s in run.shards)
    predictions = sum(int(s.predictions[0]) for s in run.shards)
    figures = {"lr": run.rate.at(done / max(tokens * run.epochs, 1))}
    if predictions:
        figures = {"loss": sum(float(s.loss[0]) for s in run.shards) / predictions, **figures}
    elif run.losses:
        figures = {"loss": run.losses[-1], **figures}
    epoch = min(run.epoch + 1, run.epochs)
    return Status(
        stage=f"training, epoch {epoch}/{run.epochs}", done=done, total=tokens * run.epochs, unit=run.unit,
        seconds=run.seconds, figures=figures,
    )  # fmt: skip


def _check_sound(run: Run[Any], stop: npt.NDArray[np.int64], rows: int | None) -> None:
    """Stop a run whose numbers or whose loss no learning could have made; look at the first `rows` words, or at all."""
    predictions = sum(int(s.predictions[0]) for s in run.shards)
    loss = sum(float(s.loss[0]) for s in run.shards)
    largest = max(_largest(run.matrices.inputs[:rows]), _largest(run.matrices.outputs[:rows]))
    # A vocabulary of one word has nothing to lose; what is more than nothing must not look like divergence.
    most = WORSE * max(run.untrained_loss, math.log(2))
    if largest < LARGEST and loss < most * (predictions + FEW):
        return
    stop[0] = 1
    words, lr = sum(int(s.read[0]) for s in run.shards), run.rate.lr
    raise DivergenceError(
        f"training diverged in epoch {run.epoch + 1} after {words:,} {run.unit} with lr={lr}: expected numbers below "
        f"{LARGEST:.0e} and a loss below {most:.2f}, found numbers up to {largest:.3g} and a loss of "
        f"{loss / max(predictions, 1):.3g}; use a smaller learning rate, such as lr={min(lr / 10, SAFE_LR):.2g}"
    )


def _largest(rows: npt.NDArray[np.float32]) -> float:
    """Return the largest size of a number, infinity where one is NaN; without a copy of the rows."""
    low, high = float(rows.min(initial=0)), float(rows.max(initial=0))
    return math.inf if math.isnan(low) or math.isnan(high) else max(-low, high)
