"""The lists name the commands that there are; `test_app` checks what they import."""

import typer

from firth.cli import lists
from firth.cli.language import language
from firth.comparison.models import models_in


def listed(app):
    return list(typer.main.get_group(app).commands)


def test_list_names_every_command():
    assert listed(lists.language) == list(typer.main.get_group(language).commands)


def test_list_names_every_pretrained_model():
    assert set(listed(lists.pretrain)) == set(models_in(("firth.neural.models.pretraining.",)))
