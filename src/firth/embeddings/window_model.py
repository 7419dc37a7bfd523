"""Common parts of models over context windows: output layer, text and training run."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np

from firth import options
from firth.corpus.encoded import Corpus
from firth.embeddings import window_options
from firth.embeddings.matrices import Matrices
from firth.embeddings.replicas import Rates, RowRates
from firth.embeddings.shards import TrainShard
from firth.embeddings.trainer import TrainingArguments
from firth.embeddings.training import LearningRate, TrainingRun
from firth.embeddings.word_trees import WordTree
from firth.kernels.noise import alias_table
from firth.kernels.objectives import HIERARCHICAL, SOFTMAX, Scoring, scoring, untrained_loss
from firth.kernels.pieces import Text
from firth.kernels.trees import Tree
from firth.kernels.windows import keep_thresholds
from firth.options import options_class

Result = TypeVar("Result")


class WindowModel:
    """A model over context windows: an options class inherits this class and has these options.

    Attributes:
        model_name: name of the model in metadata.
        lr: initial learning rate; not None where `rate` is read.
        lr_end_factor: final learning rate as a share of `lr`.
    """

    model_name: ClassVar[str]
    sample: Any
    epochs: Any
    lr: Any
    lr_end_factor: Any

    @property
    def rate(self) -> LearningRate:
        """The learning rate."""
        return LearningRate(self.lr, self.lr_end_factor)

    def described(self) -> dict[str, Any]:
        """Return the model's name and options as JSON-compatible values."""
        dataclass: Any = self
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(dataclass)}
        plain = {name: value.name if isinstance(value, WordTree) else value for name, value in values.items()}
        return {"model": self.model_name, **plain}


@options_class
class SkipGramOptions(WindowModel):
    """The options that the variants of skip-gram share: they come after a model's own options."""

    dim: int = window_options.dim()
    window: int = window_options.window()
    negative: int = window_options.negative()
    sample: float | None = window_options.sample()
    epochs: int | None = window_options.epochs()
    lr: float | None = window_options.lr(0.025)
    lr_end_factor: float = window_options.lr_end_factor()
    noise_exponent: float = window_options.noise_exponent()
    shrink_windows: bool = window_options.shrink_windows()
    shared_windows: int = window_options.shared_windows()

    def __post_init__(self) -> None:
        options.check(self)


def window_run(
    model: WindowModel,
    corpus: Corpus,
    arguments: TrainingArguments[Any],
    matrices: Matrices,
    layer: Scoring,
    trainer: Callable[[Matrices], TrainShard],
    finish: Callable[[Matrices, dict[str, Any]], Result],
    rates: Callable[[Corpus, Scoring], RowRates] | None = None,
    *,
    sampled: bool = True,
) -> TrainingRun[Result]:
    """Return the run of a model that goes through a corpus window by window.

    Args:
        trainer: returns the function that trains one shard into given matrices.
        rates: returns how often training changes each row, for deterministic trainings; None if the model has none.
        sampled: whether the loss on a fixed sample is measured.
    """
    return TrainingRun(
        corpus=corpus,
        matrices=matrices,
        trainer=trainer,
        rates=None if rates is None else functools.partial(rates, corpus, layer),
        options=model.described(),
        epochs=model.epochs,
        rate=model.rate,
        untrained_loss=untrained_loss(layer, corpus.vocabulary.subsampled_shares(model.sample)),
        arguments=arguments,
        sampled=sampled,
        finish=finish,
    )


def output_layer(corpus: Corpus, objective: str, negative: int, noise_exponent: float, tree: Tree | None) -> Scoring:
    """Return the output layer of a model: an objective with its noise distribution or tree."""
    noise = corpus.vocabulary.noise_probabilities(noise_exponent)
    return scoring(objective, noise, negative=negative, noise=alias_table(noise), tree=tree)


def kept_shares(model: WindowModel, corpus: Corpus) -> Rates:
    """Return (V,) how often each word survives subsampling, per token of the corpus."""
    words = corpus.vocabulary
    counts = np.asarray(words.counts, dtype=np.float64)
    return counts * words.keep_probabilities(model.sample) / max(1, corpus.num_tokens)


def mean_contexts(model: Any) -> float:
    """Return the mean number of context words of a window: the option `window` on each side, or half as many."""
    return float(model.window + 1 if model.shrink_windows else 2 * model.window)


def output_rates(layer: Scoring, kept_share: Rates) -> Rates:
    """Return (O,) the predictions that change each output row, if each kept word is predicted once.

    Args:
        kept_share: (V,) from `kept_shares`.
    """
    if layer.kind == HIERARCHICAL:
        nodes = np.bincount(
            layer.tree.nodes, weights=np.repeat(kept_share, layer.tree.lengths), minlength=len(kept_share)
        )
        return np.asarray(nodes, dtype=np.float64)
    if layer.kind == SOFTMAX:
        return 2 * kept_share  # the other predictions pull a row back as often as it is predicted
    return np.asarray(kept_share + kept_share.sum() * layer.probabilities)


def text_of(model: WindowModel, corpus: Corpus, shards: int) -> Text:
    """Return a corpus with subsampling and learning rate, as the kernels of a run with a number of shards read it."""
    return Text(
        ids=corpus.ids,
        offsets=corpus.offsets,
        thresholds=keep_thresholds(corpus.vocabulary.keep_probabilities(model.sample)),
        first_lr=model.rate.at(0),
        last_lr=model.rate.at(1),
        total=max(1, model.epochs * corpus.num_tokens // shards),
    )
