"""`firth evaluate`: vectors against gold sets."""

import shutil
import sys
from pathlib import Path
from typing import Annotated, cast

import typer

from firth.cli.output import AsJson, Quiet
from firth.data import SETS
from firth.evaluation.judge import Given
from firth.evaluation.judge import evaluate as judge
from firth.evaluation.suite import Unknown
from firth.evaluation.suites import SUITES
from firth.vectors.io import load_vectors


def _names(kind: str) -> str:
    return ", ".join(name for name, one in SETS.items() if one.kind == kind)


def evaluate(
    vectors: Annotated[
        list[str], typer.Argument(help="Vectors to judge, side by side.", show_default=False, metavar="VECTORS")
    ],
    suite: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Instrument: all, or {', '.join(SUITES)}; a file or a named set of one's own behind a colon, as in "
            "similarity:pairs.tsv. May be given several times.",
            metavar="NAME",
        ),
    ] = None,
    similarity: Annotated[
        list[str] | None,
        typer.Option(help=f"File of scored word pairs, or one of {_names('similarity')}.", metavar="FILE"),
    ] = None,
    analogies: Annotated[
        list[str] | None, typer.Option(help=f"File of analogy questions, or {_names('analogies')}.", metavar="FILE")
    ] = None,
    unknown: Annotated[
        str,
        typer.Option(
            help="Words without a vector: skip the items that need one, count these as answered by a model that knows "
            "nothing, or infer a vector from the word's n-grams, where there are any.",
            metavar="skip|count|infer",
        ),
    ] = "skip",
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of local copies of the named sets, instead of a download.", metavar="DIR"),
    ] = None,
    sections: Annotated[bool, typer.Option("--sections", help="Show the sections of analogy sets too.")] = False,
    restrict_vocab: Annotated[int, typer.Option(help="Ask analogies of this many of the first words.")] = 300_000,
    seed: Annotated[int, typer.Option(help="Of the bootstrap and of every other draw.")] = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Judge vectors on gold sets.

    Without --suite, --similarity and --analogies: WordSim-353, SimLex-999, MEN, Rare Words and Google's analogies, from
    --data, from the folder that FIRTH_DATA names, or downloaded once. Intervals are 95 %: Wilson's for shares of right
    answers, else the bootstrap's. Several vectors stand side by side; the best of a line is marked, and so is what does
    not differ from it.
    """
    report = judge(
        {path: load_vectors(path) for path in vectors},
        similarity=similarity or None,
        analogies=analogies or None,
        suites=_suites(suite) if suite else None,
        unknown=cast(Unknown, unknown),  # which checks it
        data=data,
        restrict_vocab=restrict_vocab,
        seed=seed,
        progress=False if quiet else None,
    )
    if json:
        print(report.to_json())
    else:
        terminal = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        print(report.table(sections=sections, bold=terminal is not None, width=terminal))


def _suites(wanted: list[str]) -> dict[str, Given]:
    """Instruments with the files given for each; None for the usual ones."""
    found: dict[str, list[str]] = {}
    for item in wanted:
        name, _, file = item.partition(":")
        for one in SUITES if name == "all" else [name]:
            found.setdefault(one, []).extend([file] if file else [])
    return {name: files or None for name, files in found.items()}
