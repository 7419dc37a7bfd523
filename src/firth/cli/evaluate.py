"""`firth evaluate`: vectors against gold sets."""

from pathlib import Path
from typing import Annotated

import typer

from firth.cli.output import AsJson
from firth.data import SETS
from firth.evaluation.report import evaluate as judge
from firth.vectors.io import load_vectors


def _names(kind: str) -> str:
    return ", ".join(name for name, one in SETS.items() if one.kind == kind)


def evaluate(
    vectors: Annotated[
        list[str], typer.Argument(help="Vectors to judge, side by side.", show_default=False, metavar="VECTORS")
    ],
    similarity: Annotated[
        list[str] | None,
        typer.Option(help=f"File of scored word pairs, or one of {_names('similarity')}.", metavar="FILE"),
    ] = None,
    analogies: Annotated[
        list[str] | None, typer.Option(help=f"File of analogy questions, or {_names('analogies')}.", metavar="FILE")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of local copies of the named sets, instead of a download.", metavar="DIR"),
    ] = None,
    sections: Annotated[bool, typer.Option("--sections", help="Show the sections of analogy sets too.")] = False,
    restrict_vocab: Annotated[int, typer.Option(help="Ask analogies of this many of the first words.")] = 300_000,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    json: AsJson = False,
) -> None:
    """Judge vectors on word similarity and analogies.

    Without --similarity and --analogies: WordSim-353, SimLex-999, MEN, Rare Words and Google's analogies, from
    --data, from the folder that FIRTH_DATA names, or downloaded once. Intervals are 95 %: bootstrap over pairs,
    Wilson's for analogies.
    """
    report = judge(
        {path: load_vectors(path) for path in vectors},
        similarity=similarity or None,
        analogies=analogies or None,
        data=data,
        restrict_vocab=restrict_vocab,
        seed=seed,
    )
    print(report.to_json() if json else report.table(sections=sections))
