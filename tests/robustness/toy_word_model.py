"""Toy: a word predicts the next.

What: the smallest family that can be made of firth's parts; `test_five_places.py` puts it into a copy of the package.

Objective: log sigma(v_w . u_x) + sum_k log sigma(-v_w . u_{n_k}) for every word w and the next word x.

Source: none; it stands for a family that is still to come.

Departures: none.

Cost: 6 D (K + 1) flops per word.
"""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.encoded import Corpus
from firth.embeddings import window_options
from firth.embeddings.matrices import Matrices, initial_matrices, word_vectors
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import CorpusTrainer, TrainingArguments
from firth.embeddings.training import LearningRate
from firth.embeddings.window_model import WindowModel, output_layer, text_of, window_run
from firth.kernels.compiled import compiled
from firth.kernels.memory import set_int64
from firth.kernels.objectives import Predictor, predict, predictor
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.targets import Addresses, Workspace, addresses, new_workspace
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors


@options_class
class Toy(CorpusTrainer[WordVectors, WordVectors], WindowModel):
    """A word predicts the next: the options, and `train`."""

    presets: ClassVar = {"toy": Preset("Toy: a word predicts the next.")}
    model_name: ClassVar = "toy"
    sample: ClassVar[float] = 0.0

    dim: int = window_options.dim()
    negative: int = window_options.negative()
    toy_lr: float = option(0.05, "learning rate, which stays", minimum=0, exclusive=True)
    epochs: int = window_options.epochs()

    def __post_init__(self) -> None:
        options.check(self)

    @property
    def rate(self) -> LearningRate:
        """The learning rate."""
        return LearningRate(self.toy_lr, 1.0)

    def train_on(self, corpus: Corpus, arguments: TrainingArguments[WordVectors]) -> WordVectors:
        """Train on an encoded corpus; see `CorpusTrainer.train`."""
        matrices = initial_matrices(corpus, self.dim, seed=arguments.seed, start=arguments.start)
        by = output_layer(corpus, "negative", self.negative, 0.75, None)
        text = text_of(self, corpus, arguments.shards)

        def trainer(matrices: Matrices) -> TrainShard:
            work = new_workspace(1, self.negative, 1, matrices.inputs.shape[1])
            at = addresses(work, matrices.inputs, matrices.outputs)

            def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
                train_pairs(text, predictor(by, at, shard.loss), work, at, shard.state(stop))

            return train_shard

        return window_run(self, corpus, arguments, matrices, by, trainer, word_vectors).train()


@compiled
def train_pairs(text: Text, by: Predictor, work: Workspace, at: Addresses, state: ShardState) -> None:
    """Train a shard from its current position to its end or a stop."""
    sentence = work.sentence
    for count, _, rate in pieces(text, work, state):
        for t in range(count - 1):
            set_int64(at.contexts, 0, at.inputs + sentence[t] * at.row_bytes)
            predict(by, at, state.random, sentence[t + 1], at.contexts, at.contexts, 1, rate)
            state.predictions[0] += 1
