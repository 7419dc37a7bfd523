"""Parameters of estimators that are options of firth's models.

Names, defaults and help are read from the options classes, so that no option is described twice.
"""

import dataclasses
import functools
import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from firth.errors import UnknownOptionError, brief
from firth.hints import suggestion

Options = Mapping[str, "dataclasses.Field[Any]"]
Estimator = TypeVar("Estimator", bound=type)

CONVENTIONS = {"seed": "random_state", "threads": "n_jobs", "progress": "verbose"}  # firth's names for arguments
LINE = 112  # characters of a line of help


def options_of(kind: Any, *names: str, leave_out: Collection[str] = ()) -> dict[str, "dataclasses.Field[Any]"]:
    """Return fields of an options class by name.

    Args:
        kind: the class, whose fields are made by `firth.options.option`.
        leave_out: fields not to return.
        *names: the fields to return; by default all.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}
    return {name: fields[name] for name in names or fields if name not in leave_out}


def takes_options(*groups: Options) -> Callable[[Estimator], Estimator]:
    """Decorate an estimator whose constructor takes these options besides the parameters it is written with.

    As scikit-learn demands, the constructor stores values and checks nothing but names. The help of each option is
    added to the docstring, whose last section is `Args:`.

    Args:
        groups: fields as returned by `options_of`; their names differ from each other and from the parameters.
    """
    fields = {name: field for group in groups for name, field in group.items()}

    def decorate(kind: Any) -> Any:
        own = kind.__init__
        receiver, *parameters = inspect.signature(own).parameters.values()
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
            for name, field in fields.items()
        ]
        known = [parameter.name for parameter in parameters]

        @functools.wraps(own)
        def initialise(self: Any, *unnamed: Any, **named: Any) -> None:
            if unnamed or not named.keys() <= set(known):
                raise UnknownOptionError(_explained(kind.__name__, known, unnamed, named))
            for name, field in fields.items():
                setattr(self, name, named.pop(name, field.default))
            own(self, **named)

        vars(initialise)["__signature__"] = inspect.Signature([receiver, *parameters], return_annotation=None)
        kind.__init__ = initialise
        kind.__doc__ = "\n".join([inspect.cleandoc(kind.__doc__), *map(_help, fields.values())])
        return kind

    return decorate


def _explained(kind: str, known: Collection[str], unnamed: Collection[Any], named: Mapping[str, Any]) -> str:
    lines = [f"{brief(value)}: {kind} takes parameters by name" for value in unnamed]
    for name, value in named.items():
        if name not in known:
            other = CONVENTIONS.get(name)
            cure = f"use {other}" if other in known else suggestion(name, known)
            lines.append(f"{name}={brief(value)}: {kind} has no such parameter; {cure}")
    return "\n".join(lines)


def _help(field: "dataclasses.Field[Any]") -> str:
    choices = field.metadata["choices"]
    named = f" ({', '.join(choices)})" if choices else ""
    text = f"{field.name}: {field.metadata['help']}{named}; default {field.default!r}"
    return textwrap.fill(text, LINE, initial_indent=" " * 4, subsequent_indent=" " * 8, break_long_words=False)
