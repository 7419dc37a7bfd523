"""What all pretraining shares: options, the interface of an objective, and `train`."""

import abc
import dataclasses
import os
from collections.abc import Mapping
from typing import Any, ClassVar, Unpack, cast

import numpy as np
import torch

from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, OptionError, counted, warn_caller
from firth.loading import load
from firth.neural.layers.masking import MaskedPrediction
from firth.neural.layers.token_masking import UNITS, TokenMasking
from firth.neural.models.pretraining.corruption import ReplacedPrediction
from firth.neural.models.pretraining.data import PieceText, WindowBatch, Windows
from firth.neural.models.pretraining.encoder_model import PretrainedEncoder
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork
from firth.neural.supervised import SupervisedTask, digest, on_device
from firth.neural.training.batching import Accumulated
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, TrainingOptions, text_options
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import StepOutput
from firth.options import check, check_kind, option, options_class, values_of
from firth.text.wordpieces import WordPieces
from firth.timing import running_clock

EVAL_BATCH, EVAL_SEED = 64, 0  # windows of held-out text; of the masks, the same in every evaluation
ATTENTION_STARTS = ("neighbours", "anywhere")
TOKENS = "wordpieces"  # how text is read unless the caller says otherwise
Measures = Mapping[str, torch.Tensor]


class Objective(torch.nn.Module, abc.ABC):
    """An encoder with what is needed to train it.

    Attributes:
        encoder: the network that is kept.
    """

    encoder: EncoderNetwork

    @abc.abstractmethod
    def loss(self, ids: torch.Tensor) -> tuple[torch.Tensor, int]:
        """Return the loss of (B, T) ids, a scalar in nats, and the number of tokens that it is a mean over."""

    @abc.abstractmethod
    def measure(self, ids: torch.Tensor) -> Measures:
        """Return values per prediction of (B, T) held-out ids, by name; `figures` gets those of all batches joined."""

    @abc.abstractmethod
    def figures(self, measures: Measures) -> dict[str, float]:
        """Return figures of all held-out text, "loss" among them, which selects the best model."""

    @property
    def head(self) -> MaskedPrediction | ReplacedPrediction | None:
        """The head that is saved with the encoder: `MaskedPrediction`, `ReplacedPrediction`, or None."""
        return None


def pretraining_task(objective: Objective, batches: Windows, held_out: Windows | None, rate: float) -> SupervisedTask:
    """Return an objective with its text as a task; the same tokens are hidden in every evaluation."""

    def loss(batch: WindowBatch, progress: TrainingProgress) -> StepOutput:
        mean, count = objective.loss(batch.ids)
        return StepOutput(mean, mean.detach().double() * count, count)

    def figures() -> Mapping[str, float]:
        if held_out is None:
            return {}
        torch.manual_seed(EVAL_SEED)  # the loop restores the state of training
        parts = [objective.measure(batch.ids) for batch in on_device(held_out, objective)]
        return objective.figures({name: torch.cat([part[name] for part in parts]).double().cpu() for name in parts[0]})

    return SupervisedTask(
        module=objective,
        batches=batches,
        loss=loss,
        figures=figures,
        unit="hidden tokens",
        eval_predictions=0 if held_out is None else round(rate * len(held_out.text.ids)),
    )


@explained(tokens=TOKENS)
def pretrain(
    options: "PretrainingOptions",
    corpus: Any,
    *,
    held_out: Any = None,
    start: PretrainedEncoder | str | os.PathLike[str] | None = None,
    **arguments: Unpack[TextRunArguments],
) -> PretrainedEncoder:
    """Pretrain an encoder on text.

    Args:
        options: of the model.
        corpus: training text: anything that `Corpus.build` takes, which is read as word pieces that are learned from
            it, lower-cased unless `tokens="cased-wordpieces"`; or a corpus that was built so. Each line is a text,
            unless `sentences` says otherwise.
        held_out: text that selects the best model. Without it, a hundredth of the training text is held out,
            its end: at most 1,000 windows, and none of a text of fewer than 20.
        start: pretrained encoder, or its path, to start from: its network, its parameters, its word pieces. ELECTRA and
            COCO-LM may start from a masked language model. The two stages of Clark et al. 2020, section 3.2, keep the
            first one as the generator; here a new, smaller generator learns along with the encoder.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no
            corpus yet, such as max_size=16000, the number of word pieces.

    Returns:
        The encoder of the best evaluation on held-out text, or the last.

    Warns:
        UserWarning: the run has fewer updates than its warm-up.

    Raises:
        CorpusError: the text is empty.
        OptionError: an option is out of its range or contradicts the start, the corpus has other tokens, or the
            checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        before = _opened(start)
        text = PieceText.of(_corpus(corpus, given, before, config))
        if before is not None and text.pieces != before.pieces:
            raise OptionError(
                f"a corpus of {len(text.pieces):,} other word pieces than the {len(before.pieces):,} of the start: "
                "give the text itself, or a corpus built with tokens=start.pieces"
            )
        aside: PieceText | None
        if held_out is None:
            text, aside = text.split(options.max_length)
        else:
            reading = {"tokens": text.pieces, "min_count": 1, **{k: v for k, v in given.items() if k == "sentences"}}
            aside = PieceText.of(as_corpus(held_out, {}, defaults=reading, progress=config.progress))
            if aside.pieces != text.pieces:
                raise OptionError(
                    f"held_out: a corpus of {len(aside.pieces):,} other word pieces than the {len(text.pieces):,} of "
                    "the training text; give the text itself"
                )
        sizes = options.config(text.pieces)
        if before is not None:
            options, sizes = _of_start(options, before)
        objective = new_module(config.seed, options.build_objective, sizes, text.pieces, copies=2)
        _begin(objective, text, options.mask_rate)
        if before is not None:
            before.start(objective.encoder, objective.head)
        return _fitted(options, objective, text, aside, before, config)


def _fitted(
    options: "PretrainingOptions",
    objective: Objective,
    text: PieceText,
    aside: PieceText | None,
    before: PretrainedEncoder | None,
    config: RunConfig,
) -> PretrainedEncoder:
    """Train an objective, and return its encoder."""
    length, size = options.max_length, config.training.batch_size
    batches = Windows(text=text, length=length, batch_size=size, seed=config.seed)
    held_out = None if aside is None else Windows(text=aside, length=length, batch_size=EVAL_BATCH, shuffle=False)
    _warn_short(batches, config.training)
    task = pretraining_task(objective, batches, held_out, options.mask_rate)
    identity = {"text": digest(text.pieces.rules, text.ids, None if aside is None else aside.ids)}
    if before is not None:
        identity["start"] = before.fingerprint()
    facts: dict[str, Any] = {"pieces": len(text.pieces), "tokens": len(text.ids), "texts": text.texts}
    if aside is not None:
        facts |= {"held_out_tokens": len(aside.ids), **text.unigram(aside)}
    metadata: dict[str, Any] = {"training": fit_model(task, options, config, identity, facts=facts)}
    if before is not None:
        metadata["start"] = dict(before.metadata)
    return PretrainedEncoder(objective.encoder, text.pieces, options.layout, objective.head, metadata)


def _corpus(corpus: Any, given: Mapping[str, Any], before: PretrainedEncoder | None, config: RunConfig) -> Corpus:
    tokens = given.get("tokens", TOKENS if before is None else before.pieces)
    defaults: dict[str, Any] = {"tokens": tokens}
    if before is not None:
        for name in ("max_size", "min_count"):
            if given.get(name) is not None:
                raise OptionError(
                    f"{name}={given[name]}: the {len(before.pieces):,} word pieces of the start are kept; leave {name} "
                    "out"
                )
    if not isinstance(tokens, str):
        defaults["min_count"] = 1
    built = as_corpus(corpus, given, defaults=defaults, progress=config.progress)
    if len(built.ids) == 0:
        raise CorpusError("the text has no word: expected text to learn from")
    return built


def _begin(objective: Objective, text: PieceText, mask_rate: float) -> None:
    """Let all heads begin with the frequencies of the pieces, and of pieces that are replaced by such a draw."""
    scores = torch.from_numpy(np.log(text.shares)).float()
    unused = objective.encoder.config.vocabulary - len(scores)  # vocabularies of other programs may be padded
    scores = torch.nn.functional.pad(scores, (0, unused), value=float(scores.min()))
    replaced = mask_rate * float(1 - np.square(text.shares, dtype=np.float64).sum())
    for part in objective.modules():
        if isinstance(part, MaskedPrediction):
            part.output.begin_at(scores)
        elif isinstance(part, ReplacedPrediction) and replaced > 0:
            part.begin_at(replaced)


def _of_start(options: "PretrainingOptions", before: PretrainedEncoder) -> "tuple[PretrainingOptions, EncoderConfig]":
    """Return the options and the sizes of a run that goes on from an encoder: its network is kept."""
    sizes = before.config
    if before.layout not in (options.layout, "bert"):  # an ELECTRA may start from a masked language model
        raise OptionError(
            f"a start of the layout {before.layout!r} for {type(options).__name__}, which has {options.layout!r}: "
            "expected an encoder of that layout"
        )
    defaults = {field.name: field.default for field in dataclasses.fields(options)}
    kept: dict[str, Any] = {
        name: getattr(sizes, name)
        for name in ("dim", "layers", "heads", "ffn_dim", "embedding_dim")
        if name in defaults  # the vectors of some are as wide as the network
    }
    for name, value in kept.items():
        if (given := getattr(options, name)) not in (defaults[name], value):
            raise OptionError(f"{name}={given}: the start, whose network is kept, has {value}; leave {name} out")
    if options.max_length > sizes.max_length:
        if options.max_length != defaults["max_length"]:
            raise OptionError(
                f"max_length={options.max_length}: the start has {sizes.max_length} positions; expected at most as many"
            )
        kept["max_length"] = sizes.max_length
    options = dataclasses.replace(options, **kept)
    return options, dataclasses.replace(sizes, dropout=options.dropout)


def _opened(start: Any) -> PretrainedEncoder | None:
    if start is None or isinstance(start, PretrainedEncoder):
        return start
    model: Any = load(start) if isinstance(start, str | os.PathLike) else start
    check_kind("start", model, PretrainedEncoder)
    return cast("PretrainedEncoder", model)


def _warn_short(batches: Windows, training: TrainingOptions) -> None:
    """Warn of a run that ends before the learning rate would have risen."""
    updates = training.epochs * Accumulated(batches, training.accumulate).count(0)
    if updates < training.warmup:
        warn_caller(
            f"a run of {counted(updates, 'update')}, fewer than the {training.warmup:,} of the warm-up: the encoder "
            "will have learned little more than frequencies; expected more text or epochs, smaller batches, or a "
            "shorter warm-up"
        )


@options_class
class PretrainingOptions(abc.ABC):
    """Options of a pretrained encoder: what all kinds have.

    Attributes:
        training: default training options.
        layout: the model of `transformers` that opens the saved folder, "bert" or "electra".
    """

    train = pretrain
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=3, batch_size=64, optimiser="adamw", lr=0.001, weight_decay=0.01, schedule="linear", warmup=200,
        clip_norm=1.0, evaluate_every=500,
    )  # fmt: skip
    layout: ClassVar[str] = "bert"

    dim: int = option(256, "width of the encoder", minimum=1)
    layers: int = option(4, "number of transformer blocks", minimum=1)
    heads: int = option(4, "attention heads, which share the width", minimum=1)
    ffn_dim: int | None = option(None, "width of the feed-forward network; default: four times dim", minimum=1)
    max_length: int = option(
        128, "length of a sequence in word pieces, special tokens included", minimum=4, maximum=100_000
    )
    dropout: float = option(0.1, "dropout of inputs, of each part's output and of attention", minimum=0, maximum=0.99)
    mask_rate: float = option(0.15, "share of tokens that are hidden", minimum=0, maximum=0.99, exclusive=True)
    attention_start: str = option(
        "neighbours",
        "where attention of the first block starts: at neighbouring positions, or anywhere",
        choices=ATTENTION_STARTS,
    )
    masking: str = option("tokens", "what is hidden at once: word pieces, words, or spans of words", choices=UNITS)

    def __post_init__(self) -> None:
        check(self)
        if self.dim % self.heads:
            raise OptionError(f"heads={self.heads}: expected a divisor of dim={self.dim}, which the heads share")

    @property
    def vectors_dim(self) -> int:
        """E, the width of the vectors of tokens."""
        return self.dim

    def config(self, pieces: WordPieces) -> EncoderConfig:
        """Return the sizes of the encoder for a vocabulary."""
        ffn_dim = self.ffn_dim or 4 * self.dim
        shared = values_of(self, "dim", "layers", "heads", "max_length", "dropout")
        return EncoderConfig(vocabulary=len(pieces), embedding_dim=self.vectors_dim, ffn_dim=ffn_dim, **shared)

    def build_encoder(self, config: EncoderConfig) -> EncoderNetwork:
        """Return a new encoder, with random parameters from torch's default generator."""
        return EncoderNetwork(config, neighbours=self.attention_start == "neighbours")

    @abc.abstractmethod
    def build_objective(self, config: EncoderConfig, pieces: WordPieces) -> Objective:
        """Return the encoder with what is needed to train it, with random parameters from torch's default generator."""


def token_masking(options: PretrainingOptions, pieces: WordPieces, **shares: Any) -> TokenMasking:
    """Return the masks that options ask for."""
    continues, special = torch.from_numpy(pieces.continues), torch.from_numpy(pieces.special)
    return TokenMasking(pieces.mask_id, continues, special, unit=options.masking, rate=options.mask_rate, **shares)


def auc(scores: torch.Tensor, positive: torch.Tensor) -> float | None:
    """Return the probability that a positive item has a higher score than another, ties counting half.

    Args:
        scores: (N,).
        positive: (N,) of 0 and 1.

    Returns:
        None if there is no positive item, or no other.
    """
    count = float(positive.sum())
    if not 0 < count < len(positive):
        return None
    _, groups, sizes = torch.unique(scores, return_inverse=True, return_counts=True)
    ranks = sizes.cumsum(0) - (sizes - 1) / 2  # the mean rank of equal scores, from 1
    total = float(ranks[groups][positive.bool()].sum())
    return (total - count * (count + 1) / 2) / (count * (len(positive) - count))
