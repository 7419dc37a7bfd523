"""What the commands of `firth classify` share: labelled texts, and the names of models."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from firth.cli.arguments import TEXT, flag, names
from firth.cli.flags import Flags
from firth.comparison.models import models_in
from firth.corpus.table_options import TableOptions

DEFAULT, AUTO = "fasttext", "auto"
KINDS = (  # of folders that an output may replace
    "firth-classifier", "firth-linear-classifier", "firth-label-model", "firth-tree-model",
)  # fmt: skip
HOMES = ("firth.neural.models.classification.", "firth.neural.models.trees.")  # of neural models
LINEAR_HOMES = ("firth.classify.linear_classifier",)

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
    neural = ", ".join(models_in(HOMES))
    return typer.Option(
        help=f"Model: {DEFAULT}, {', '.join(models_in(LINEAR_HOMES))}, {AUTO} (the best by cross-validation), or a "
        f"neural one: {neural}; --model NAME --help shows its options.",
        metavar="NAME",
        show_default=True,
    )


@dataclass(frozen=True)
class LabelTable(TableOptions):
    """Where labelled texts stand in a table."""

    column: Annotated[
        str | None,
        flag("Column with the texts, in a table: name, or number from 1. Default: text. Pairs: A,B.", panel=TEXT),
    ] = None
    labels: Annotated[
        str | None, flag("Column with the labels, in a table: name, or number from 1.", "COLUMN", panel=TEXT)
    ] = None


TABLE = Flags(LabelTable, TEXT)
TREES = Flags(TableOptions, TEXT, without=frozenset({"separator", "quoting", "header"}))  # are in no table
