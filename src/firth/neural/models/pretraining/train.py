"""The method `train` of every pretraining: read the text, learn its word pieces, run the training loop."""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Unpack, cast

import numpy as np
import torch

from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, OptionError, counted, warn_caller
from firth.loading import load
from firth.neural.layers.masking import MaskedPrediction
from firth.neural.models.pretraining.corruption import ReplacedPrediction
from firth.neural.models.pretraining.data import PieceText, Windows
from firth.neural.models.pretraining.encoder_model import PretrainedEncoder
from firth.neural.models.pretraining.network import EncoderConfig
from firth.neural.models.pretraining.options import TOKENS, PretrainingOptions
from firth.neural.models.pretraining.task import Objective, PretrainingTask
from firth.neural.supervised import digest as run_digest
from firth.neural.training.accumulation import Accumulated
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, TrainingOptions, text_options
from firth.options import check_kind
from firth.timing import running_clock

EVAL_BATCH = 64  # windows of held-out text


@explained(tokens=TOKENS)
def pretrain(
    options: PretrainingOptions,
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
            how = {"tokens": text.pieces, "min_count": 1, **{k: v for k, v in given.items() if k == "sentences"}}
            aside = PieceText.of(as_corpus(held_out, {}, defaults=how, progress=config.progress))
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
    options: PretrainingOptions,
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
    task = PretrainingTask(objective, batches, held_out, options.mask_rate)
    identity = {"text": _digest(text, aside)}
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


def _of_start(options: PretrainingOptions, before: PretrainedEncoder) -> tuple[PretrainingOptions, EncoderConfig]:
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


def _digest(text: PieceText, aside: PieceText | None) -> str:
    return run_digest(text.pieces.rules, text.ids, None if aside is None else aside.ids)
