"""Toy: a word predicts the next.

What: the smallest family that can be made of firth's bricks; `test_five_places.py` puts it into a copy of the package.

Objective: log sigma(v_w . u_x) + sum_k log sigma(-v_w . u_{n_k}) for every word w and the word x behind it.

Source: none; it stands for a family that is still to come.

Departures: none.

Cost: 6 D (K + 1) flops a word.
"""

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.encoded import Corpus
from firth.embeddings.training import Run, Shard, ShardState, initial_matrices, usable_threads, word_vectors
from firth.kernels import objectives
from firth.kernels.compiled import compiled
from firth.kernels.memory import set_int64
from firth.kernels.noise import alias_table
from firth.kernels.objectives import Predictor, predict, predictor
from firth.kernels.step import take_loss
from firth.kernels.targets import Addresses, Work, addresses, new_work
from firth.options import option
from firth.progress import Progress
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True, kw_only=True)
class Toy:
    """A word predicts the next: options that train."""

    models: ClassVar[Mapping[str, Mapping[str, Any]]] = {"toy": {}}

    dim: int = option(50, "width of the vectors, in numbers", minimum=1)
    negative: int = option(5, "noise words a prediction", minimum=1)
    toy_lr: float = option(0.05, "learning rate, which stays", minimum=0, exclusive=True)
    epochs: int = option(5, "passes over the corpus", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)

    def train(
        self,
        corpus: Corpus,
        *,
        seed: int = 0,
        threads: int | None = None,
        start: WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> WordVectors:
        """Train vectors on a corpus; see `firth.Word2Vec.train`."""
        matrices = initial_matrices(corpus, self.dim, seed=seed, start=start)
        noise = corpus.vocabulary.noise_probabilities(0.75)
        by = objectives.scoring("negative", noise, negative=self.negative, noise=alias_table(noise))
        task = Task(corpus.ids, corpus.offsets, self.toy_lr)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work = new_work(1, self.negative, 1, matrices.inputs.shape[1])
            at = addresses(work, matrices.inputs, matrices.outputs)
            place = int(np.searchsorted(corpus.offsets, shard.position[0], side="right"))
            train_pairs(task, predictor(by, at, shard.loss), work, at, shard.state(stop), place, shard.last)

        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=train_shard,
            options={"model": "toy", **dataclasses.asdict(self)},
            epochs=self.epochs,
            learning_rate=lambda _: self.toy_lr,
            untrained_loss=(self.negative + 1) * np.log(2.0),
            seed=seed,
            threads=usable_threads(threads),
            finish=word_vectors,
        )
        return run.train(progress=progress, checkpoint=checkpoint)


class Task(NamedTuple):
    """What a shard's kernel reads."""

    ids: npt.NDArray[np.int32]  # (N,) the corpus
    offsets: npt.NDArray[np.int64]  # (S + 1,) where sentences begin
    lr: float


@compiled
def train_pairs(task: Task, by: Predictor, work: Work, at: Addresses, state: ShardState, place: int, last: int) -> None:
    """Train on a shard from where it stands, in the sentence ending at offsets[place], to the token before `last`."""
    ids, offsets, rate = task.ids, task.offsets, np.float32(task.lr)
    position, read, random = state.position, state.read, state.random
    while position[0] < last and state.stop[0] == 0:
        while offsets[place] <= position[0]:
            place += 1
        end = min(offsets[place], last)
        for t in range(position[0], end - 1):
            set_int64(at.contexts, 0, at.inputs + ids[t] * at.row_bytes)
            predict(by, at, random, ids[t + 1], at.contexts, at.contexts, 1, rate)
            state.predictions[0] += 1
        read[0] += end - position[0]
        position[0] = end
        state.loss[0] += take_loss(work.likelihood, work.exponents)
