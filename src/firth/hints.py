"""Answers to wrong names, such as those that users of gensim, spaCy or Hugging Face type.

`hints.toml` lists such names and what they are here. It is read when the first name is wrong. A name that is misspelled
needs no entry: it is answered with the nearest names that there are.
"""

import abc
import difflib
import functools
import inspect
import itertools
import reprlib
import typing
from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

TEXTS = ("sentences", "corpus_iterable", "corpus_file", "documents", "corpus", "texts")  # gensim's names for the text
TEXT_OPTIONS = (  # options of `Corpus.build`, which everything that trains on a text accepts, too
    "min_count", "max_size", "stop_words", "unknown", "tokens", "language", "sentences", "line_breaks", "markup",
    "join_hyphens",
    "keep_empty", "column", "cache",
    "separator", "quoting", "header", "on_error",
)  # fmt: skip

Parameters = Mapping[str, inspect.Parameter]
_Class = TypeVar("_Class")


@functools.cache
def table(*path: str) -> dict[str, list[str]]:
    """Return a table of `hints.toml`: wrong name: what to use, in the order of the file; {} if there is none."""
    part = _content()
    for key in path:
        part = part.get(key, {})
    answers: dict[str, list[str]] = {}
    for ours, names in part.items():
        for name in names.split():
            answers.setdefault(name, []).append(ours)
    return answers


@functools.cache
def _content() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


# Near and equivalent names.
def near_names(name: str, names: Iterable[str]) -> list[str]:
    """Return at most three valid names that are spelled nearly like a name."""
    return difflib.get_close_matches(name, list(names), cutoff=0.61)  # temperature is not nearly generator: 0.6


def _did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about an attribute, whose valid names are many: only very near ones are offered."""
    ours = {candidate.lower(): candidate for candidate in names}
    near = [ours[candidate] for candidate in difflib.get_close_matches(name.lower(), ours, n=2, cutoff=0.75)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def synonym(name: str, names: Iterable[str]) -> str | None:
    """Return the valid name of an option for a name in another library, or None."""
    names = list(names)
    return next((other for other in table("options").get(name, ()) if other in names), None)


def same(name: str, names: Iterable[str]) -> str | None:
    """Return the valid name of an argument with the same meaning, or None."""
    names = list(names)
    return synonym(name, names) or next((other for other in names if other in meaning_the_same(name)), None)


def meaning_the_same(name: str) -> set[str]:
    """Return the names of arguments that mean the same as a name, itself included; none if it is in no table."""
    return {other for group in table("same").get(name, ())[:1] for other in _content()["same"][group].split()}


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest valid names, or all of them."""
    names = list(names)
    other = synonym(name, names)
    if other is not None:
        return f"use {other}"
    near = near_names(name, names)
    return f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(names) or 'none'}"


# Names of modules and attributes.
def no_name(module: str, name: str, names: Iterable[str], kind: type[Exception] = AttributeError) -> Exception:
    """Return the error for a name that a module lacks.

    Args:
        module: such as "firth".
        name: the name.
        names: of the module.
        kind: AttributeError; or ImportError for `from firth import NAME`.
    """
    ours = table("names", module).get(name)
    hint = f"; use {module}.{ours[0]}" if ours else _did_you_mean(name, names)
    if kind is ImportError:
        return ImportError(f"cannot import name {name!r} from {module!r}{hint}", name=module)
    return kind(f"module {module!r} has no attribute {name!r}{hint}")


def no_attribute(owner: Any, name: str, *further: Any) -> AttributeError:
    """Return the error for an attribute that an object lacks."""
    problem = f"{type(owner).__name__!r} object has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(problem)
    objects = (owner, *further)
    for kind in itertools.chain.from_iterable(type(value).__mro__ for value in objects):
        if answers := table("attributes", kind.__name__).get(name):
            return AttributeError(f"{problem}; {answers[0]}")
    attributes = (key for value in objects for key in (*dir(type(value)), *getattr(value, "__dict__", ())))
    names = dict.fromkeys(key for key in attributes if key[0] != "_")
    for answer in table("attributes", "any").get(name, ()):
        ours = answer.removeprefix("use ").partition("(")[0]
        if ours in names or "." in ours:
            return AttributeError(f"{problem}; {answer.replace('...', _required(type(owner), ours))}")
    return AttributeError(problem + _did_you_mean(name, names))


def _required(kind: type, method: str) -> str:
    """Return the arguments of a method that have no default, as they stand in a call."""
    function = getattr(kind, method, None)
    parameters = list(inspect.signature(function).parameters.values())[1:] if callable(function) else []
    return ", ".join(p.name for p in parameters if p.default is p.empty and p.kind < p.VAR_POSITIONAL)


class Hinted:
    """Base class of objects that answer an unknown attribute with what to use instead."""

    if not TYPE_CHECKING:  # for type checkers an unknown attribute is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name)


class HintedType(abc.ABCMeta):
    """Metaclass of the classes of options: it answers `Word2Vec.load`, which gensim has, and adds nothing to `dir`."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            answers = table("attributes", "options").get(name) if not name.startswith("_") else None
            hint = f"; {answers[0]}" if answers else ""
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}{hint}")


def hinted_class(kind: type[_Class]) -> type[_Class]:
    """Return a class again, as one of `HintedType`."""
    if issubclass(type(kind), HintedType):
        return kind
    namespace = {name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")}
    again: Any = HintedType(kind.__name__, kind.__bases__, namespace | {"__qualname__": kind.__qualname__})
    for member in namespace.values():
        function = getattr(member, "fget", getattr(member, "__func__", member))
        code = getattr(function, "__code__", None)
        if code is not None and "__class__" in code.co_freevars:  # it calls super()
            function.__closure__[code.co_freevars.index("__class__")].cell_contents = again
    return cast("type[_Class]", again)


def no_option_attribute(options: Any, name: str) -> AttributeError:
    """Return the error for an attribute that an object of options lacks: most belong to the model that it trains."""
    kind, names = type(options).__name__, [field.name for field in fields(options)]
    problem = f"{kind!r} object has no attribute {name!r}"
    verbs = [verb for verb in ("train", "learn", "count", "align", "measure") if hasattr(type(options), verb)]
    if name.startswith("_"):
        return AttributeError(problem)
    if (other := synonym(name, names)) is not None:
        hint = f"; use {other}"
    elif answers := table("attributes", "options").get(name):
        hint = f"; {answers[0]}"
    elif verbs[:1] == ["train"]:
        hint = f"; {kind} holds options; train returns the model: model = {kind}(...).train(text)"
    elif verbs:
        hint = f"; {kind} holds options; use {kind}(...).{verbs[0]}(...)"
    else:
        hint = _did_you_mean(name, names)
    return AttributeError(problem + hint)


# Options and arguments.
def wrong_options(kind: Any, unnamed: Iterable[Any], wrong: Mapping[str, Any]) -> str:
    """Return the message about invalid arguments of an options class, one per line.

    Args:
        kind: the class; its fields are made by `firth.options.option`.
        wrong: keyword arguments that are not fields.
    """
    options = {field.name: field for field in fields(kind)}
    verb = next((verb for verb in ("train", "learn") if hasattr(kind, verb)), None)
    train = inspect.signature(getattr(kind, verb)).parameters if verb else {}
    lines = [
        f"{name}={reprlib.repr(value)}: {_place(kind.__name__, name, value, options, verb or '', train)}"
        for name, value in wrong.items()
    ]
    for value in unnamed:
        example = next((f"{name}={_example(field, value)}" for name, field in options.items()), "")
        text = f"; {_text_to(verb, kind.__name__)}" if verb else ""
        lines.append(f"{reprlib.repr(value)}: {kind.__name__} takes options by name, such as {example}{text}")
    return "\n".join(lines)


def _place(kind: str, name: str, value: Any, options: Mapping[str, Field[Any]], verb: str, train: Parameters) -> str:
    """Return where a missing option belongs: another name, `train`, the text, or nowhere."""
    further = table("options").get(name) or [name]
    positions = (_place_of(kind, name, other, value, options, verb, train) for other in further)
    advice = _elsewhere(name, verb == "train", "training" in train or kind == "TrainingOptions")
    return next(filter(None, positions), f"{kind} has no such option; {advice or suggestion(name, options)}")


def _elsewhere(name: str, trains: bool, by_steps: bool) -> str | None:
    """Return the answer to a name that no option or argument of a training has, or None.

    Args:
        by_steps: whether the training has `TrainingOptions`.
    """
    answer = table("elsewhere").get(name, [None])[0] if trains else None
    return answer or (training(name) if by_steps else None)


def training(name: str) -> str | None:
    """Return the answer to a name that belongs to the training of a model that learns step by step, or None."""
    return table("training").get(name, [None])[0]


def _with_value(name: str, other: str) -> str:
    """Return the name of an option, with the value that another name stands for if it names one."""
    value = table("values").get(name, [None])[0]
    return other if value is None else f"{other}={value}"


def _place_of(
    kind: str, name: str, other: str, value: Any, options: Mapping[str, Field[Any]], verb: str, train: Parameters
) -> str | None:
    """Return where `other`, which `name` may stand for, belongs; None for nowhere."""
    if other in options:
        return f"{kind} has no such option; use {_with_value(name, other)} ({_meaning(options[other])})"
    if name in TEXTS and train and not (name in TEXT_OPTIONS and isinstance(value, str)):
        return _text_to(verb, kind)
    if other in TEXT_OPTIONS and "tokens" in train:
        return f"an option of the text: {kind}(...).{verb}(text, {other}=...) or Corpus.build(text, {other}=...)"
    if other in list(train)[2:]:  # after self and the text
        return f"an argument of {verb}: {kind}(...).{verb}(text, {other}=...)"
    for position, part in _options_of(train):
        if other in (field.name for field in fields(part) if field.metadata):
            return f"an option of {part.__name__}: {kind}(...).{verb}(text, {position}={part.__name__}({other}=...))"
    return None


def _text_to(verb: str, kind: str) -> str:
    return f"pass the text to {verb}: {kind}(...).{verb}(text)"


def _example(field: Field[Any], given: Any) -> str:
    """Return a value of an option: its default, or what was given where the default is None and that may be meant."""
    meant = field.default is None and type(given) in typing.get_args(field.type)
    return reprlib.repr(given if meant else field.default)


def _meaning(field: Field[Any]) -> str:
    if field.metadata.get("choices"):
        return " or ".join(map(repr, field.metadata["choices"]))
    what: str = field.metadata.get("help", "")
    return what.partition(";")[0]


def wrong_argument(call: str, names: list[str], parameters: Parameters, owner: Any, name: str, value: Any) -> str:
    """Return the message about a name that is no argument of a function.

    Args:
        owner: the object whose method it is, or its first argument.
    """
    problem = f"not an argument of {call}"
    if (meant := same(name, names)) is not None:
        return f"{problem}; use {_with_value(name, meant)}"
    for position, kind in _options_of(parameters):
        if isinstance(value, kind):
            return f"{problem}; use {position}"
    own = [(None, type(owner))] if not isinstance(owner, type) and _has_options(type(owner)) else []
    for argument, kind in (*own, *_options_of(parameters)):
        options = [field.name for field in fields(kind)]
        if (other := name if name in options else synonym(name, options)) is not None:
            given = table("values").get(name, [reprlib.repr(value)])[0]
            made = f"{kind.__name__}({other}={given})"
            line = f"{made}.{call}(...)" if argument is None else f"{call}(..., {argument}={made})"
            return f"{problem}, but an option of {kind.__name__}: {line}"
    advice = _elsewhere(name, call in ("train", "build"), call == "train" and "training" in names)
    return f"{problem}; {advice or suggestion(name, names)}"


def _options_of(parameters: Parameters) -> Iterable[tuple[str, Any]]:
    """Yield the arguments that are objects of options, and their classes."""
    for parameter in parameters.values():
        for part in typing.get_args(parameter.annotation) or (parameter.annotation,):
            if _has_options(part):
                yield parameter.name, part


def _has_options(kind: Any) -> bool:
    return is_dataclass(kind) and any(field.metadata for field in fields(kind))


# The command line.
def command(group: str, name: str) -> str | None:
    """Return what to type for a command or model of another program, such as "firth neighbours" for "nn".

    Args:
        group: the command that the name follows, such as "firth train".
        name: as it was typed, in firth's spelling.
    """
    for other in (group, f"{group} train", "firth train", "firth lm train", "firth pretrain"):
        if answers := table("commands", other).get(name):
            commands = answers[0].split(" or ")
            return " or ".join(name if name.startswith("firth ") else f"{other} {name}" for name in commands)
    return None


def configuration(name: str) -> str | None:
    """Return what to use in place of a file of options, such as `firth train config.cfg`, or None."""
    return table("configs").get(Path(name).suffix, [None])[0]


def file_command(group: str, name: str) -> str | None:
    """Return what to type where a file stands in place of a command, such as `firth train texts`."""
    ours = _content()["files"].get(group)
    return f"{group} {ours} {name}" if ours and (Path(name).exists() or {".", "/"} & set(name)) else None


def model(name: str, models: Collection[str]) -> str | None:
    """Return the model of a command that another program calls by a name, or None."""
    return next((candidate for candidate in table("models").get(name, ()) if candidate in models), None)


def flag(
    command: str, name: str, flags: Collection[str], arguments: Collection[str], usage: Iterable[str]
) -> str | None:
    """Return what to do in place of a flag of another program that is no flag here, or None.

    Args:
        command: the command that the flag follows, such as "firth train skipgram".
        arguments: names of the command's arguments, which have no flag.
        usage: what the command takes, in order, such as "CORPUS" and "-o OUT".
    """
    positions = {argument for key in table("positional").get(name, ()) for argument in key.split()}
    if not positions.isdisjoint(arguments):
        return f"it needs no flag: {' '.join((command, *usage))}"
    group = command.rpartition(" ")[0]
    groups = [command, group, *(["--cluster"] if "cluster" in flags else [])]
    if command in {f"firth {kind} train" for kind in ("tag", "parse", "coref", "pipeline")}:
        groups.append("annotators")
    groups += [command.rpartition(" ")[2], *(["csv"] if "csv" in flags else [])]  # train, predict
    answers = (table("flags", candidate).get(name, [None])[0] for candidate in groups)
    return next((answer.replace("{group}", group) for answer in answers if answer), None)
