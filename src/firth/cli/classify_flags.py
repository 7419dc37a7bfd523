"""Arguments and flags that the commands of `firth classify` share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import TEXT, Threads, names, number
from firth.cli.flags import Flags
from firth.comparison.named import named
from firth.corpus.table_options import TableOptions

DEFAULT = "fasttext"
KINDS = ("firth-classifier", "firth-label-model", "firth-tree-model")  # of folders that an output may replace
HOMES = ("firth.neural.models.classification.", "firth.neural.models.trees.")  # of the other models

Model = Annotated[Path, names("A classifier: a folder that firth wrote, or a .bin or .ftz file of fastText.", "MODEL")]
Texts = Annotated[
    list[str],
    names(
        "Labelled texts: files with __label__NAME in each line, tables, or - for standard input; trees in brackets, or "
        "in CoNLL-U with lines # label = NAME.",
        "FILE",
    ),
]


def model_help() -> Any:
    """Return the flag `--model`; the names of neural models are read without importing them."""
    others = ", ".join(named(HOMES))
    return typer.Option(
        help=f"Model: {DEFAULT}, or a neural one: {others}; --model NAME --help shows its options.",
        metavar="NAME",
        show_default=True,
    )


@dataclass(frozen=True)
class LabelTable(TableOptions):
    """Where labelled texts stand in a table."""

    column: Annotated[
        str | None,
        typer.Option(
            help="Column with the texts, in a table: name, or number from 1. Default: text. Pairs: A,B.",
            rich_help_panel=TEXT,
        ),
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            help="Column with the labels, in a table: name, or number from 1.", metavar="COLUMN", rich_help_panel=TEXT
        ),
    ] = None


@dataclass(frozen=True)
class PredictionOptions:
    """Arguments of `Classifier.predict` and `Classifier.test`."""

    k: Annotated[int, number("Labels to predict per text, at most.")] = 1
    threshold: Annotated[float, typer.Option(help="Smallest probability of a predicted label.")] = 0.0
    threads: Threads = None


TABLE, PREDICTION = Flags(LabelTable, TEXT), Flags(PredictionOptions)
TREES = Flags(TableOptions, TEXT, without=frozenset({"separator", "quoting", "header"}))  # are in no table
