"""Arguments of public functions: options in signatures and help, and answers to unknown names.

A function that passes options of a text on takes them as `**text: Unpack[CorpusArguments]`, a `TypedDict` that type
checkers and editors read. `describe` connects the `TypedDict` with the options class, which holds the defaults, ranges
and help. The decorator `explained` then shows the options one by one in `inspect.signature` and in `help`, and answers
an unknown name with the right one.
"""

import dataclasses
import functools
import inspect
import re
import typing
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextvars import Context, copy_context
from typing import Any, NoReturn, TypeVar, cast, overload

from firth.errors import ArgumentTypeError, FileError, FirthError, UnknownOptionError, brief
from firth.hints import meaning_the_same, wrong_argument
from firth.options import description

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class")
Parameters = Mapping[str, inspect.Parameter]
COMMON = {  # arguments that mean the same everywhere: their entries in docstrings, which `explained` adds to help
    "seed": "random seed: the same seed gives the same result.",
    "threads": "number of threads; None for one per processor.",
    "progress": "None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.",
    "title": "by default a description of the picture.",
}
COMMON_OF_NEURAL_MODELS = {**COMMON, "threads": "number of threads; None for 1."}
_ARGS = re.compile(r"^(?P<indent> +)Args:\n(?:(?P=indent) +\S.*\n)+", re.MULTILINE)
_DESCRIBED: dict[Any, Any] = {}  # TypedDict: the options classes whose fields it has


def describe(arguments: Any, *kinds: Any) -> None:
    """Say which options classes hold the defaults, ranges and help of a `TypedDict` of options."""
    _DESCRIBED[arguments] = kinds


def explained_class(kind: type[_Class]) -> type[_Class]:
    """Decorate a class: to make an object with a name that it lacks, or without what it needs, gets an answer."""
    kind.__init__ = explained(kind.__init__)  # type: ignore[method-assign]  # the same arguments
    return kind


@overload
def explained(function: _Function, /) -> _Function: ...
@overload
def explained(**defaults: Any) -> Callable[[_Function], _Function]: ...
def explained(function: Any = None, /, **defaults: Any) -> Any:
    """Decorate a public function: its signature and help list every option, and an unknown name gets an answer.

    The decorated function raises `firth.errors.UnknownOptionError`, a TypeError, for a name that it lacks.

    Args:
        **defaults: the function's own defaults of options, where they differ from those of the options class.
    """
    if function is None:
        return lambda function: _explained(function, defaults)
    return _explained(function, {})


def _explained(function: Any, defaults: Mapping[str, Any]) -> Any:
    if not function.__code__.co_flags & inspect.CO_VARKEYWORDS:

        @functools.wraps(function)
        def checked(*args: Any, **named: Any) -> Any:
            try:
                return function(*args, **named)
            except TypeError:
                names = inspect.signature(function).parameters
                if named.keys() <= names.keys() and not _names_receiver(function, names, args, named):
                    if not (error := _too_many(function, names, args) or _missing(function, names, args, named)):
                        raise
                    raise error from None
            except OSError as error:
                _raise_named(error)
            raise _unknown(function, names, args, named)

        checked.__doc__ = _with_common(function)
        return checked

    *parameters, last = inspect.signature(function).parameters.values()
    (arguments,) = typing.get_args(last.annotation)
    signature = inspect.signature(function).replace(parameters=[*parameters, *_parameters(arguments, defaults)])
    names = signature.parameters.keys()

    @functools.wraps(function)
    def expanded(*args: Any, **named: Any) -> Any:
        if not named.keys() <= names or _names_receiver(function, names, args, named):
            raise _unknown(function, signature.parameters, args, named)
        try:
            return function(*args, **named)
        except TypeError:
            if not (
                error := _misplaced(function, signature, args, named)
                or _too_many(function, signature.parameters, args)
                or _missing(function, signature.parameters, args, named)
            ):
                raise
        except OSError as refusal:
            _raise_named(refusal)
        raise error

    vars(expanded)["__signature__"] = signature
    expanded.__doc__ = _with_options(_with_common(function) or "", last.name, arguments, defaults)
    return expanded


def names_files(function: _Function) -> _Function:
    """Decorate a public function that reads files: what the system says of one becomes a `FileError`.

    `explained` does this, too. A generator's errors are those of its iteration; it runs in the context in which it is
    called, so that `firth.text_encoding` there counts.
    """
    wrapped: Any
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def wrapped(*args: Any, **named: Any) -> Any:
            return _iterated(function(*args, **named), copy_context())
    else:

        @functools.wraps(function)
        def wrapped(*args: Any, **named: Any) -> Any:
            try:
                return function(*args, **named)
            except OSError as error:
                _raise_named(error)

    return cast("_Function", wrapped)


def _iterated(items: Generator[Any, None, Any], context: Context) -> Iterator[Any]:
    """As `yield from items`, each step in a context; errors reach the generator, as context managers need it."""
    resume: Callable[[], Any] = functools.partial(next, items, items)
    try:
        while (item := context.run(resume)) is not items:
            try:
                yield item
            except GeneratorExit:
                context.run(items.close)
                raise
            except BaseException as error:  # also KeyboardInterrupt
                resume = functools.partial(_thrown, items, error)
            else:
                resume = functools.partial(next, items, items)
    except OSError as error:
        _raise_named(error)


def _thrown(items: Generator[Any, None, Any], error: BaseException) -> Any:
    try:
        return items.throw(error)
    except StopIteration:  # the generator took it for an end
        return items


def _raise_named(error: OSError) -> NoReturn:
    if isinstance(error, FirthError) or error.errno is None or error.filename is None:
        raise error
    raise FileError.of(error) from error


def _parameters(arguments: Any, defaults: Mapping[str, Any]) -> Iterable[inspect.Parameter]:
    fields = _fields(arguments)
    for name, annotation in typing.get_type_hints(arguments).items():
        default = defaults.get(name, fields[name].default)
        default = None if default is dataclasses.MISSING else default  # what is left out
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _fields(arguments: Any) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields that describe the keys of a TypedDict, in the order of the keys."""
    fields = {field.name: field for kind in reversed(_DESCRIBED[arguments]) for field in dataclasses.fields(kind)}
    return {name: fields[name] for name in typing.get_type_hints(arguments)}


def _with_common(function: Any) -> str | None:
    """Return the docstring of a function with entries of those common arguments that its `Args:` leaves out."""
    doc: str | None = function.__doc__
    section = _ARGS.search(doc or "")
    if doc is None or section is None:
        return doc
    common = COMMON_OF_NEURAL_MODELS if function.__module__.startswith("firth.neural.") else COMMON
    code, indent = function.__code__, section["indent"] + 4 * " "
    names = [name for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if name in common]
    missing = [
        name for name in names if not re.search(rf"^{indent}[\w, ]*\b{name}\b[\w, ]*:", section[0], re.MULTILINE)
    ]
    entries = "".join(f"{indent}{name}: {common[name]}\n" for name in missing)
    return doc[: section.end()] + entries + doc[section.end() :]


def _with_options(doc: str, name: str, arguments: Any, defaults: Mapping[str, Any]) -> str:
    """Replace the entry of `**name` in a docstring by one entry per option."""
    entry = re.compile(rf"^(?P<indent> *)\*\*{name}:.*\n(?:(?P=indent) +\S.*\n)*", re.MULTILINE)

    def entries(match: re.Match[str]) -> str:
        fields = _fields(arguments).values()
        return "".join(f"{match['indent']}{field.name}: {description(field, **defaults)}\n" for field in fields)

    return entry.sub(entries, doc)


def _unknown(function: Any, parameters: Parameters, args: tuple[Any, ...], named: Mapping[str, Any]) -> Exception:
    owner = args[0] if args else None
    call, names = _called(function, (owner,)), list(parameters)
    names = names[names[:1] in (["self"], ["cls"]) or _method(function, owner) is not None :]
    answers = {
        name: wrong_argument(call, names, parameters, owner, name, value)
        for name, value in named.items()
        if name not in names
    }
    return UnknownOptionError("\n".join(f"{name}={brief(named[name])}: {answer}" for name, answer in answers.items()))


def _names_receiver(function: Any, names: Iterable[str], args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    """Return whether the object of a method is named again, as by `Tagger().train(text, options=...)`."""
    return bool(args) and next(iter(names), None) in named and _method(function, args[0]) is not None


def _misplaced(
    function: Any, signature: inspect.Signature, args: tuple[Any, ...], named: Mapping[str, Any]
) -> Exception | None:
    """Return the error for a text that is given under the name of an option, such as gensim's `sentences`, or None."""
    required = [p.name for p in signature.parameters.values() if p.default is p.empty][len(args) :]
    missing = [name for name in required if name not in named]
    for name, value in named.items():
        group = meaning_the_same(name)
        if other := next((parameter for parameter in missing if parameter in group), None):
            return UnknownOptionError(
                f"{name}={brief(value)}: {other} is missing; give it first: {_called(function, args)}({brief(value)})"
            )
    return None


def _too_many(function: Any, parameters: Parameters, args: tuple[Any, ...]) -> Exception | None:
    """Return the error for more arguments by position than a function takes, such as `train(sources, targets)`."""
    by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters.values()):
        return None
    placed = [name for name, parameter in parameters.items() if parameter.kind not in by_name]
    if len(args) <= len(placed):
        return None
    own = placed[:1] in (["self"], ["cls"]) or _method(function, args[0]) is not None
    call, wanted = _called(function, args), ", ".join(placed[own:])
    pairs = placed[-1] == "pairs" and len(args) == len(placed) + 1
    way = f"{call}((sources, targets)) takes two lists or files" if pairs else "give the others by name"
    expected = f"expected {wanted or 'none'}"
    return UnknownOptionError(f"{call}: {len(args) - own} arguments without a name; {expected}; {way}")


def _missing(
    function: Any, parameters: Parameters, args: tuple[Any, ...], named: Mapping[str, Any]
) -> Exception | None:
    """Return the error for arguments that a function needs and was not given."""
    needed = [
        name
        for i, (name, parameter) in enumerate(parameters.items())
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        and i >= len(args)
        and name not in named
    ]
    if not needed or not args:
        return None
    verb = "is" if len(needed) == 1 else "are"
    return TypeError(f"{_called(function, args)}: {' and '.join(needed)} {verb} missing")


def _called(function: Any, args: tuple[Any, ...]) -> str:
    """Return the name that a function is called by: it may be a method under another name."""
    own: str = function.__name__
    if own == "__init__" and args:
        return type(args[0]).__name__
    return (_method(function, args[0]) if args else None) or own


def _method(function: Any, owner: Any) -> str | None:
    """Return the name under which the class of an object has a function as a method, or None."""
    methods = (item for kind in type(owner).__mro__ for item in vars(kind).items())
    return next((name for name, method in methods if getattr(method, "__wrapped__", None) is function), None)


def made_by(instead: str) -> Callable[[type[_Class]], type[_Class]]:
    """Decorate a class that users do not make themselves: a call without its arguments says what to write.

    Args:
        instead: the expression to write; `{}` stands for the first argument of the call.
    """

    def decorate(kind: type[_Class]) -> type[_Class]:
        initialise: Any = kind.__init__
        signature = inspect.signature(initialise)

        @functools.wraps(initialise)
        def checked(self: Any, *args: Any, **named: Any) -> None:
            try:
                initialise(self, *args, **named)
            except TypeError:
                try:
                    signature.bind(self, *args, **named)
                except TypeError as error:
                    first = brief(args[0]) if args else "..."
                    call = f"{kind.__name__}({first})"
                    way = instead.replace("{}", first)
                    raise ArgumentTypeError(f"{call}: {error}; write {way}") from None
                raise

        kind.__init__ = checked  # type: ignore[method-assign]  # the same arguments, with another message
        return kind

    return decorate
