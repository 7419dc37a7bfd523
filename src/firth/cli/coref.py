"""`firth coref`: train, predict and test models of coreference."""

import importlib
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Checkpoint, OneThread, Quiet, Seed, names, output
from firth.cli.flags import SETTINGS, Commands, Flags, Group, add_command, with_flags
from firth.cli.model_flag import PASSED_ON, chosen_model
from firth.cli.output import end, paragraphs, print_json, working
from firth.cli.targets import check_folder_target, check_writable
from firth.comparison.named import Model as Named
from firth.comparison.named import named
from firth.documents.conllu_documents import conllu_lines
from firth.documents.files import check_written, write_documents
from firth.documents.jsonl import document_json
from firth.errors import MissingExtraError, OptionError
from firth.registry import load_folder, plain_name
from firth.timing import running_clock
from firth.vectors.io.load import load_vectors

HOMES = ("firth.neural.models.coreference.",)
DEFAULT = "ranking"

Resolver = Annotated[Path, names("A model of coreference: a folder that firth wrote.", "MODEL")]
Documents = Annotated[
    list[Path],
    names(
        "Documents: CoNLL-U (.conllu), JSONL (.jsonl), or the columns of CoNLL-2012 (a file, folder or tar archive).",
        "FILE",
    ),
]


def train(context: typer.Context) -> None:
    """Train a model of coreference: `firth coref train FILE... -o OUT`.

    `firth coref train --model NAME --help` shows the options of a model.
    """
    arguments = context.args or ["--help"]
    with running_clock():  # importing PyTorch counts against --minutes
        trainer(arguments)(["train", *arguments], prog_name="firth coref")


def trainer(arguments: Sequence[str]) -> typer.Typer:
    """Return the command with the flags of the model that the arguments name.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    models = named(HOMES)
    name = chosen_model(arguments, list(models), DEFAULT)
    try:
        importlib.import_module("firth.neural")  # which says what is missing
    except MissingExtraError:
        raise MissingExtraError("torch", "neural", "train a model of coreference") from None
    model = models[name]
    usual = model.kind.training
    run = with_flags(
        _train, [_model_flags(model), Flags(type(usual), "Training", defaults=usual)], name=name, how=model
    )
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False, add_completion=False, context_settings=SETTINGS)
    app.callback()(_shared)
    text = [model.description, paragraphs(run).partition("\n\n")[2]]
    add_command(app, "train", run, help="\n\n".join(text))
    return app


def _shared() -> None:
    """Make typer expect the name of a command even if the app has only one."""


def _model_flags(model: Named) -> Flags:
    return Flags(model.kind, "Model", frozenset(model.preset) | model.unused)


def _train(
    name: str,
    how: Named,
    source: Documents,
    output: Annotated[Path, output("Folder to save the model in.")],
    model: Annotated[
        str,
        typer.Option(
            help=f"Model: {', '.join(named(HOMES))}; --model NAME --help shows its options.",
            metavar="NAME",
            show_default=True,
        ),
    ] = DEFAULT,
    held_out: Annotated[
        Path | None,
        typer.Option(
            help="Documents that choose the best epoch. Default: a tenth of the training documents.", metavar="FILE"
        ),
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors to start from.", metavar="VECTORS", show_default=False)
    ] = None,
    seed: Seed = 0,
    threads: OneThread = None,
    checkpoint: Checkpoint = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a model of coreference on documents with chains.

    Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything.
    """
    began = time.monotonic()
    check_folder_target(output)
    if checkpoint is not None:
        check_writable(checkpoint / "state")
    trainer = how.kind(**_model_flags(how).select(options), **how.preset)
    training = replace(how.kind.training, **Flags(type(how.kind.training), "Training").select(options))
    given = None
    if vectors is not None:
        with working(f"reading {vectors}", quiet):
            given = load_vectors(str(vectors))
    resolver = trainer.train(
        source, held_out=held_out, vectors=given,
        training=training, seed=seed, threads=threads, checkpoint=checkpoint, progress=not quiet,
    )  # fmt: skip
    resolver.metadata.setdefault("name", output.stem)
    resolver.save(output)
    _report(name, resolver, output, time.monotonic() - began, json)
    end(resolver.metadata["training"])


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


def _open(path: Path) -> Any:
    """Return a model of coreference.

    Raises:
        OptionError: the folder holds something else.
    """
    content = load_folder(path)
    if plain_name(content) != "a model of coreference":
        raise OptionError(f"{path} holds {plain_name(content)}, expected a model of coreference")
    return content


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
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Find the coreference chains of documents: as CoNLL-U, or a line of JSON per document."""
    if output is not None:
        check_written(output)
    with working(f"reading {model}", quiet):
        resolver = _open(model)
    how = {} if mentions == "auto" else {"mentions": mentions}
    found = resolver.predict([Path(path) for path in source], threads=threads, progress=not quiet, **how)
    if output is not None:
        write_documents(output, found)
        return
    lines = (f"{document_json(document).decode()}\n" for document in found) if json else conllu_lines(found)
    sys.stdout.writelines(lines)


def _test(
    model: Resolver, source: Documents, seed: Seed = 0, threads: OneThread = None, quiet: Quiet = False,
    json: AsJson = False,
) -> None:  # fmt: skip
    """Test a model on documents with gold chains: MUC, B-cubed, CEAF, LEA, BLANC and the mean of CoNLL-2012.

    With the gold mentions and, where all sentences have trees, with mentions that are found.
    """
    scores = _open(model).test([Path(path) for path in source], seed=seed, threads=threads, progress=not quiet)
    print_json(asdict(scores)) if json else print(scores)


def _app() -> typer.Typer:
    app = typer.Typer(cls=Group, help="Coreference: train, predict, test.")
    app.command("train", help=paragraphs(train), context_settings=PASSED_ON)(train)
    add_command(app, "predict", _predict)
    add_command(app, "test", _test)
    return app


coref = _app()
