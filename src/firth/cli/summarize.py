"""`firth summarize`: train summarizers, summarize texts, test summaries."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, OneThread, Quiet, Seed, TextFile, names
from firth.cli.flags import Flags, with_flags
from firth.cli.groups import commands
from firth.cli.output import working
from firth.cli.texts import READ_TABLES
from firth.cli.training import Run, TrainCommand
from firth.cli.translate import (
    Attention,
    Beam,
    Columns,
    Pairs,
    Together,
    held_out_pairs,
    print_generated,
    read_pairs,
    report,
    train_on_pairs,
)
from firth.cli.vectors import open_model
from firth.inference.generation_options import GenerationOptions

Summarizer = Annotated[Path, names("A summarizer: a folder that firth wrote.", "MODEL")]
_USUAL = GenerationOptions(max_length=60)
_GENERATION = Flags(GenerationOptions, "Generation", defaults=_USUAL)


def _train(
    run: Run,
    source: Pairs,
    held_out: Annotated[list[Path] | None, held_out_pairs("two files")] = None,
    *,
    columns: Columns = None,
) -> Any:
    """Train a summarizer on texts with their summaries."""
    return train_on_pairs(run, source, held_out, columns=columns)


train = TrainCommand(
    group="summarize", what="summarizer", homes=("firth.neural.models.summaries.",), default="pointer-generator",
    kinds=("firth-summarizer",), train=_train, report=report,
    flags=lambda model: (READ_TABLES,),
).command()  # fmt: skip


def _predict(
    model: Summarizer,
    texts: TextFile,
    beam: Beam = 4,
    n_best: Annotated[int, typer.Option(help="Summaries per text; each with its line and score.")] = 1,
    seed: Seed = 0,
    attention: Attention = False,
    batch_size: Together = 64,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **generation: Any,
) -> None:
    """Summarize texts, one a line: a line each, in the same order.

    Lines are printed as they are finished; Ctrl-C keeps them. With --n-best, a line holds the number of the text, the
    score and the summary, between tabs. With --temperature, --top-k, --top-p or --min-p summaries are sampled.
    """
    with working(f"reading {model}", quiet):
        summarizer = open_model(model, "a summarizer")
    generate = partial(
        summarizer.summarize,
        beam=beam,
        n_best=n_best,
        options=replace(_USUAL, **_GENERATION.select(generation)),
        return_attention=attention,
        batch_size=batch_size,
        threads=threads,
    )
    print_generated(texts, generate, "summarizing", seed=seed, n_best=n_best, quiet=quiet, json=json)


def _test(
    model: Summarizer,
    source: Pairs,
    columns: Columns = None,
    beam: Beam = 4,
    metrics: Annotated[str, typer.Option(help="Metrics with commas between; all for all.")] = "rouge",
    batch_size: Together = 64,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **table: Any,
) -> None:
    """Summarize the texts of pairs and score the summaries: ROUGE, with intervals."""
    pairs = read_pairs(source, columns=columns, **READ_TABLES.select(table))
    with working(f"reading {model}", quiet):
        summarizer = open_model(model, "a summarizer")
    report = summarizer.test(
        pairs, beam=beam, metrics=metrics.split(","), batch_size=batch_size, threads=threads, progress=not quiet
    )
    print(report.to_json() if json else report)


summarize = commands(
    "Summarizers: train on texts with summaries, summarize, test.",
    train=train,
    predict=with_flags(_predict, [_GENERATION]),
    test=with_flags(_test, [READ_TABLES]),
)
