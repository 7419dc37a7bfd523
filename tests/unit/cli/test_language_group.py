"""`firth lm --help` lists the commands that there are; `test_app` checks what it imports."""

import typer

from firth.cli.language import language
from firth.cli.language_group import COMMANDS


def test_list_names_every_command():
    assert list(COMMANDS) == list(typer.main.get_group(language).commands)
