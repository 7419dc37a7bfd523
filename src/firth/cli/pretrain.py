"""What `firth pretrain MODEL` does. `firth.cli.lists` lists the models."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from firth.cli.arguments import TEXT, Sources, flag
from firth.cli.flags import Flags
from firth.cli.groups import model_command
from firth.cli.output import end, note, working
from firth.cli.texts import CORPUS as ANY_CORPUS
from firth.cli.texts import READING as ANY_READING
from firth.cli.texts import corpus_of
from firth.cli.training import Report, Run, TrainCommand
from firth.comparison.models import models_in
from firth.corpus.options import CorpusOptions
from firth.errors import OptionError
from firth.loading import load_as

HOMES = ("firth.neural.models.pretraining.",)
PIECES = ("wordpieces", "cased-wordpieces")  # names of tokens
CORPUS = replace(
    ANY_CORPUS,
    without=frozenset({"unknown", "keep_empty", "stop_words", "tokens"}),
    defaults=CorpusOptions(tokens=PIECES[0]),
)
READING = replace(ANY_READING, without=frozenset({"stop_words"}))


@dataclass(frozen=True)
class PieceOptions:
    """How text is split."""

    tokens: Annotated[
        str | None,
        flag(
            "Word pieces that are learned from the text: lower-cased, or with their case. One of "
            f"{', '.join(PIECES)}. Default: {PIECES[0]}.",
            "NAME",
            panel=TEXT,
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.tokens is not None and self.tokens.lower() not in PIECES and not self.tokens.endswith(".json"):
            raise OptionError(
                f"tokens={self.tokens!r}: an encoder reads word pieces; expected one of {', '.join(PIECES)}"
            )


SPLITTING = Flags(PieceOptions, TEXT)


def _train(
    run: Run,
    corpus: Sources,
    held_out: Annotated[
        Path | None,
        flag("Held-out text that chooses the best model. Default: a hundredth of the text, its end.", "TEXT"),
    ] = None,
    start: Annotated[
        Path | None, flag("Pretrained encoder to start from: its network, word pieces, parameters.", "ENCODER")
    ] = None,
) -> Any:
    """Pretrain an encoder on raw text.

    The text is read as word pieces that are learned from it, 8,000 or --max-size, and saved with the encoder. Each line
    is a text; --sentences says otherwise. The saved folder opens in transformers, too: AutoModel, AutoTokenizer.
    """
    splitting = SPLITTING.select(run.values)
    PieceOptions(**splitting)
    defaults: dict[str, Any] = {"tokens": PIECES[0]}
    if start is not None:
        with working(f"reading {start}", run.quiet):
            run.start = load_as(start, _encoder_class(), "the folder of a contextual encoder")
        defaults = {"tokens": getattr(run.start, "pieces", PIECES[0]), "min_count": 1}
    reading = {**CORPUS.select(run.values), **splitting, **READING.select(run.values)}
    text = corpus_of(corpus, reading, defaults=defaults, progress=not run.quiet)
    encoder = run.train(text, held_out=held_out, start=run.start)
    facts = encoder.metadata["training"]
    if facts["interrupted"] and not facts["rows"] and run.output.exists():
        note(f"{run.output} is left as it was: the run was interrupted before its first evaluation")
        end(facts)
    return encoder


def _encoder_class() -> Any:
    from firth.neural.models.pretraining.encoder_model import PretrainedEncoder  # imports PyTorch

    return PretrainedEncoder


def _report(run: Run, encoder: Any) -> Report:
    facts: Mapping[str, Any] = encoder.metadata["training"]
    best, seconds = facts["best"] or (facts["rows"] or [{}])[-1], run.seconds
    figures = {key: value for key, value in best.items() if key.startswith("held_out_") and value is not None}
    unigram = {key: facts[key] for key in ("unigram_loss", "unigram_accuracy") if key in facts}
    rate = facts["tokens"] * best.get("epoch", 0) / max(facts["seconds"], 1e-9)
    counted = {key: facts[key] for key in ("pieces", "tokens", "texts", "interrupted")}
    table = {
        "encoder": str(run.output), "kind": run.model.name, "dim": encoder.dim, **counted, **figures, **unigram,
        "training_seconds": facts["seconds"], "seconds": round(seconds, 3),
    }  # fmt: skip
    network = f"{encoder.config.layers} layers of {encoder.dim:,}, {facts['pieces']:,} word pieces"
    speed = f" ({rate:,.0f} pieces/s)" if rate else ""
    texts = f"{facts['tokens']:,} pieces of {facts['texts']:,} texts"
    lines = [
        f"{run.output}: {run.model.name}, {network}",
        f"text: {texts}; trained for {facts['seconds']:.1f} s{speed}",
    ]
    if facts["interrupted"] and run.checkpoint is not None:
        lines.append("the same command goes on from its checkpoint")
    if not figures:
        lines.append(
            "nothing was measured: there was no text to hold out, or the run ended before its first evaluation"
        )
    if figures:
        names = {key: key.removeprefix("held_out_").replace("_", " ") for key in figures}
        lines.append("held-out text: " + ", ".join(f"{names[key]} {value:.3f}" for key, value in figures.items()))
    if unigram:
        loss = "generator loss" if "held_out_generator_loss" in figures else "loss"
        accuracy = f", accuracy {unigram['unigram_accuracy']:.3f}" if "held_out_accuracy" in figures else ""
        lines.append(f"frequencies of pieces alone: {loss} {unigram['unigram_loss']:.3f}{accuracy}")
    return table, [*lines, f"next: firth encode {shlex.quote(str(run.output))} TEXTS -o vectors.npy"]


PRETRAIN = TrainCommand(
    group="pretrain", what="encoder", homes=HOMES, kinds=("firth-encoder",), purpose="pretrain encoders", train=_train,
    report=_report, flags=lambda model: (CORPUS, SPLITTING, READING),
)  # fmt: skip


def command_of(name: str) -> Any:
    """Return the command of a model, with the flags of its own options."""
    PRETRAIN.need_torch(name)
    model = models_in(HOMES)[name]
    return model_command(model, PRETRAIN.of(model))
