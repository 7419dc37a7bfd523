"""`firth coref`: train, predict and test models of coreference."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, OnError, OneThread, Quiet, Seed, flag, names, output
from firth.cli.groups import commands
from firth.cli.output import print_json, working
from firth.cli.training import Report, Run, StartVectors, Summary, TrainCommand
from firth.cli.vectors import open_model
from firth.documents.files import CONLLU, JSONL, check_written, serialised, write_documents
from firth.storage.skipping import STOP

Resolver = Annotated[Path, names("A model of coreference: a folder that firth wrote.", "MODEL")]
Documents = Annotated[
    list[Path],
    names(
        "Documents: CoNLL-U (.conllu), JSONL (.jsonl), or the columns of CoNLL-2012 (a file, folder or tar archive).",
        "FILE",
    ),
]


def _report(run: Run, resolver: Any) -> Report:
    words, training = len(resolver.words), resolver.metadata["training"]
    mentions = f"{training['mentions']:,} mentions"
    measure = "mean F1 of CoNLL-2012 {}" if "held_out_mention_error" in (training["best"] or {}) else "B-cubed F1 {}"
    facts = {"words": words}
    return Summary(f"{words:,} words", facts, "documents", mentions, ("mentions",), measure).report(run, resolver)


def _documents(source: Sequence[Path] | Path, on_error: str) -> Any:
    from firth.neural.models.coreference.sources import documents_of

    return documents_of(source, on_error=on_error)


def _train(
    run: Run,
    source: Documents,
    held_out: Annotated[
        Path | None, flag("Documents that choose the best epoch. Default: a tenth of the training documents.", "FILE")
    ] = None,
    vectors: StartVectors = None,
    *,
    on_error: OnError = STOP,
) -> Any:
    """Train a model of coreference on documents with chains."""
    held = None if held_out is None else _documents(held_out, on_error)
    return run.train(_documents(source, on_error), held_out=held)


train = TrainCommand(
    group="coref", what="model of coreference", homes=("firth.neural.models.coreference.",), default="ranking",
    kinds=("firth-coreference",), train=_train, report=_report,
).command()  # fmt: skip


def _predict(
    model: Resolver,
    source: Documents,
    output: Annotated[
        Path | None, output("File to write, .conllu or .jsonl. Default: CoNLL-U to standard output.")
    ] = None,
    mentions: Annotated[
        str,
        typer.Option(
            help="Mentions that are linked: gold, those of the chains in FILE; predicted, noun phrases of its trees, "
            "or what an end-to-end model finds; auto, those of its chains or, without any, of its trees; an end-to-end "
            "model finds its own."
        ),
    ] = "auto",
    singletons: Annotated[
        bool | None,
        typer.Option(
            "--singletons/--no-singletons",
            help="Whether mentions without a partner are chains of one. Default: those of gold mentions are, those of "
            "predicted mentions if the training documents have such chains.",
            show_default=False,
        ),
    ] = None,
    on_error: OnError = STOP,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Find the coreference chains of documents: as CoNLL-U, or a line of JSON per document."""
    if output is not None:
        check_written(output)
    with working(f"reading {model}", quiet):
        resolver = open_model(model, "a model of coreference")
    documents = _documents(source, on_error)
    chains = resolver.predict(documents, mentions=mentions, singletons=singletons, threads=threads, progress=not quiet)
    if output is not None:
        write_documents(output, chains)
        return
    sys.stdout.writelines(content.decode() for content in serialised(chains, JSONL if json else CONLLU))


def _test(
    model: Resolver,
    source: Documents,
    on_error: OnError = STOP,
    seed: Seed = 0,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Test a model on documents with gold chains: MUC, B-cubed, CEAF, LEA, BLANC and the mean of CoNLL-2012.

    With the gold mentions and, where all sentences have trees, with mentions that are found.
    """
    resolver = open_model(model, "a model of coreference")
    scores = resolver.test(_documents(source, on_error), seed=seed, threads=threads, progress=not quiet)
    print_json(asdict(scores)) if json else print(scores)


coref = commands("Coreference: train, predict, test.", train=train, predict=_predict, test=_test)
