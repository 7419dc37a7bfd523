"""Parameters of estimators that are options of firth's models.

Names, defaults and help are read from the options classes, so that no option is described twice.
"""

import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar, TypeVar

from firth.errors import UnknownOptionError, brief
from firth.hints import suggestion

Options = Mapping[str, "dataclasses.Field[Any]"]
Estimator = TypeVar("Estimator", bound=type)

CONVENTIONS = {"seed": "random_state", "threads": "n_jobs", "progress": "verbose"}  # firth's names for arguments
SHARED = {  # parameters of estimators whose classes declare them: default, help
    "random_state": (None, "seed, generator or None, as in all of scikit-learn."),
    "n_jobs": (None, "number of threads; None for one, -1 for all processors."),
    "verbose": (False, "whether to show progress."),
}
_ONE_THREAD = " Only one thread gives the same bits again."
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


def takes_options(*groups: Options, same_bits: bool = True) -> Callable[[Estimator], Estimator]:
    """Decorate an estimator with a constructor that takes these options.

    Its other parameters are the attributes that the class declares with a type and a default, and those of `SHARED`
    that it has. As scikit-learn demands, the constructor stores values and checks nothing but names. The help of shared
    parameters and of options is added to the section `Args:` at the end of the docstring.

    Args:
        same_bits: whether any number of threads gives the same bits.
        *groups: fields as returned by `options_of`; their names differ from each other and from the parameters.
    """
    fields = {name: field for group in groups for name, field in group.items()}

    def decorate(kind: Any) -> Any:
        declared = inspect.get_annotations(kind)
        own = {name: vars(kind)[name] for name in declared if name in vars(kind) and declared[name] is not ClassVar}
        types = {
            name: annotation
            for parent in reversed(kind.__mro__)
            for name, annotation in inspect.get_annotations(parent).items()
        }
        shared = [name for name in SHARED if name in types]
        defaults = {**own, **{name: SHARED[name][0] for name in shared}}
        types |= {name: field.type for name, field in fields.items()}
        defaults |= {name: field.default for name, field in fields.items()}

        def initialise(self: Any, *unnamed: Any, **named: Any) -> None:
            if unnamed or not named.keys() <= defaults.keys():
                raise UnknownOptionError(_explained(kind.__name__, list(defaults), unnamed, named))
            for name, default in defaults.items():
                setattr(self, name, named.get(name, default))

        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter(name, keyword, default=default, annotation=types[name])
            for name, default in defaults.items()
        ]
        receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        vars(initialise)["__signature__"] = inspect.Signature([receiver, *parameters], return_annotation=None)
        kind.__init__ = initialise
        lines = {name: SHARED[name][1] + _ONE_THREAD * (name == "n_jobs" and not same_bits) for name in shared}
        help = [*(_filled(f"{name}: {line}") for name, line in lines.items()), *map(_help, fields.values())]
        text = inspect.cleandoc(kind.__doc__)
        kind.__doc__ = "\n".join([text, *([] if "\nArgs:\n" in text else ["", "Args:"]), *help])
        return kind

    return decorate


def _explained(kind: str, names: Collection[str], unnamed: Collection[Any], named: Mapping[str, Any]) -> str:
    lines = [f"{brief(value)}: {kind} takes parameters by name" for value in unnamed]
    for name, value in named.items():
        if name not in names:
            other = CONVENTIONS.get(name)
            cure = f"use {other}" if other in names else suggestion(name, names)
            lines.append(f"{name}={brief(value)}: {kind} has no such parameter; {cure}")
    return "\n".join(lines)


def _help(field: "dataclasses.Field[Any]") -> str:
    choices = field.metadata["choices"]
    named = f" ({', '.join(choices)})" if choices else ""
    return _filled(f"{field.name}: {field.metadata['help']}{named}; default {field.default!r}")


def _filled(text: str) -> str:
    return textwrap.fill(text, LINE, initial_indent=" " * 4, subsequent_indent=" " * 8, break_long_words=False)
