"""`firth classify train --model NAME` for neural models."""

import inspect
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import Embed
from firth.cli.classify_flags import DEFAULT, HOMES, KINDS, TABLE, TREES, Texts, model_help
from firth.cli.output import complain
from firth.cli.texts import source_of
from firth.cli.training import Report, Run, StartVectors, TrainCommand
from firth.comparison.named import Model


def _train(
    run: Run,
    source: Texts,
    model: Annotated[str, model_help()] = DEFAULT,
    held_out: Annotated[
        str | None,
        typer.Option(
            help="Labelled texts that choose the best epoch. Default: a tenth of the training texts.", metavar="FILE"
        ),
    ] = None,
    vectors: StartVectors = None,
    embed: Embed = None,
) -> Any:
    """Train a neural classifier on labelled texts.

    With --pairs an example is a pair of texts, from a table: --column FIRST,SECOND --labels LABEL.
    """
    table = TABLE.select(run.values)
    return run.train(source_of(source), held_out=None if held_out is None else Path(held_out), **table)


def _report(run: Run, classifier: Any) -> Report:
    facts, unit, seconds = classifier.metadata["training"], classifier.unit, run.seconds
    best = facts["best"] or {}
    if facts["texts_left_out"]:
        complain(f"warning: {facts['texts_left_out']:,} texts without a label or a word were left out")
    table = {
        "classifier": str(run.output),
        "kind": run.model.name,
        "labels": len(classifier),
        unit: len(classifier.words),
        "dim": classifier.dim,
        **{key: facts[key] for key in ("texts", "held_out_texts", "texts_truncated")},
        "epochs": best.get("epoch"),
        **{key: best[key] for key in ("held_out_loss", "held_out_error") if best.get(key) is not None},
        "training_seconds": facts["seconds"],
        "seconds": round(seconds, 3),
        "interrupted": facts["interrupted"],
    }
    words = f"{len(classifier.words):,} {unit}"
    lines = [
        f"{run.output}: {run.model.name}, {len(classifier):,} labels, {words}, {seconds:.1f} s",
        f"trained on {facts['texts']:,} texts in {facts['seconds']:.1f} s",
    ]
    if best:
        error = best.get("held_out_error")
        right = f"{100 * (1 - error):.1f} % right, " if error is not None else ""
        loss, texts = f"{best['held_out_loss']:.3f} nats", f"{facts['held_out_texts']:,} held-out texts"
        lines.append(f"best epoch {best['epoch']:g}: {right}{loss}, on {texts}")
    return table, [*lines, f"next: firth classify test {shlex.quote(str(run.output))} TEXTS"]


def _flags(model: Model) -> Any:
    return [TABLE if "column" in inspect.signature(model.kind.train).parameters else TREES]


def _without(model: Model) -> set[str]:
    """What does nothing for a model: vectors for one over characters, encoders for one that is fine-tuned."""
    without = set() if "embedding" in model.kind.__dataclass_fields__ else {"vectors"}
    return without if getattr(model.kind, "embed_places", ()) else without | {"embed"}


NEURAL = TrainCommand(
    group="classify", what="classifier", homes=HOMES, default=DEFAULT, kinds=KINDS,
    purpose="train the classifier {name}", train=_train, report=_report, flags=_flags, without=_without,
)  # fmt: skip
