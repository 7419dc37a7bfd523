"""`firth pipeline`: train a pipeline on one treebank, and test it from raw text."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from firth.cli.arguments import AsJson, OnError, Quiet, flag, names
from firth.cli.groups import commands
from firth.cli.output import print_json, working
from firth.cli.training import Report, Run, StartVectors, TrainCommand
from firth.cli.vectors import open_model
from firth.errors import counted
from firth.storage.skipping import SKIP

Folder = Annotated[Path, names("A pipeline: a folder that firth wrote.", "MODEL")]
Treebank = Annotated[list[Path], names("Sentences with tags, lemmas and trees: CoNLL-U, plain or .gz.", "FILE")]


def _train(
    run: Run,
    source: Treebank,
    held_out: Annotated[
        Path | None, flag("Sentences that choose the best epochs. Default: the last tenth of the treebank.", "FILE")
    ] = None,
    vectors: StartVectors = None,
    *,
    on_error: OnError = SKIP,
) -> Any:
    """Train a tokeniser, a tagger with lemmas and a parser on one treebank, as one folder."""
    return run.train(source, held_out=held_out, on_error=on_error)


def _report(run: Run, pipeline: Any) -> Report:
    facts, seconds = pipeline.metadata["training"], run.seconds
    learned = ["tokens", *pipeline.targets, *([] if pipeline.parser is None else ["trees"])]
    table = {"pipeline": str(run.output), "learned": learned, **facts, "seconds": round(seconds, 3)}
    lines = [
        f"{run.output}: {', '.join(learned)}, {seconds:.1f} s",
        f"trained on {counted(facts['sentences'], 'sentence')}, {facts['held_out_sentences']:,} held out",
        f"next: firth annotate TEXT --pipeline {shlex.quote(str(run.output))} -o OUT.conllu",
    ]
    return table, lines


train = TrainCommand(
    group="pipeline", what="pipeline", homes=("firth.pipeline.",), kinds=("firth-pipeline",),
    line="Train a pipeline on a treebank: `firth pipeline train FILE... -o OUT`.", purpose="train taggers and parsers",
    train=_train, report=_report,
).command()  # fmt: skip


def _test(
    model: Folder, source: Treebank, on_error: OnError = SKIP, quiet: Quiet = False, json: AsJson = False
) -> None:
    """Test a pipeline from raw text, as the CoNLL 2018 shared task does: tokens, tags, lemmas and trees.

    The raw text is that of the treebank's tokens, with spaces between them but after SpaceAfter=No.
    """
    with working(f"reading {model}", quiet):
        pipeline = open_model(model, "a pipeline")
    with working("annotating", quiet):
        scores = pipeline.test(source, on_error=on_error)
    if json:
        for name, score in scores.rows.items():
            print_json({"metric": name, **asdict(score)})
    else:
        print(scores)


pipeline = commands("From raw text to trees: pipelines that one treebank trains.", train=train, test=_test)
