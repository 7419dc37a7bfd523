"""Options that are written once: their default, range and help stand on the dataclass field.

An algorithm's options are a class decorated with `options_class` whose fields are made by `option`. The command line
reads flags, defaults and help from the same fields, so no option is described twice.
"""

import dataclasses
import functools
import inspect
import math
import numbers
import os
import reprlib
import typing
from collections.abc import Collection, Iterable
from typing import Any, TypeVar, dataclass_transform

from firth.errors import ArgumentTypeError, OptionError, UnknownOptionError, brief
from firth.hints import hinted_class, no_option_attribute, suggestion, wrong_options

BY_SIZE: Any = None  # an option that follows from the size of the training data, in the defaults of a model
SIZE_DEFAULT = "by the size of the training data"  # its default, as the help shows it
_Class = TypeVar("_Class")


class Preset:
    """A model that the command line can name: an options class with some of its options set.

    An options class lists its presets by name in a class attribute `presets`. The names of the options that most users
    set stand in `common_options`; the help shows the others under "Advanced".

    Attributes:
        description: one sentence: what the model is, and its paper.
        unused: options of the class that do nothing for this model; the command line has no flags for them.
        options: the options that make the model; nor for these.
    """

    def __init__(self, description: str, *, unused: Iterable[str] = (), **options: Any) -> None:
        self.description = description
        self.unused = frozenset(unused)
        self.options = options


@dataclass_transform(kw_only_default=True, frozen_default=True)
def options_class(kind: type[_Class]) -> type[_Class]:
    """Decorate a class whose fields are made by `option`: a frozen, keyword-only dataclass.

    Options that the class inherits come last. The docstring lists every option with its range and default, and says
    that it raises `OptionError` where it names no errors. Without a `__post_init__` the options are checked by `check`.

    An instance that is made with a name that the class lacks raises `firth.errors.UnknownOptionError`, which says where
    the option is found.
    """
    if not hasattr(kind, "__post_init__"):
        kind.__post_init__ = check  # type: ignore[attr-defined]  # a dataclass calls it
    options_type = dataclasses.dataclass(frozen=True, kw_only=True, repr=False)(hinted_class(kind))
    _move_inherited_last(options_type)
    initialise: Any = options_type.__init__
    names = {field.name: field for field in dataclasses.fields(options_type) if field.init}  # type: ignore[arg-type]  # it is a dataclass

    @functools.wraps(initialise)
    def checked(self: Any, *unnamed: Any, **named: Any) -> None:
        if unnamed or not named.keys() <= names.keys():
            raise UnknownOptionError(
                wrong_options(options_type, unnamed, {k: v for k, v in named.items() if k not in names})
            )
        initialise(self, **named)

    receiver, *parameters = inspect.signature(initialise).parameters.values()
    parameters.sort(key=lambda parameter: list(names).index(parameter.name))
    vars(checked)["__signature__"] = inspect.Signature([receiver, *parameters], return_annotation=None)
    options_type.__init__ = checked  # type: ignore[method-assign]  # the same arguments, whose names are looked at first
    options_type.__repr__ = _repr  # type: ignore[method-assign]  # with the options in this order
    lines = [f"    {field.name}: {description(field)}" for field in names.values() if field.metadata]
    options_type.__doc__ = "\n".join([_with_errors(inspect.cleandoc(kind.__doc__ or "")), "", "Options:", *lines])
    if not any("__getattr__" in vars(base) for base in options_type.__mro__):
        options_type.__getattr__ = _no_attribute  # type: ignore[attr-defined]  # type checkers do not see it
    return options_type


def _with_errors(doc: str) -> str:
    """Return a docstring with the error that all options raise, before the source, unless it names errors."""
    if "\nRaises:\n" in doc:
        return doc
    text, source, rest = doc.partition("\n\nSource:")
    return f"{text}\n\nRaises:\n    OptionError: an option is out of its range.{source}{rest}"


def _repr(options: Any) -> str:
    values = (f"{field.name}={getattr(options, field.name)!r}" for field in dataclasses.fields(options))
    return f"{type(options).__qualname__}({', '.join(values)})"


def _no_attribute(options: Any, name: str) -> Any:
    raise no_option_attribute(options, name)


def _move_inherited_last(kind: Any) -> None:
    """Order options for help and `repr`: a model's own first, then those it shares."""
    fields = kind.__dataclass_fields__
    for name in dict.fromkeys(
        name for base in kind.__mro__[:0:-1] for name in getattr(base, "__dataclass_fields__", ())
    ):
        fields[name] = fields.pop(name)


def option(
    default: Any,
    help: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    exclusive: bool = False,
    choices: tuple[str, ...] | None = None,
    by_size: bool = False,
) -> Any:
    """Describe one option of a dataclass.

    Args:
        default: the value when nothing is given.
        help: one line, with the unit where there is one.
        minimum: the least allowed value.
        maximum: the greatest allowed value.
        exclusive: whether `minimum` itself is forbidden.
        choices: the allowed words, for an option that is a name.
        by_size: whether it may be `BY_SIZE` in place of its default.
    """
    metadata = {"help": help, "minimum": minimum, "maximum": maximum, "exclusive": exclusive, "choices": choices}
    return dataclasses.field(default=default, metadata={**metadata, **({"by_size": True} if by_size else {})})


def may_be_by_size(field: dataclasses.Field[Any]) -> bool:
    """Return whether None stands for a value that follows from the size of the training data."""
    return bool(field.metadata.get("by_size"))


def description(field: dataclasses.Field[Any], **defaults: Any) -> str:
    """Return the help of an option with its values and its default; of a field that has only a help, that help.

    Args:
        field: made by `option`.
        **defaults: other defaults by name, for a function that has its own.
    """
    kinds, meta = typing.get_args(field.type) or (field.type,), field.metadata
    if meta.keys() == {"help"}:
        return str(meta["help"])
    if meta["choices"] is not None:
        values = " or ".join(map(repr, meta["choices"]))
    elif bool in kinds:
        values = "True or False"
    elif meta["minimum"] is not None or meta["maximum"] is not None:
        values = _range(int in kinds, meta)
    else:
        values = ""
    default = defaults.get(field.name, field.default)
    if values and default is None:
        values += ", or None"
    shown = SIZE_DEFAULT if default is None and may_be_by_size(field) else repr(default)
    return f"{meta['help']} ({'; '.join(filter(None, (values, f'default {shown}')))})"


def check(options: Any) -> None:
    """Check every field of an options object against its own description.

    NumPy's numbers become Python's, and names of choices are accepted in any case: "LSTM" becomes "lstm".

    Args:
        options: an instance of a dataclass whose fields were made by `option`.

    Raises:
        OptionError: a value has the wrong type or is out of range; the message names the field, the value and the
        range.
    """
    for field in dataclasses.fields(options):
        value = _plain(getattr(options, field.name))
        if field.metadata and field.metadata["choices"] is not None:
            value = one_case(value, field.metadata["choices"])
        if not field.metadata or (value is None and (field.default is None or may_be_by_size(field))):
            continue
        _check_value(field.name, value, typing.get_args(field.type) or (field.type,), field.metadata)
        # The class is frozen for its users; a number out of an array would not go into JSON later.
        object.__setattr__(options, field.name, value)


def values_of(options: Any, *names: str) -> dict[str, Any]:
    """Return the values of some options by name, for what takes arguments of the same names."""
    return {name: getattr(options, name) for name in names}


def parsed(kind: type, name: str, text: str) -> Any:
    """Return the value of an option that is given as text.

    Args:
        kind: the dataclass.
        name: of its field.
        text: a number, a word, or yes or no.

    Raises:
        OptionError: the text is no value of the field's type.
    """
    hint = typing.get_type_hints(kind)[name]
    kinds = typing.get_args(hint) or (hint,)
    if bool in kinds:
        answers = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
        if text.lower() in answers:
            return answers[text.lower()]
        raise OptionError(f"{name}={brief(text)}: expected yes or no")
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    if str in kinds:
        return text
    raise OptionError(f"{name}={brief(text)}: expected a number")


def parse_spec(spec: str, names: Collection[str], *, first: str = "") -> dict[str, str]:
    """Return the options in a spec such as `skipgram:window=10:sample=0`, as text.

    Args:
        spec: a name and options, separated by colons.
        names: the names of the options that there are; a hyphen in the spec counts as an underscore.
        first: the option that the first part may set without its name, as in `reduce:50`.

    Raises:
        UnknownOptionError: there is no such option.
        OptionError: a part is not of the form OPTION=VALUE.
    """
    name, *parts = spec.split(":")
    values = {}
    for i, part in enumerate(parts):
        key, equals, value = part.partition("=") if "=" in part or i or not first else (first, "=", part)
        key = key.strip().replace("-", "_")
        if not equals or not value:
            raise OptionError(
                f"{part!r} in {spec!r}: expected OPTION=VALUE with one of {', '.join(sorted(names)) or 'none'}"
            )
        if key not in names:
            raise UnknownOptionError(
                f"{part!r} in {spec!r}: {name} has no such option; {suggestion(key, sorted(names))}"
            )
        values[key] = value
    return values


def wrong_kind(name: str, value: Any, expected: str) -> ArgumentTypeError:
    """Return the error for a value of another kind than what is asked for.

    Args:
        name: what the value was given as; "" where the value itself says it.
        value: the value.
        expected: what is asked for, as the end of "expected ...".
    """
    text, kind = brief(value), type(value).__name__
    problem = f"{name}={text}" if name else text
    if value is not None:
        problem += " is bytes" if isinstance(value, bytes) else f" is {'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"
    return ArgumentTypeError(
        f"{problem}; expected {expected}{': decode it' if isinstance(value, bytes | bytearray) else ''}"
    )


def check_kind(name: str, value: Any, *kinds: type) -> None:
    """Check that a value is an object of firth's: vectors, a corpus, an object of options.

    Args:
        name: of the argument.
        value: given for it.
        kinds: that are expected.

    Raises:
        ArgumentTypeError: it is of none of them; the message says how one is made.
    """
    if isinstance(value, kinds):
        return
    first = kinds[0].__name__
    if isinstance(value, str | os.PathLike):
        remedy = f": firth.load({os.fspath(value)!r})"
    else:
        remedy = f": {first}(...)" if dataclasses.is_dataclass(kinds[0]) and isinstance(value, dict) else ""
        if remedy and all(isinstance(key, str) for key in value):
            remedy = f": {first}({', '.join(f'{key}={reprlib.repr(item)}' for key, item in value.items())})"
    raise wrong_kind(name, value, " or ".join(kind.__name__ for kind in kinds) + remedy)


def check_whole(name: str, value: Any, least: int = 1) -> None:
    """Check that an argument is a whole number, and not too small.

    Raises:
        OptionError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise OptionError(f"{name}={brief(value)}: expected a whole number of at least {least}")


def check_path(path: Any, name: str = "path") -> None:
    """Check that a value is a path.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not isinstance(path, str | os.PathLike):
        raise wrong_kind(name, path, "a path (str or Path)")


def _plain(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if isinstance(value, numbers.Real) else value


def _check_value(name: str, value: Any, kinds: tuple[Any, ...], meta: Any) -> None:
    if meta["choices"] is not None:
        # An option that is a name may also be an object, which knows by itself what it is.
        classes = tuple(kind for kind in kinds if isinstance(kind, type) and kind not in (str, type(None)))
        if not isinstance(value, classes) and value not in meta["choices"]:
            raise OptionError(f"{name}={brief(value)}: expected one of {', '.join(meta['choices'])}")
        return
    if bool in kinds and not isinstance(value, bool):
        raise OptionError(f"{name}={brief(value)}: expected True or False")
    if kinds == (str,) and not isinstance(value, str):
        raise OptionError(f"{name}={brief(value)}: expected a text")
    if meta["minimum"] is None and meta["maximum"] is None:
        return
    whole = int in kinds
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or (whole and not isinstance(value, int)) or value != value or _out_of_range(value, meta):
        raise OptionError(f"{name}={brief(value)}: expected {_range(whole, meta)}")


def expected_number(field: dataclasses.Field[Any]) -> str | None:
    """Return what the field of an options class expects, such as "a whole number of at least 1"; None if no number."""
    kinds, meta = typing.get_args(field.type) or (field.type,), field.metadata
    if meta["choices"] is not None or bool in kinds or not {int, float} & set(kinds):
        return None
    if meta["minimum"] is None and meta["maximum"] is None:
        return "a whole number" if int in kinds else "a number"
    return _range(int in kinds, meta)


def one_case(value: Any, choices: Collection[str]) -> Any:
    """Return the choice that a word names in another case, such as "lstm" for "LSTM"; other values as they are."""
    if isinstance(value, str) and value not in choices:
        return next((choice for choice in choices if choice.lower() == value.lower()), value)
    return value


def _out_of_range(value: float, meta: Any) -> bool:
    low, high = meta["minimum"], meta["maximum"]
    below = low is not None and (value <= low if meta["exclusive"] else value < low)
    return below or (high is not None and value > high) or abs(value) == math.inf  # math.isinf fails on 400 digits


def _range(whole: bool, meta: Any) -> str:
    kind = "a whole number" if whole else "a finite number"
    low, high = meta["minimum"], meta["maximum"]
    if low is not None and high is not None:
        return f"{kind} from {low} to {high}" if not meta["exclusive"] else f"{kind} above {low} and at most {high}"
    if high is not None:
        return f"{kind} of at most {high}"
    return f"{kind} above {low}" if meta["exclusive"] else f"{kind} of at least {low}"
