"""`firth annotate`."""

from pathlib import Path
from typing import Annotated

import typer

from firth.cli.arguments import AsJson, Language, OnError, Quiet, names, output
from firth.cli.output import note, print_json
from firth.cli.targets import check_file_target
from firth.documents.annotate import LONGEST, annotate_files, check_target
from firth.documents.files import check_written
from firth.documents.unfinished import finished
from firth.errors import OptionError, counted
from firth.storage.skipping import SKIP

_ONE = {"entities": "entity"}


def annotate(
    files: Annotated[
        list[Path],
        names(
            "Files: raw text, CoNLL-U (.conllu), JSONL (.jsonl), JSON or CSV with entities; also packed (.gz).",
            "FILE...",
        ),
    ],
    tagger: Annotated[
        list[Path] | None, names("Tagger, of `firth tag train`; also several times.", "FOLDER", "--tagger")
    ] = None,
    parser: Annotated[Path | None, names("Parser, of `firth parse train`.", "FOLDER", "--parser")] = None,
    coref: Annotated[Path | None, names("Coreference model, of `firth coref train`.", "FOLDER", "--coref")] = None,
    output: Annotated[
        Path | None, output("File to write: .conllu or .jsonl; of entities alone, .json or .csv.", "OUT")
    ] = None,
    processes: Annotated[int, typer.Option(help="Processes that work at the same time.", metavar="N", min=1)] = 1,
    longest: Annotated[
        int, typer.Option(help="Characters of a raw text that are one document; longer ones are split.", min=1)
    ] = LONGEST,
    language: Language = None,
    on_error: OnError = SKIP,
    shape: Annotated[
        str | None,
        names(
            "Entities as another program has them in JSON: spacy, prodigy, doccano, label-studio or hugging-face.",
            "NAME",
            "--shape",
        ),
    ] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Annotate text: sentences, tokens, tags, entities, trees and coreference chains, as CoNLL-U or JSONL.

    Each model adds what it finds; without models a text is split into sentences and tokens. After Ctrl-C or a kill,
    what is finished stays beside OUT, and the same command goes on after it, also in the middle of a long text.
    """
    if output is None:
        raise OptionError("no file to write to: give -o OUT, a name that ends in .conllu or .jsonl")
    check_written(output, shape)
    check_file_target(output, lambda target: check_target(target, files), overwrite=True)
    if before := finished(output):
        note(f"{output}: continuing after {counted(before.documents, 'document')} and what is finished of the next")
    try:
        result = annotate_files(
            files,
            output,
            tagger=tagger or None,
            parser=parser,
            coref=coref,
            processes=processes,
            longest=longest,
            language=language,
            on_error=on_error,
            shape=shape,
            progress=not quiet,
        )
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
        note(f"{output}: {counts or 'no text'}")
