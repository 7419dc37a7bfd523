"""`firth pretrain`: the list of its commands. A command is imported when it is named."""

from typing import Any

import typer

from firth.cli.lazy_group import lazy_group, listed

COMMANDS = {  # name: line of help
    "masked": "Pretrain by predicting hidden tokens (BERT).",
    "electra": "Pretrain by finding replaced tokens (ELECTRA).",
    "coco": "Pretrain by correcting replaced tokens and contrasting texts (COCO-LM).",
}


def _command(name: str) -> Any:
    from firth.cli.pretrain import command_of

    return command_of(name)


pretrain = typer.Typer(
    cls=lazy_group(_command),
    help="Contextual encoders: pretrain on raw text, for classifiers, taggers and parsers to use.",
    subcommand_metavar="MODEL CORPUS... -o OUT",
)
for _name, _line in COMMANDS.items():
    pretrain.command(_name, short_help=_line)(listed)
