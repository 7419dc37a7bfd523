"""`firth sentences train`: the flags are those of the model that `--model` names."""

import importlib
import inspect
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Checkpoint, Every, OneThread, Quiet, Seed, Sources, names, output
from firth.cli.flags import SETTINGS, Commands, Flags, Group, add_command, with_flags
from firth.cli.model_flag import PASSED_ON, chosen_model
from firth.cli.output import end, paragraphs, print_json, working
from firth.cli.targets import check_folder_target, checkpoint_in
from firth.cli.texts import CORPUS as ANY_CORPUS
from firth.cli.texts import READING, corpus_of
from firth.comparison.named import Model, named
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.errors import MissingExtraError
from firth.language.text import UNK
from firth.readers.sentence_pairs import read_file
from firth.readers.text_groups import read_text_groups
from firth.timing import running_clock
from firth.vectors.io.load import load_vectors

HOMES, DEFAULT = ("firth.neural.models.sentences.",), "skip-thought"


def train(context: typer.Context) -> None:
    """Train a sentence encoder on text: `firth sentences train TEXT... -o OUT`.

    `firth sentences train --model NAME --help` shows the options of a model.
    """
    with running_clock():  # importing PyTorch counts against --minutes
        trainer(context.args)(["train", *context.args], prog_name="firth sentences")


def trainer(arguments: Sequence[str]) -> typer.Typer:
    """Return the command with the flags of the model that the arguments name."""
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False, add_completion=False, context_settings=SETTINGS)
    app.callback()(_shared)
    models = named(HOMES)
    name = chosen_model(arguments, models, DEFAULT)
    try:
        importlib.import_module("firth.neural")  # which says what is missing
    except MissingExtraError:
        raise MissingExtraError("torch", "neural", "train sentence encoders") from None
    run = command(name, models[name])
    text = [models[name].description, paragraphs(run).partition("\n\n")[2], f"Models: {', '.join(models)}."]
    add_command(app, "train", run, help="\n\n".join(text))
    return app


def _shared() -> None:
    """Make typer expect the name of a command even if the app has only one."""


def command(name: str, model: Model) -> Any:
    """Return `train` with the flags of a model.

    Args:
        name: of the model.
        model: its options class.
    """
    usual = model.kind.training
    flags = [_model_flags(model), Flags(type(usual), "Training", defaults=usual), _corpus_flags(model)]
    if model.kind.reads_groups:
        return with_flags(_train_on_groups, flags, name=name, how=model)
    parameters = inspect.signature(model.kind.train).parameters
    optional = ("held_out", "vectors", "start", "seed", "checkpoint")
    fixed: dict[str, Any] = {flag: None for flag in optional if flag not in parameters}
    if "checkpoint" in fixed:
        fixed["every"] = None
    return with_flags(_train, [*flags, READING], name=name, how=model, **fixed)


def _model_flags(model: Model) -> Flags:
    # -o/--output is the folder to write in every command, and --momentum that of the optimiser.
    renamed = {"output": "output_layer", "momentum": "key_momentum"}
    return Flags(model.kind, "Model", frozenset(model.preset) | model.unused, renamed=renamed)


def _corpus_flags(model: Model) -> Flags:
    usual = CorpusOptions(**model.kind.text)
    without = {"unknown", "keep_empty"} | ({"sentences"} if model.kind.reads_groups else set())
    return replace(ANY_CORPUS, without=frozenset(without), defaults=usual)


Output = Annotated[Path, output("Folder to save the encoder in.")]
ModelName = Annotated[str, typer.Option(help="Model to train.", metavar="NAME", show_default=True)]
Start = Annotated[
    Path | None, typer.Option(help="Trained encoder to start from: its network, words and parameters.", metavar="MODEL")
]


def _train(
    name: str,
    how: Model,
    corpus: Sources,
    output: Output,
    model: ModelName = DEFAULT,
    held_out: Annotated[
        Path | None,
        typer.Option(
            help="Held-out data that choose the best model: text, or for contrastive models scored pairs of texts.",
            metavar="FILE",
        ),
    ] = None,
    start: Start = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors at which the input vectors start.", metavar="VECTORS")
    ] = None,
    seed: Seed = 0,
    threads: OneThread = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a sentence encoder on text.

    The text is split into sentences, whose order matters to most models; a file ends a document. With --sentences line
    each line is a sentence, and an empty line ends a document.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything.
    """
    began = time.monotonic()
    trainer, training = _checked(how, output, options)
    states = checkpoint_in(checkpoint, every)
    reading = READING.select(options)
    text_options = {**_corpus_flags(how).select(options), **reading}
    before = None if start is None else _opened(start)
    usual = {**how.kind.text, "unknown": UNK} if before is None else _rules(before, how.kind)
    text = corpus_of(corpus, text_options, defaults=usual, progress=not quiet)
    arguments: dict[str, Any] = {"seed": seed, "checkpoint": states, "start": before}
    if held_out is not None and how.kind.selected_by_pairs:
        arguments["held_out"] = read_file(held_out, None)
    elif held_out is not None:
        arguments["held_out"] = _held_out(held_out, text, reading, progress=not quiet)
    if vectors is not None:
        with working(f"reading {vectors}", quiet):
            arguments["vectors"] = load_vectors(str(vectors))
    parameters = inspect.signature(trainer.train).parameters
    rest = {key: value for key, value in arguments.items() if value is not None and key in parameters}
    encoder = trainer.train(text, training=training, threads=threads, progress=not quiet, **rest)
    read = {"sentences": len(text), "tokens": text.num_tokens}
    _finish(name, encoder, output, time.monotonic() - began, read, json)


def _train_on_groups(
    name: str,
    how: Model,
    groups: Annotated[
        Path, names("Groups of texts that mean the same, as JSON lines, or pairs labelled entailment.", "GROUPS")
    ],
    output: Output,
    model: ModelName = DEFAULT,
    held_out: Annotated[
        Path | None, typer.Option(help="Scored pairs of texts that choose the best model.", metavar="FILE")
    ] = None,
    start: Start = None,
    seed: Seed = 0,
    threads: OneThread = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a sentence encoder on groups of texts that mean the same.

    A line of the file is {"texts": ["A dog runs.", "The dog runs."], "negatives": ["A dog sleeps."]}, where negatives
    may be left out. Or it is a pair of sentences with a label: entailment makes a group, contradiction a negative.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything.
    """
    began = time.monotonic()
    trainer, training = _checked(how, output, options)
    states = checkpoint_in(checkpoint, every)
    with working(f"reading {groups}", quiet):
        given, scored = read_text_groups(groups), None if held_out is None else read_file(held_out, None)
    encoder = trainer.train(
        given, held_out=scored, start=start, training=training, seed=seed, threads=threads, checkpoint=states,
        progress=not quiet, **_corpus_flags(how).select(options),
    )  # fmt: skip
    read = {"groups": len(given), "texts": sum(len(group.texts) for group in given)}
    _finish(name, encoder, output, time.monotonic() - began, read, json)


def _checked(how: Model, output: Path, options: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the model's options and those of training, after a look at where the results go."""
    check_folder_target(output)
    training = replace(how.kind.training, **Flags(type(how.kind.training), "Training").select(options))
    return how.kind(**_model_flags(how).select(options), **how.preset), training


def _finish(name: str, encoder: Any, output: Path, seconds: float, read: Mapping[str, int], json: bool) -> None:
    """Save an encoder, say what it is, and leave with the status of its training."""
    encoder.metadata.setdefault("name", output.stem)
    encoder.save(output)
    _report(name, encoder, output, seconds, read, json)
    end(encoder.metadata.get("training", {}))


def _opened(start: Path) -> Any:
    from firth.neural.models.sentences.encoder_training import opened_start  # imports PyTorch

    return opened_start(start)


def _rules(start: Any, kind: Any) -> dict[str, Any]:
    """How a trained encoder reads text, as options of a corpus with every word; a model of documents has its own."""
    sentences = kind.text["sentences"] if kind.reads_documents else start.rules.sentences
    return {"tokens": start.rules.tokens, "sentences": sentences, "min_count": 1}


def _held_out(path: Path, text: Corpus, reading: Mapping[str, Any], *, progress: bool) -> Corpus:
    """Held-out text with every word, split as the training text is."""
    rules = text.options.described()
    same = {key: rules[key] for key in ("tokens", "sentences", "keep_empty")}
    return corpus_of([str(path)], reading, defaults={**same, "min_count": 1}, progress=progress)


def _report(name: str, encoder: Any, output: Path, seconds: float, read: Mapping[str, int], json: bool) -> None:
    course = encoder.metadata.get("training", {})
    rows = course.get("rows") or [{}]
    best = course.get("best") or rows[-1]
    if json:
        print_json(
            {
                "model": str(output),
                "kind": name,
                "words": len(encoder.vocabulary),
                "dim": encoder.dim,
                **read,
                "loss": best.get("loss"),
                "held_out_loss": best.get("held_out_loss"),
                "alignment": best.get("held_out_alignment"),
                "uniformity": best.get("held_out_uniformity"),
                "seconds": round(seconds, 3),
                "interrupted": bool(course.get("interrupted")),
            }
        )
        return
    unit = encoder.rules.unit
    print(f"{output}: {name}, {len(encoder.vocabulary):,} {unit}, {encoder.dim:,} numbers per text, {seconds:.1f} s")
    print("learned from " + ", ".join(f"{count:,} {unit if key == 'tokens' else key}" for key, count in read.items()))
    if course.get("truncated"):
        print(
            f"{course['truncated']:,} texts have more than {encoder.options.max_length:,} {unit}: the rest was not read"
        )
    figures = [
        f"{key.removeprefix('held_out_')} {value:.4f}"
        for key, value in best.items()
        if key.startswith("held_out_") and value is not None
    ]
    if figures:
        print(f"held-out data: {', '.join(figures)}")
    print(f"next: firth encode {shlex.quote(str(output))} TEXTS -o vectors.npy")


sentences = typer.Typer(cls=Group, help="Sentence encoders: train on raw text.")
sentences.command("train", help=paragraphs(train), context_settings=PASSED_ON)(train)
