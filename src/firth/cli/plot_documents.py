"""`firth plot parse`, `entities` and `coref`: annotated documents as drawings, or on the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from firth import plots
from firth.cli.arguments import AsJson, Quiet, names, number, output
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
Title = Annotated[str | None, typer.Option(help="Title. Default: the name of the document.")]
Page = Annotated[Path | None, output("File to draw: .html or .txt. Default: the terminal.", "FILE")]


def parse(
    file: File,
    document: Name = None,
    number: Sentences = 20,
    title: Title = None,
    output: Annotated[Path | None, output("File to draw: .svg, .html or .txt. Default: the terminal.", "FILE")] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Draw dependency trees as arcs over the words."""
    _check(output, svg=True)
    with working("drawing", quiet):
        found = _document(file, document)
        drawing = plots.dependency_arcs(found, number=number, title=title)
    if json:
        for sentence in found.sentences[:number]:
            print_json({"words": sentence.words, "heads": sentence.heads, "relations": sentence.relations})
    _show(drawing, output, json)


def entities(
    file: File,
    document: Name = None,
    number: Sentences = 200,
    title: Title = None,
    output: Page = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Mark the entities of a document in its text."""
    _check(output, svg=False)
    with working("drawing", quiet):
        found = _document(file, document)
        drawing = plots.entity_spans(found, number=number, title=title)
    if json:
        for start, end, label in found.entities:
            print_json({"start": start, "end": end, "label": label, "text": found.span_text(start, end)})
    _show(drawing, output, json)


def coref(
    file: File,
    document: Name = None,
    number: Sentences = 200,
    singletons: Annotated[
        bool, typer.Option("--singletons", help="Also mark mentions that nothing else refers to.")
    ] = False,
    title: Title = None,
    output: Page = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Mark the coreference chains of a document in its text."""
    _check(output, svg=False)
    with working("drawing", quiet):
        found = _document(file, document)
        drawing = plots.coreference_chains(found, number=number, singletons=singletons, title=title)
    if json:
        for cluster in found.clusters:
            if singletons or len(cluster) > 1:
                print_json({"mentions": cluster, "texts": [found.span_text(*span) for span in cluster]})
    _show(drawing, output, json)


def _check(output: Path | None, svg: bool) -> None:
    if output is not None:
        check_drawing_target(output, svg)
        check_writable(output)


def _document(file: Path, name: str | None) -> Document:
    seen = []
    for document in read_documents(file):
        if name is None or document.name == name:
            return document
        seen.append(document.name)
    shown = ", ".join(seen[:6]) + (", ..." if len(seen) > 6 else "")
    raise OptionError(f"{file}: no document {name!r}; expected one of {shown}")


def _show(drawing: Drawing, output: Path | None, json: bool) -> None:
    for text in drawing.notes:
        note(text)
    if output is not None:
        drawing.save(output)
        note(f"{output}: {drawing.title}")
    elif not json:
        print(drawing)
