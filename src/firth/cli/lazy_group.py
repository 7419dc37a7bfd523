"""Groups of commands whose help needs only a list of names: a command is loaded when it is named."""

from collections.abc import Callable
from typing import Any

from firth.cli.flags import Group
from firth.spelling import one_spelling


def listed() -> None:
    """Stand for a command in the list of a lazy group."""
    raise AssertionError("a command ran whose flags were not read")


def lazy_group(load: Callable[[str], Any]) -> type[Group]:
    """Return a class of groups whose commands are loaded when the arguments name them.

    Args:
        load: returns the command of a name.
    """

    class Lazy(Group):
        """The group."""

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Return the command that the arguments name, with its flags."""
            name = one_spelling(args[0])
            if name in self.commands:
                self.commands[name] = load(name)
            return super().resolve_command(ctx, args)

    return Lazy
