"""`firth annotate`."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Language, OnError, Quiet, names, output
from firth.cli.output import note, print_json
from firth.cli.targets import check_file_target
from firth.documents.annotate import LONGEST, annotate_files, check_target
from firth.documents.files import check_written
from firth.documents.unfinished import finished
from firth.errors import OptionError, counted
from firth.storage.skipping import SKIP
from firth.storage.user_files import open_file

_ONE = {"entities": "entity"}


def annotate(
    files: Annotated[
        list[Path],
        names(
            "Files: raw text, CoNLL-U (.conllu), JSONL (.jsonl), JSON, CSV, brat (.ann or a folder) or spaCy (.spacy) "
            "with entities; also packed (.gz).",
            "FILE...",
        ),
    ],
    tagger: Annotated[
        list[Path] | None, names("Tagger, of `firth tag train`; also several times.", "FOLDER", "--tagger")
    ] = None,
    parser: Annotated[Path | None, names("Parser, of `firth parse train`.", "FOLDER", "--parser")] = None,
    coref: Annotated[Path | None, names("Coreference model, of `firth coref train`.", "FOLDER", "--coref")] = None,
    pipeline: Annotated[
        Path | None,
        names("Pipeline, of `firth pipeline train`: tokens, tags, lemmas and trees.", "FOLDER", "--pipeline"),
    ] = None,
    output: Annotated[
        Path | None,
        output(
            "File to write: .conllu, .jsonl or .spacy; of entities alone, .json, .csv, or .ann for brat, with .txt "
            "beside it. - writes CoNLL-U to standard output.",
            "OUT",
        ),
    ] = None,
    processes: Annotated[int, typer.Option(help="Processes that work at the same time.", metavar="N", min=1)] = 1,
    longest: Annotated[
        int, typer.Option(help="Characters of a raw text that are one document; longer ones are split.", min=1)
    ] = LONGEST,
    language: Language = None,
    lines: Annotated[
        str | None, names("What a line of raw text is: sentence, or word. Default: running text.", "NAME", "--lines")
    ] = None,
    one_sentence_per_line: Annotated[
        bool, typer.Option("--one-sentence-per-line", help="The same as --lines sentence.")
    ] = False,
    confidences: Annotated[
        bool, typer.Option("--confidences", help="Give each entity the probability of its tags, in JSONL and JSON.")
    ] = False,
    on_error: OnError = SKIP,
    shape: Annotated[
        str | None,
        names(
            "Entities as another program has them in JSON: spacy, prodigy, doccano, label-studio, "
            "label-studio-predictions or hugging-face.",
            "NAME",
            "--shape",
        ),
    ] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Annotate text: sentences, tokens, tags, entities, trees and coreference chains, as CoNLL-U or JSONL.

    Each model adds what it finds; without models a text is split into sentences and tokens. After Ctrl-C or a kill,
    what is finished stays beside OUT, and the same command goes on after it, also in the middle of a long text; `-o -`
    prints all at its end.
    """
    if output is None:
        raise OptionError("no file to write to: give -o OUT, a name that ends in .conllu or .jsonl, or -o -")
    if one_sentence_per_line and lines not in (None, "sentence"):
        raise OptionError(f"lines={lines!r} with --one-sentence-per-line: expected one of both")
    given: dict[str, Any] = {
        "tagger": tagger or None,
        "parser": parser,
        "coref": coref,
        "processes": processes,
        "longest": longest,
        "language": language,
        "confidences": confidences,
        "lines": "sentence" if one_sentence_per_line else lines,
        "on_error": on_error,
        "shape": shape,
        "pipeline": pipeline,
        "progress": not quiet,
    }
    if str(output) != "-":
        _to_file(files, output, given, json)
        return
    if json or shape is not None:
        raise OptionError("-o - prints CoNLL-U; --json and --shape need the name of a file, -o OUT")
    with tempfile.TemporaryDirectory() as folder:
        path = annotate_files(files, Path(folder) / "standard output.conllu", **given).path
        with open_file(path) as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def _to_file(files: list[Path], output: Path, given: dict[str, Any], json: bool) -> None:
    """Annotate files, say what was finished before, and count what was written."""
    shape: Any = given["shape"]
    check_written(output, shape)
    check_file_target(output, lambda target: check_target(target, files), overwrite=True)
    if before := finished(output):
        note(f"{output}: continuing after {counted(before.documents, 'document')} and what is finished of the next")
    try:
        result = annotate_files(files, output, **given)
    except KeyboardInterrupt:
        if after := finished(output):
            done = counted(after.documents, "document")
            note(f"{output}: finished {done} and part of the next; the same command goes on")
        raise
    facts = {name: value for name, value in vars(result).items() if name != "path"}
    if json:
        print_json({"file": str(output), **facts})
    else:
        counts = ", ".join(
            f"{value:,} {_ONE.get(name, name.removesuffix('s')) if value == 1 else name}"
            for name, value in facts.items()
            if value and name != "resumed"
        )
        note(f"{output}: {counts}{'' if result.tokens else ', no text'}")
