"""`firth sentences`: the list of its commands. A command is imported when it is named."""

from typing import Any

import typer

from firth.cli.lazy_group import lazy_group, listed

COMMANDS = {  # name: line of help
    "train": "Train a sentence encoder on text."
}


def _command(name: str) -> Any:
    from firth.cli.sentences import sentences

    return typer.main.get_group(sentences).commands[name]


sentences = typer.Typer(cls=lazy_group(_command), help="Sentence encoders: train on raw text.")
for _name, _line in COMMANDS.items():
    sentences.command(_name, short_help=_line)(listed)


@sentences.callback()
def _several() -> None:
    """Make typer expect the name of a command even if there is only one."""
