"""`firth subwords train|encode|decode`: pieces of words learned from text, and text as pieces and back."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from firth.cli.flags import add_command
from firth.cli.output import AsJson, Quiet, print_json
from firth.cli.targets import check_file_target
from firth.cli.texts import Column, Sources, source_of
from firth.corpus.contents import contents, sentences
from firth.corpus.meter import Meter
from firth.corpus.reader import lines_of, opened
from firth.corpus.sources import Items, resolve
from firth.errors import CorpusError, OptionError
from firth.progress import reporting
from firth.text.subwords import KINDS, Subwords, check_target

Pieces = Annotated[Path, typer.Argument(help="What firth subwords train wrote.", metavar="PIECES", show_default=False)]
File = Annotated[str, typer.Argument(help="A file, a line a text, or - for standard input.", metavar="FILE")]
Numbers = Annotated[bool, typer.Option("--ids", help="Numbers in place of pieces.")]


def train(
    corpus: Sources,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write, of JSON.", metavar="OUT", show_default=False)
    ],
    size: Annotated[int, typer.Option(help="Pieces, the 256 bytes among them.")] = 8000,
    kind: Annotated[str, typer.Option(help="How pieces are chosen.", metavar="|".join(KINDS))] = "bpe",
    min_count: Annotated[int, typer.Option(help="Fewest times that a pair must occur to be merged.")] = 2,
    column: Column = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Learn pieces of words from text.

    `--tokens OUT` of the commands that train on text reads it in these pieces.
    """
    check_file_target(output, check_target, corpus)
    source = resolve(source_of(corpus), column)
    if isinstance(source, Items) and source.tokenised:
        raise CorpusError("the source gives lists of tokens; expected text; join them to texts")
    with reporting(not quiet) as report:
        meter = Meter(report, None)
        texts = (text for name, content in contents(source, meter) for text in sentences(content.texts(name), "line"))
        made = Subwords.train(texts, size, kind=kind, min_count=min_count)
    made.save(output)
    if json:
        print_json({"subwords": str(output), "kind": kind, "pieces": len(made)})
    else:
        print(f"{output}: {len(made):,} pieces, {kind}")


def encode(
    pieces: Pieces,
    text: File = "-",
    ids: Numbers = False,
    sample: Annotated[
        float | None,
        typer.Option(help="Draw cuts at random: probability of passing over a merge; for unigram a power."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    json: AsJson = False,
) -> None:
    """Cut text into pieces, a line a line, with a space between them; Ġ stands for a space of the text."""
    subwords, draw = Subwords.open(pieces), random.Random(seed)
    for line in _lines(text):
        found = subwords.encode(line, sample=sample, seed=draw)
        told = [subwords.pieces[i] for i in found]
        if json:
            print_json({"pieces": told, "ids": found})
        else:
            print(*(found if ids else told))


def decode(pieces: Pieces, text: File = "-", ids: Numbers = False, json: AsJson = False) -> None:
    """Make text of pieces, a line of a line of pieces with spaces between them."""
    subwords = Subwords.open(pieces)
    for number, line in enumerate(_lines(text), 1):
        told = subwords.decode(_numbers(line, number)) if ids else subwords.join(line.split(" "))
        if json:
            print_json({"text": told})
        else:
            print(told)


def _numbers(line: str, number: int) -> list[int]:
    try:
        return [int(each) for each in line.split()]
    except ValueError as error:
        raise OptionError(
            f"line {number} is {line[:40]!r}: expected numbers; without --ids, pieces are read"
        ) from error


def _lines(path: str) -> Iterator[str]:
    """The lines of a file, without their ends."""
    if path == "-":
        yield from _decoded(sys.stdin.buffer, "standard input")
        return
    with opened(Path(path)) as (_, stream), lines_of(stream) as lines:
        yield from _decoded(lines, path)


def _decoded(lines: Iterator[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.removesuffix(b"\n").decode()
        except UnicodeDecodeError as error:
            raise CorpusError(f"{name} line {number}: not UTF-8 ({error.reason}); convert it with iconv") from error


def _app() -> typer.Typer:
    app = typer.Typer(help="Learn pieces of words from text; write text as pieces, and back.")
    for run in (train, encode, decode):
        add_command(app, run.__name__, run)
    return app


subwords = _app()
