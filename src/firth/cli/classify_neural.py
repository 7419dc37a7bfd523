"""`firth classify train --model NAME` for neural models."""

import importlib
import inspect
import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Checkpoint, Embed, Every, OneThread, Quiet, Seed, output
from firth.cli.classify_flags import DEFAULT, KINDS, TABLE, TREES, Texts, model_help
from firth.cli.flags import Flags, with_flags
from firth.cli.output import complain, end, print_json, working
from firth.cli.targets import check_folder_target, checkpoint_in
from firth.cli.texts import source_of
from firth.comparison.named import Model as Named
from firth.errors import MissingExtraError
from firth.vectors.io.load import load, load_vectors


def command(name: str, model: Named) -> Any:
    """Return `train` with the flags of a model.

    Args:
        name: of the model.
        model: its options class.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    try:
        importlib.import_module("firth.neural")  # which says what is missing
    except MissingExtraError:
        raise MissingExtraError("torch", "neural", f"train the classifier {name}") from None
    usual = model.kind.training
    fixed = {} if any(flag == "embedding" for flag in model.kind.__dataclass_fields__) else {"vectors": None}
    if not getattr(model.kind, "embed_places", ()):
        fixed["embed"] = None
    flags = [_model_flags(model), Flags(type(usual), "Training", defaults=usual)]
    flags.append(TABLE if "column" in inspect.signature(model.kind.train).parameters else TREES)
    return with_flags(_train, flags, name=name, how=model, **fixed)


def _model_flags(model: Named) -> Flags:
    return Flags(model.kind, "Model", frozenset(model.preset) | model.unused)


def _train(
    name: str,
    how: Named,
    source: Texts,
    output: Annotated[Path, output("Folder to save the classifier in.")],
    model: Annotated[str, model_help()] = DEFAULT,
    held_out: Annotated[
        str | None,
        typer.Option(
            help="Labelled texts that choose the best epoch. Default: a tenth of the training texts.", metavar="FILE"
        ),
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors to start from.", metavar="VECTORS", show_default=False)
    ] = None,
    embed: Embed = None,
    seed: Seed = 0,
    threads: OneThread = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a neural classifier on labelled texts.

    With --pairs an example is a pair of texts, from a table: --column FIRST,SECOND --labels LABEL.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything.
    """
    began = time.monotonic()
    check_folder_target(output, kinds=KINDS)
    states = checkpoint_in(checkpoint, every)
    trainer = how.kind(**_model_flags(how).select(options), **how.preset)
    training = replace(how.kind.training, **Flags(type(how.kind.training), "Training").select(options))
    arguments: dict[str, Any] = TABLE.select(options)
    if vectors is not None:
        with working(f"reading {vectors}", quiet):
            arguments["vectors"] = load_vectors(str(vectors))
    if embed:
        with working(f"reading {' '.join(map(str, embed))}", quiet):
            arguments["embed"] = list(map(load, embed))
    classifier = trainer.train(
        source_of(source), held_out=None if held_out is None else Path(held_out),
        training=training, seed=seed, threads=threads, checkpoint=states, progress=not quiet, **arguments,
    )  # fmt: skip
    classifier.metadata.setdefault("name", output.stem)
    classifier.save(output)
    _report(name, classifier, output, time.monotonic() - began, json)
    end(classifier.metadata["training"])


def _report(name: str, classifier: Any, output: Path, seconds: float, json: bool) -> None:
    facts = classifier.metadata["training"]
    best = facts["best"] or {}
    figures = {each: best[each] for each in ("held_out_loss", "held_out_error") if best.get(each) is not None}
    if facts["texts_left_out"]:
        complain(f"warning: {facts['texts_left_out']:,} texts without a label or a word were left out")
    if json:
        print_json(
            {
                "classifier": str(output),
                "kind": name,
                "labels": len(classifier),
                classifier.unit: len(classifier.words),
                "dim": classifier.dim,
                "texts": facts["texts"],
                "held_out_texts": facts["held_out_texts"],
                "texts_truncated": facts["texts_truncated"],
                "epochs": best.get("epoch"),
                **figures,
                "training_seconds": facts["seconds"],
                "seconds": round(seconds, 3),
                "interrupted": facts["interrupted"],
            }
        )
        return
    words = f"{len(classifier.words):,} {classifier.unit}"
    print(f"{output}: {name}, {len(classifier):,} labels, {words}, {seconds:.1f} s")
    print(f"trained on {facts['texts']:,} texts in {facts['seconds']:.1f} s")
    if best:
        error = best.get("held_out_error")
        right = f"{100 * (1 - error):.1f} % right, " if error is not None else ""
        print(
            f"best epoch {best['epoch']:g}: {right}{best['held_out_loss']:.3f} nats, on {facts['held_out_texts']:,} "
            "held-out texts"
        )
    print(f"next: firth classify test {shlex.quote(str(output))} TEXTS")
