"""`firth subwords`: train, encode, decode."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Column, Overwrite, Quiet, Seed, Sources, TextFile, flag, names, output
from firth.cli.flags import Group, add_command, with_flags
from firth.cli.output import print_json, show, with_progress
from firth.cli.targets import check_file_target
from firth.cli.texts import READ_TABLES, source_of, text_lines
from firth.corpus.contents import contents, sentences
from firth.corpus.options import CorpusOptions
from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.sources import Items, resolve
from firth.corpus.table_options import TableOptions
from firth.errors import CorpusError, OptionError
from firth.progress import reporting
from firth.text.subwords import KINDS, Subwords, check_target

Model = Annotated[Path, names("Subwords, from firth subwords train.", "SUBWORDS")]
Ids = Annotated[bool, typer.Option("--ids", help="Numbers of subwords in place of the subwords.")]


def train(
    corpus: Sources,
    output: Annotated[Path, output("JSON file to write.")],
    size: Annotated[int, typer.Option(help="Vocabulary size: number of subwords, the 256 bytes included.")] = 8000,
    kind: Annotated[str, typer.Option(help="Algorithm.", metavar="|".join(KINDS))] = "bpe",
    min_count: Annotated[int, typer.Option(help="Smallest count of a pair that is merged.")] = 2,
    column: Column = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Learn subwords from text.

    Commands that train on text read it as these subwords with --tokens OUT.
    """
    check_file_target(output, check_target, corpus, overwrite=overwrite)
    source = resolve(source_of(corpus), column, TableOptions(**READ_TABLES.select(options)))
    if isinstance(source, Items) and source.tokenised:
        raise CorpusError("the source holds lists of tokens; expected text: join the tokens")
    with reporting(not quiet) as report:
        meter = ReadingProgress(report, None)
        rule = CorpusOptions()
        texts = (text for name, content in contents(source, meter) for text in sentences(content.texts(name), rule))
        subwords = Subwords.train(texts, size, kind=kind, min_count=min_count)
    subwords.save(output)
    show(
        json,
        {"subwords": str(output), "kind": kind, "pieces": len(subwords)},
        f"{output}: {len(subwords):,} pieces, {kind}",
    )


def encode(
    model: Model,
    text: TextFile = "-",
    ids: Ids = False,
    sample: Annotated[
        float | None, flag("Segment at random: probability of skipping a merge; with unigram, an exponent.")
    ] = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Split text into subwords separated by spaces; Ġ stands for a space of the text."""
    subwords, random = Subwords.open(model), Random(seed)
    for line in _lines(text, "encoding", quiet):
        numbers = subwords.encode(line, sample=sample, seed=random)
        pieces = [subwords.vocabulary[i] for i in numbers]
        if json:
            print_json({"pieces": pieces, "ids": numbers})
        else:
            print(*(numbers if ids else pieces))


def decode(model: Model, text: TextFile = "-", ids: Ids = False, quiet: Quiet = False, json: AsJson = False) -> None:
    """Join subwords back into text, line by line."""
    subwords = Subwords.open(model)
    for number, line in enumerate(_lines(text, "decoding", quiet), 1):
        decoded = subwords.decode(_numbers(line, number)) if ids else subwords.join(line.split(" "))
        show(json, {"text": decoded}, decoded)


def _numbers(line: str, number: int) -> list[int]:
    try:
        return [int(field) for field in line.split()]
    except ValueError as error:
        raise OptionError(
            f"line {number} is {line[:40]!r}: expected numbers; leave out --ids to decode subwords"
        ) from error


def _lines(path: str, stage: str, quiet: bool) -> Iterator[str]:
    """The lines of a file, without their ends."""
    lines = text_lines(path)
    yield from lines if path == "-" else (line for (line,) in with_progress(([line] for line in lines), stage, quiet))


def _app() -> typer.Typer:
    app = typer.Typer(cls=Group, help="Subword tokenisers: train, encode and decode.")
    for run in (train, encode, decode):
        add_command(app, run.__name__, with_flags(run, [READ_TABLES]) if run is train else run)
    return app


subwords = _app()
