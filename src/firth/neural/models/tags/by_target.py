"""Values of several targets: a dict that says which targets there are, and prints readably."""

from typing import TypeVar

from firth.errors import UnknownTargetError, brief

Value = TypeVar("Value")


class ByTarget(dict[str, Value]):
    """A value for each target, such as tags or scores.

    Another target is an error that names those there are.
    """

    def __missing__(self, target: str) -> Value:
        raise UnknownTargetError(f"no target {brief(target)} here; expected one of {', '.join(self)}")

    def __str__(self) -> str:
        """One target after the other: its name, and its value behind it or below it."""
        texts = ((target, str(value)) for target, value in self.items())
        return "\n".join(f"{target}:{chr(10) if chr(10) in text else ' '}{text}" for target, text in texts)
