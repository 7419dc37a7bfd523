"""`firth coref`: train, predict and test models of coreference."""

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.annotators import Training, open_model
from firth.cli.arguments import AsJson, OneThread, Quiet, Seed, names, output
from firth.cli.flags import Group, add_command
from firth.cli.model_flag import PASSED_ON
from firth.cli.output import paragraphs, print_json, working
from firth.documents.files import CONLLU, JSONL, check_written, serialised, write_documents

Resolver = Annotated[Path, names("A model of coreference: a folder that firth wrote.", "MODEL")]
Documents = Annotated[
    list[Path],
    names(
        "Documents: CoNLL-U (.conllu), JSONL (.jsonl), or the columns of CoNLL-2012 (a file, folder or tar archive).",
        "FILE",
    ),
]


def _report(name: str, resolver: Any, output: Path, seconds: float, json: bool) -> None:
    facts = resolver.metadata["training"]
    best = facts["best"] or {}
    if json:
        figures = {each: best[each] for each in ("held_out_loss", "held_out_error") if best.get(each) is not None}
        counted = {each: facts[each] for each in ("documents", "mentions", "held_out_documents", "interrupted")}
        print_json(
            {
                "model": str(output), "kind": name, "words": len(resolver.words), "epochs": best.get("epoch"),
                **counted, **figures, "training_seconds": facts["seconds"], "seconds": round(seconds, 3),
            }
        )  # fmt: skip
        return
    print(f"{output}: {name}, {len(resolver.words):,} words, {seconds:.1f} s")
    print(f"trained on {facts['documents']:,} documents, {facts['mentions']:,} mentions, in {facts['seconds']:.1f} s")
    if best:
        right = 100 * (1 - best["held_out_error"])
        print(f"best epoch {best['epoch']:g}: {right:.2f} on {facts['held_out_documents']:,} held-out documents")
    print(f"next: firth coref test {shlex.quote(str(output))} FILE")


train = Training(
    group="coref",
    what="model of coreference",
    homes=("firth.neural.models.coreference.",),
    default="ranking",
    source=Documents,
    held_out="Documents that choose the best epoch. Default: a tenth of the training documents.",
    about="Train a model of coreference on documents with chains.",
    report=_report,
).command()


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
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Find the coreference chains of documents: as CoNLL-U, or a line of JSON per document."""
    if output is not None:
        check_written(output)
    with working(f"reading {model}", quiet):
        resolver = open_model(model, "a model of coreference")
    found = resolver.predict(source, mentions=mentions, singletons=singletons, threads=threads, progress=not quiet)
    if output is not None:
        write_documents(output, found)
        return
    sys.stdout.writelines(content.decode() for content in serialised(found, JSONL if json else CONLLU))


def _test(
    model: Resolver, source: Documents, seed: Seed = 0, threads: OneThread = None, quiet: Quiet = False,
    json: AsJson = False,
) -> None:  # fmt: skip
    """Test a model on documents with gold chains: MUC, B-cubed, CEAF, LEA, BLANC and the mean of CoNLL-2012.

    With the gold mentions and, where all sentences have trees, with mentions that are found.
    """
    scores = open_model(model, "a model of coreference").test(source, seed=seed, threads=threads, progress=not quiet)
    print_json(asdict(scores)) if json else print(scores)


def _app() -> typer.Typer:
    app = typer.Typer(cls=Group, help="Coreference: train, predict, test.")
    app.command("train", help=paragraphs(train), context_settings=PASSED_ON)(train)
    add_command(app, "predict", _predict)
    add_command(app, "test", _test)
    return app


coref = _app()
