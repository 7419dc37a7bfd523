"""Flags of the command line, read from the dataclasses that the options are written in.

A flag that is not given is not passed on: the default stands in the dataclass alone, and the help only quotes it.
"""

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from firth.option_names import synonym

SIMPLE = (bool, int, float, str)  # what can be written on a command line


@dataclasses.dataclass(frozen=True)
class Flags:
    """Flags for the fields of an options dataclass.

    Attributes:
        kind: the dataclass.
        panel: the heading that they stand under in the help.
        without: fields that have no flag.
        defaults: an instance whose values the help quotes, where they are not the dataclass's own.
    """

    kind: type
    panel: str
    without: frozenset[str] = frozenset()
    defaults: Any = None

    def parameters(self) -> Iterable[inspect.Parameter]:
        """Yield a keyword parameter a field, None where the flag is not given."""
        hints = typing.get_type_hints(self.kind)
        for field in self._fields():
            # Where words are listed, a command line gives one of them, whatever else Python code may pass.
            simple = str if field.metadata["choices"] else _simple_type(hints[field.name])
            if simple is not None:
                yield self._parameter(field, simple)

    def chosen(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the command's values that belong to this dataclass and were given."""
        names = {field.name for field in self._fields()}
        return {name: value for name, value in values.items() if name in names and value is not None}

    def _fields(self) -> list[dataclasses.Field[Any]]:
        return [field for field in dataclasses.fields(self.kind) if field.metadata and field.name not in self.without]

    def _parameter(self, field: dataclasses.Field[Any], simple: type) -> inspect.Parameter:
        dashed = field.name.replace("_", "-")
        words = field.metadata["choices"]
        info = typer.Option(
            f"--{dashed}/--no-{dashed}" if simple is bool else f"--{dashed}",
            help=_help(field, field.default if self.defaults is None else getattr(self.defaults, field.name)),
            show_default=False,
            metavar="|".join(words) if words else None,
            rich_help_panel=self.panel,
        )
        annotation = Annotated[simple | None, info]  # type: ignore[valid-type]  # built at run time, for typer to read
        return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


class Commands(TyperGroup):
    """Commands; a flag with a name of an earlier version, or of another program, is answered with the right one."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the arguments name."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if hasattr(error, "option_name") and hasattr(error, "possibilities"):  # NoSuchOption, of typer's own click
                _name_flag(error)
            raise


def _name_flag(error: Any) -> None:
    """Add to the error about an unknown flag which flag of the command is meant, if any, and what its help says."""
    flags = {
        flag.lstrip("-").replace("-", "_"): (flag, each) for each in error.ctx.command.params for flag in each.opts
    }
    name = synonym(error.option_name.lstrip("-").replace("-", "_"), flags)
    if name is not None:
        flag, parameter = flags[name]
        error.message += f"; use {flag}: {parameter.help}"
        error.possibilities = []


def with_flags(command: Callable[..., None], flags: Iterable[Flags], **known: Any) -> Callable[..., None]:
    """Return a command whose `**options` are replaced by the flags of option dataclasses.

    Args:
        command: a function whose last parameter is `**options`.
        flags: the dataclasses; no two have a field of one name.
        known: arguments of the command that have no flag.
    """
    parameters = {
        name: parameter
        for name, parameter in inspect.signature(command).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD and name not in known
    }
    for each in flags:
        for parameter in each.parameters():
            parameters[parameter.name] = parameter

    def run(**values: Any) -> None:
        command(**known, **values)

    keyword_only = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters.values()]
    run.__doc__, run.__name__ = command.__doc__, command.__name__
    run.__annotations__ = {each.name: each.annotation for each in keyword_only}
    vars(run)["__signature__"] = inspect.Signature(keyword_only)
    return run


def _simple_type(hint: Any) -> type | None:
    """The type of a flag for a field, or None where no flag can give its value."""
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    for simple in SIMPLE:
        if simple in parts:
            return simple
    return None


def _help(field: dataclasses.Field[Any], default: Any) -> str:
    text = field.metadata["help"]
    shown = ("yes" if default else "no") if isinstance(default, bool) else default
    # typer would show the flag's own default, which is None: not given.
    return f"{text[:1].upper()}{text[1:]}." + ("" if default is None else f" Default: {shown}.")
