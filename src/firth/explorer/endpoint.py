"""An address of the server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Endpoint:
    """An address.

    Attributes:
        path: such as "/neighbors".
        summary: what it answers, for the OpenAPI document.
        classes: of models that answer, as "module:class", which are not imported; with subclasses.
        request: what it takes.
        response: what it gives.
        answer: of a model and a request, without the model's name.
        together: answers several requests at once, faster than one by one; None for none.
        joined: makes of all models of the classes, by name, the one object that answers; None where each answers.
        also: the same address in another spelling, which the OpenAPI document leaves out.
    """

    path: str
    summary: str
    classes: Sequence[str]
    request: type[Any]
    response: type[Any]
    answer: Callable[[Any, Any], Any]
    together: Callable[[Any, Sequence[Any]], list[Any]] | None = None
    joined: Callable[[Mapping[str, Any]], Any] | None = None
    also: str | None = None

    def accepts(self, model: Any) -> bool:
        """Return whether a model answers."""
        return not class_names(model).isdisjoint(self.classes)


def writable(texts: Sequence[str]) -> list[str]:
    """Return texts that UTF-8 can hold: those of files may have lone surrogates."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return [text.encode("utf-8", "replace").decode() for text in texts]
    return list(texts)


def class_names(model: Any) -> set[str]:
    """Return the classes of a model as "module:class", with those that they extend."""
    return {f"{each.__module__}:{each.__qualname__}" for each in type(model).__mro__}
