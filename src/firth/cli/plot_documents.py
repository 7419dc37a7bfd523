"""`firth plot parse`, `entities` and `coref`: annotated documents as drawings, or on the terminal."""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from firth import plots
from firth.cli.arguments import AsJson, Quiet, flag, names, number, output
from firth.cli.flags import as_command
from firth.cli.output import note, print_json, working
from firth.cli.targets import check_writable
from firth.documents.document import Document
from firth.documents.files import read_documents
from firth.errors import OptionError
from firth.plots.drawing import Drawing, check_drawing_target

File = Annotated[Path, names("Documents: CoNLL-U (.conllu) or JSONL, as firth annotate writes them.", "FILE")]
Name = Annotated[
    str | None, typer.Option("--document", help="Name of the document. Default: the first.", metavar="NAME")
]
Sentences = Annotated[int, number("Sentences to draw at most.")]
Title = Annotated[str | None, flag("Title. Default: the name of the document.")]
Drawn = tuple[Drawing, Iterable[dict[str, Any]]]  # and what is drawn, as JSON


def parse(document: Document, number: Sentences = 20, title: Title = None) -> Drawn:
    """Draw dependency trees as arcs over the words."""
    rows = (
        {"words": sentence.words, "heads": sentence.heads, "relations": sentence.relations}
        for sentence in document.sentences[:number]
    )
    return plots.dependency_arcs(document, number=number, title=title), rows


def entities(document: Document, number: Sentences = 200, title: Title = None) -> Drawn:
    """Mark the entities of a document in its text."""
    rows = (
        {"start": start, "end": end, "label": label, "text": document.span_text(start, end)}
        for start, end, label in document.entities
    )
    return plots.entity_spans(document, number=number, title=title), rows


def coref(
    document: Document,
    number: Sentences = 200,
    singletons: Annotated[
        bool, typer.Option("--singletons", help="Also mark mentions that nothing else refers to.")
    ] = False,
    title: Title = None,
) -> Drawn:
    """Mark the coreference chains of a document in its text."""
    rows = (
        {"mentions": cluster, "texts": [document.span_text(*span) for span in cluster]}
        for cluster in document.clusters
        if singletons or len(cluster) > 1
    )
    return plots.coreference_chains(document, number=number, singletons=singletons, title=title), rows


def _shared(
    file: File, document: Name = None, output: Path | None = None, quiet: Quiet = False, json: AsJson = False
) -> None:
    """Declare the flags of every kind of drawing."""


def command(draw: Callable[..., Drawn], *, svg: bool = False) -> Callable[..., None]:
    """Return the command that shows or saves a drawing of a document, or prints what is drawn.

    Args:
        draw: one of `parse`, `entities` and `coref`.
    """

    def run(file: Path, document: str | None, output: Path | None, quiet: bool, json: bool, **options: Any) -> None:
        if output is not None:
            check_drawing_target(output, svg)
            check_writable(output)
        with working("drawing", quiet):
            drawing, rows = draw(_document(file, document), **options)
        for row in rows if json else ():
            print_json(row)
        for text in drawing.notes:
            note(text)
        if output is not None:
            drawing.save(output)
            note(f"{output}: {drawing.title}")
        elif not json:
            print(drawing)

    shared = dict(inspect.signature(_shared).parameters)
    endings = ".svg, .html or .txt" if svg else ".html or .txt"
    help = output(f"File to draw: {endings}. Default: the terminal.", "FILE")
    shared["output"] = shared["output"].replace(annotation=Annotated[Path | None, help])
    first, document, *rest = shared.values()
    own = list(inspect.signature(draw).parameters.values())[1:]
    return as_command(run, draw, [first, document, *own, *rest])


def _document(file: Path, name: str | None) -> Document:
    seen = []
    for document in read_documents(file):
        if name is None or document.name == name:
            return document
        seen.append(document.name)
    shown = ", ".join(seen[:6]) + (", ..." if len(seen) > 6 else "")
    raise OptionError(f"{file}: no document {name!r}; expected one of {shown}")
