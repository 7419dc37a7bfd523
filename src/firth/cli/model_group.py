"""A command per model: the list comes from the names alone, and a model is imported when it is named."""

from collections.abc import Callable, Iterable
from typing import Any

import typer

from firth.cli.flags import Group, add_command
from firth.cli.lazy_group import lazy_group, listed
from firth.cli.output import paragraphs
from firth.comparison.named import Model


def model_app(
    models: Iterable[Model],
    command: Callable[[Model], Callable[..., None]],
    *,
    help: str,
    panel: Callable[[Model], str],
) -> typer.Typer:
    """Return a group with a command per model.

    Args:
        models: in the order of the list.
        command: returns what runs for a model, with all its flags; called for the model that the arguments name.
        help: of the group.
        panel: returns the heading under which a model is listed.
    """
    by_name = {model.name: model for model in models}

    def load(name: str) -> Any:
        return _with_flags(by_name[name], command(by_name[name]), panel)

    app = typer.Typer(cls=lazy_group(load), help=help, subcommand_metavar="MODEL CORPUS... -o OUT")
    for model in by_name.values():
        app.command(model.name, short_help=model.description, rich_help_panel=panel(model))(listed)
    return app


def _with_flags(model: Model, run: Callable[..., None], panel: Callable[[Model], str]) -> Any:
    app = typer.Typer(cls=Group)
    text = paragraphs(run).partition("\n\n")[2]
    add_command(
        app,
        model.name,
        run,
        help=f"{model.description}\n\n{text}",
        short_help=model.description,
        rich_help_panel=panel(model),
    )
    return typer.main.get_group(app).commands[model.name]
