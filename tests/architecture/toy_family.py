"""Toy: a word predicts the next.

What: the smallest family that can be made of firth's bricks; `test_five_places.py` puts it into a copy of the package.

Objective: log sigma(v_w . u_x) + sum_k log sigma(-v_w . u_{n_k}) for every word w and the word x behind it.

Source: none; it stands for a family that is still to come.

Departures: none.

Cost: 6 D (K + 1) flops a word.
"""

import dataclasses
import os
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.encoded import Corpus
from firth.embeddings.training import LearningRate, Run, Shard, initial_matrices, text_of, usable_threads, word_vectors
from firth.kernels import objectives
from firth.kernels.compiled import compiled
from firth.kernels.memory import set_int64
from firth.kernels.noise import alias_table
from firth.kernels.objectives import Predictor, predict, predictor
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.targets import Addresses, Work, addresses, new_work
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.vectors.word_vectors import WordVectors


@options_class
class Toy:
    """A word predicts the next: options that train."""

    presets: ClassVar = {"toy": Preset("Toy: a word predicts the next.")}

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
        rate, count = LearningRate(self.toy_lr, 1.0), usable_threads(threads)
        text = text_of(corpus, sample=0, rate=rate, epochs=self.epochs, threads=count)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work = new_work(1, self.negative, 1, matrices.inputs.shape[1])
            at = addresses(work, matrices.inputs, matrices.outputs)
            train_pairs(text, predictor(by, at, shard.loss), work, at, shard.state(stop))

        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=train_shard,
            options={"model": "toy", **dataclasses.asdict(self)},
            epochs=self.epochs,
            rate=rate,
            untrained_loss=objectives.untrained_loss(by, corpus.vocabulary.kept_shares(0)),
            seed=seed,
            threads=count,
            finish=word_vectors,
        )
        return run.train(progress=progress, checkpoint=checkpoint)


@compiled
def train_pairs(text: Text, by: Predictor, work: Work, at: Addresses, state: ShardState) -> None:
    """Train on a shard from where it stands."""
    sentence = work.sentence
    for count, _, rate in pieces(text, work, state):
        for t in range(count - 1):
            set_int64(at.contexts, 0, at.inputs + sentence[t] * at.row_bytes)
            predict(by, at, state.random, sentence[t + 1], at.contexts, at.contexts, 1, rate)
            state.predictions[0] += 1
