"""Groups of commands. The help of a lazy group needs only a list of names: a command is loaded when it is named."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import typer

from firth.cli.flags import Group, add_command
from firth.cli.output import paragraphs
from firth.comparison.models import Model
from firth.spelling import one_spelling

PASSED_ON = {  # settings of a command that passes its arguments on: the command of the model reads everything
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "allow_interspersed_args": False,
    "help_option_names": [],
}


def commands(help: str, **group: Callable[..., None]) -> typer.Typer:
    """Return a group of commands.

    Args:
        **group: functions by name; `train` reads its own flags.
    """
    app = typer.Typer(cls=Group, help=help)
    for name, function in group.items():
        if name == "train":
            app.command(name, help=paragraphs(function), context_settings=PASSED_ON)(function)
        else:
            add_command(app, name, function)
    return app


def listed() -> None:
    """Stand for a command in the list of a lazy group."""
    raise AssertionError("a command ran whose flags were not read")


def lazy_group(load: Callable[[str], Any]) -> type[Group]:
    """Return a class of groups whose commands are loaded when the arguments name them."""

    class Lazy(Group):
        """The group."""

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Return the command that the arguments name, with its flags."""
            name = one_spelling(args[0])
            if name in self.commands:
                self.commands[name] = load(name)
            return super().resolve_command(ctx, args)

    return Lazy


def lazy_app(load: Callable[[str], Any], lines: Mapping[str, str], **shown: Any) -> typer.Typer:
    """Return a group whose commands are loaded when they are named."""
    app = typer.Typer(cls=lazy_group(load), **shown)
    for name, line in lines.items():
        app.command(name, short_help=line)(listed)
    return app


def model_command(model: Model, run: Callable[..., None], **shown: Any) -> Any:
    """Return the command of a model, whose help begins with the model's description."""
    app = typer.Typer(cls=Group)
    text = f"{model.description}\n\n{paragraphs(run).partition(chr(10) * 2)[2]}"
    add_command(app, model.name, run, help=text, short_help=model.description, **shown)
    return typer.main.get_group(app).commands[model.name]


def model_app(
    models: Iterable[Model],
    command: Callable[[Model], Callable[..., None]],
    *,
    help: str,
    panel: Callable[[Model], str],
) -> typer.Typer:
    """Return a group with a command per model.

    Args:
        command: returns what runs for a model, with all its flags; called for the model that the arguments name.
    """
    by_name = {model.name: model for model in models}

    def load(name: str) -> Any:
        model = by_name[name]
        return model_command(model, command(model), rich_help_panel=panel(model))

    app = typer.Typer(cls=lazy_group(load), help=help, subcommand_metavar="MODEL CORPUS... -o OUT")
    for model in by_name.values():
        app.command(model.name, short_help=model.description, rich_help_panel=panel(model))(listed)
    return app
