"""What `firth pretrain MODEL` does. `firth.cli.pretrain_group` lists the models."""

import importlib
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import TEXT, AsJson, Checkpoint, Every, OneThread, Quiet, Seed, Sources, output
from firth.cli.flags import Flags, Group, add_command, with_flags
from firth.cli.output import end, note, paragraphs, print_json, working
from firth.cli.targets import check_folder_target, checkpoint_in
from firth.cli.texts import CORPUS as ANY_CORPUS
from firth.cli.texts import READING as ANY_READING
from firth.cli.texts import corpus_of
from firth.comparison.named import Model, named
from firth.corpus.options import CorpusOptions
from firth.errors import MissingExtraError, OptionError
from firth.timing import running_clock
from firth.vectors.io.load import load_as

HOMES, KIND = ("firth.neural.models.pretraining.",), "firth-encoder"
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
        typer.Option(
            help="Word pieces that are learned from the text: lower-cased, or with their case. One of "
            f"{', '.join(PIECES)}. Default: {PIECES[0]}.",
            metavar="NAME",
            show_default=False,
            rich_help_panel=TEXT,
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.tokens is not None and self.tokens.lower() not in PIECES and not self.tokens.endswith(".json"):
            raise OptionError(
                f"tokens={self.tokens!r}: an encoder reads word pieces; expected one of {', '.join(PIECES)}"
            )


SPLITTING = Flags(PieceOptions, TEXT)


def command_of(name: str) -> Any:
    """Return the command of a model, with the flags of its own options.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    try:
        importlib.import_module("firth.neural")  # which says what is missing
    except MissingExtraError:
        raise MissingExtraError("torch", "neural", "pretrain encoders") from None
    how = named(HOMES)[name]
    usual = how.kind.training
    flags = [_model_flags(how), Flags(type(usual), "Training", defaults=usual), CORPUS, SPLITTING, READING]
    run = with_flags(_pretrain, flags, name=name, how=how)
    app = typer.Typer(cls=Group)
    text = f"{how.description}\n\n{paragraphs(run).partition(chr(10) * 2)[2]}"
    add_command(app, name, run, help=text, short_help=how.description)
    return typer.main.get_group(app).commands[name]


def _model_flags(how: Model) -> Flags:
    return Flags(how.kind, "Model", frozenset(how.preset) | how.unused)


def _pretrain(
    name: str,
    how: Model,
    corpus: Sources,
    output: Annotated[Path, output("Folder to save the encoder in.")],
    held_out: Annotated[
        Path | None,
        typer.Option(
            help="Held-out text that chooses the best model. Default: a hundredth of the text, its end.", metavar="TEXT"
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="Pretrained encoder to start from: its network, word pieces, parameters.", metavar="ENCODER"),
    ] = None,
    seed: Seed = 0,
    threads: OneThread = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Pretrain an encoder on raw text.

    The text is read as word pieces that are learned from it, 8,000 or --max-size, and saved with the encoder. Each line
    is a text; --sentences says otherwise. The saved folder opens in transformers, too: AutoModel, AutoTokenizer.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything.
    """
    began = time.monotonic()
    check_folder_target(output, kinds=[KIND])
    states = checkpoint_in(checkpoint, every)
    splitting = SPLITTING.select(options)
    PieceOptions(**splitting)
    reading = {**CORPUS.select(options), **splitting}
    with running_clock():
        with working(f"reading {start}", quiet or start is None):
            before = None if start is None else load_as(start, _encoder_class(), "the folder of a contextual encoder")
        defaults: dict[str, Any] = {"tokens": PIECES[0]}
        if before is not None:
            defaults = {"tokens": getattr(before, "pieces", PIECES[0]), "min_count": 1}
        text = corpus_of(corpus, {**reading, **READING.select(options)}, defaults=defaults, progress=not quiet)
        usual = how.kind.training
        encoder = how.kind(**_model_flags(how).select(options), **how.preset).train(
            text,
            held_out=held_out,
            start=before,
            training=replace(usual, **Flags(type(usual), "Training").select(options)),
            seed=seed,
            threads=threads,
            checkpoint=states,
            progress=not quiet,
        )
    encoder.metadata.setdefault("name", output.stem)
    facts = encoder.metadata["training"]
    if facts["interrupted"] and not facts["rows"] and output.exists():
        note(f"{output} is left as it was: the run was interrupted before its first evaluation")
        end(facts)
    encoder.save(output)
    _report(name, encoder, output, time.monotonic() - began, json, checkpoint is not None)
    end(encoder.metadata["training"])


def _encoder_class() -> Any:
    from firth.neural.models.pretraining.encoder_model import PretrainedEncoder  # imports PyTorch

    return PretrainedEncoder


def _report(name: str, encoder: Any, output: Path, seconds: float, json: bool, checkpoint: bool) -> None:
    facts: Mapping[str, Any] = encoder.metadata["training"]
    best = facts["best"] or (facts["rows"] or [{}])[-1]
    figures = {key: value for key, value in best.items() if key.startswith("held_out_") and value is not None}
    unigram = {key: facts[key] for key in ("unigram_loss", "unigram_accuracy") if key in facts}
    rate = facts["tokens"] * best.get("epoch", 0) / max(facts["seconds"], 1e-9)
    if json:
        counted = {key: facts[key] for key in ("pieces", "tokens", "texts", "interrupted")}
        print_json(
            {
                "encoder": str(output), "kind": name, "dim": encoder.dim, **counted, **figures, **unigram,
                "training_seconds": facts["seconds"], "seconds": round(seconds, 3),
            }
        )  # fmt: skip
        return
    print(f"{output}: {name}, {encoder.config.layers} layers of {encoder.dim:,}, {facts['pieces']:,} word pieces")
    speed = f" ({rate:,.0f} pieces/s)" if rate else ""
    print(f"text: {facts['tokens']:,} pieces of {facts['texts']:,} texts; trained for {facts['seconds']:.1f} s{speed}")
    if facts["interrupted"] and checkpoint:
        print("the same command goes on from its checkpoint")
    if not figures:
        print("nothing was measured: there was no text to hold out, or the run ended before its first evaluation")
    if figures:
        shown = ", ".join(
            f"{key.removeprefix('held_out_').replace('_', ' ')} {value:.3f}" for key, value in figures.items()
        )
        print(f"held-out text: {shown}")
    if unigram:
        named = "generator loss" if "held_out_generator_loss" in figures else "loss"
        accuracy = f", accuracy {unigram['unigram_accuracy']:.3f}" if "held_out_accuracy" in figures else ""
        print(f"frequencies of pieces alone: {named} {unigram['unigram_loss']:.3f}{accuracy}")
    print(f"next: firth encode {shlex.quote(str(output))} TEXTS -o vectors.npy")
