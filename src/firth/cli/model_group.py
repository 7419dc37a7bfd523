"""A command per model: the list comes from the names alone, and a model is imported when it is named."""

from collections.abc import Callable, Iterable
from typing import Any

import typer

from firth.cli.flags import Group, add_command
from firth.cli.output import paragraphs
from firth.comparison.named import Model
from firth.option_names import one_spelling


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

    class Models(Group):
        """The group."""

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Return the command of the model that the arguments name, with its flags."""
            name = one_spelling(args[0])
            if name in by_name and name in self.commands:
                self.commands[name] = _with_flags(by_name[name], command(by_name[name]), panel)
            return super().resolve_command(ctx, args)

    app = typer.Typer(cls=Models, help=help, subcommand_metavar="MODEL CORPUS... -o OUT")
    for model in by_name.values():
        app.command(model.name, short_help=model.description, rich_help_panel=panel(model))(_listed)
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


def _listed() -> None:
    raise AssertionError("a command ran whose flags were not read")
