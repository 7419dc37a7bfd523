"""Flags of the command line, read from the dataclasses that the options are written in.

A field is made by `firth.options.option`, or its type is `Annotated` with a flag of typer, which is used as it is.

A flag that is not given is not passed on: the default stands in the dataclass alone, and the help only quotes it.
"""

import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from firth import hints
from firth.cli.flag_messages import EXPECTED, RENAMED, RUNNING, explain_value, flags_of, in_flags, name_flags
from firth.cli.output import paragraphs, showing_log
from firth.errors import CorpusError, FormatError, OptionError, RareWordError
from firth.options import SIZE_DEFAULT, expected_number, may_be_by_size
from firth.spelling import one_spelling
from firth.storage.encodings import text_encoding
from firth.vectors.io.table import reading_vectors

SIMPLE = (bool, int, float, str)  # types that a command line can give
ADVANCED = "Advanced"
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
# Parameters that name texts or lists of the user.
_READS = frozenset(
    ("corpus", "column", "text", "texts", "files", "file", "questions", "gold", "queries", "word_file", "group_file",
     "dictionary", "similarity", "analogies", "references", "held_out", "stop_words", "prompt", "sets", "query",
     "connectors", "pairs", "synonyms", "antonyms")
)  # fmt: skip
FILES = "Files"  # the panel of flags about reading them
_VECTORS = frozenset(
    ("vectors", "old", "new", "spaces", "start", "pooling", "path", "allow_host", "browser")
)  # of commands that read files of vectors


def _shared(name: str, help: str, kind: Any = str) -> inspect.Parameter:
    flag = typer.Option(help=help, metavar="NAME" if kind is str else None, show_default=False, rich_help_panel=FILES)
    return inspect.Parameter(name, _KEYWORD, default=None, annotation=Annotated[kind | None, flag])


_ENCODING = _shared(
    "encoding",
    "Encoding of all texts, lists and text files of vectors that are read, such as cp1252, utf-16 or gb18030. Default: "
    "that of a byte order mark, or UTF-8, or the one that fits.",
)
_READING_VECTORS = (
    _shared("errors", "Bytes of words that cannot be decoded: strict, replace, ignore or surrogateescape."),
    _shared("duplicates", "Words that a file of vectors repeats: raise, or first or warn, which keep the first."),
    _shared("separator", "Separator between the fields of a text file of vectors; \\t is a tab."),
    _shared("dim", "Width of a text file of vectors whose words contain spaces.", int),
)
_ONE_DASH = re.compile(r"-([A-Za-z][\w-]+)(=.*)?")
SETTINGS = {"help_option_names": ["-h", "--help"], "token_normalize_func": one_spelling}  # of every command


@dataclasses.dataclass(frozen=True)
class Flags:
    """Flags for the fields of an options dataclass.

    Where the dataclass names its `common_options`, the help shows the others under "Advanced".

    Attributes:
        kind: the dataclass.
        panel: heading in the help of the flags that have none of their own.
        without: fields that have no flag.
        defaults: an instance whose values the help shows as defaults, where they are not the dataclass's own.
        renamed: names of flags that differ from the field's, where the command has a flag of that name.
    """

    kind: type
    panel: str | None = None
    without: frozenset[str] = frozenset()
    defaults: Any = None
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def parameters(self) -> Iterable[inspect.Parameter]:
        """Yield a keyword parameter per field; its default None means that the flag was not given."""
        hints = typing.get_type_hints(self.kind)
        for field in self._fields():
            if not field.metadata:
                yield inspect.Parameter(field.name, _KEYWORD, default=field.default, annotation=field.type)
                continue
            # An option with choices takes one of their names on the command line, even if Python code may pass objects.
            simple = str if field.metadata["choices"] else _simple_type(hints[field.name])
            if simple is not None:
                yield self._parameter(field, simple)

    def select(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the command's values that belong to this dataclass and were given."""
        flags = {field.name: self.renamed.get(field.name, field.name) for field in self._fields()}
        return {name: values[flag] for name, flag in flags.items() if values.get(flag) is not None}

    def expected(self) -> dict[str, str]:
        """Return what each flag of a number expects, by the name of its parameter."""
        return {
            self.renamed.get(field.name, field.name): text
            for field in self._fields()
            if field.metadata and (text := expected_number(field))
        }

    def _fields(self) -> list[dataclasses.Field[Any]]:
        return [field for field in dataclasses.fields(self.kind) if _is_flag(field) and field.name not in self.without]

    def _parameter(self, field: dataclasses.Field[Any], simple: type) -> inspect.Parameter:
        name = self.renamed.get(field.name, field.name)
        dashed = name.replace("_", "-")
        common = getattr(self.kind, "common_options", (field.name,))
        info = typer.Option(
            f"--{dashed}/--no-{dashed}" if simple is bool else f"--{dashed}",
            help=_help(field, field.default if self.defaults is None else getattr(self.defaults, field.name)),
            show_default=False,
            metavar="NAME" if field.metadata["choices"] else None,
            rich_help_panel=self.panel if field.name in common else ADVANCED,
        )
        annotation = Annotated[simple | None, info]  # type: ignore[valid-type]  # built at run time, for typer to read
        return inspect.Parameter(name, _KEYWORD, default=None, annotation=annotation)


def _is_flag(field: dataclasses.Field[Any]) -> bool:
    return bool(field.metadata) or hasattr(field.type, "__metadata__")


class Group(TyperGroup):
    """A group of commands, whose help shows flags as that of a command does; it knows other programs' names."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name; what is meant by an unknown name goes into the error."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            name = one_spelling(args[0]).lower()
            advice = f"{ctx.command_path} {name}" if name in self.commands else hints.command(ctx.command_path, name)
            advice = hints.configuration(args[0]) or advice or hints.file_command(ctx.command_path, args[0])
            if advice is not None and hasattr(error, "message"):
                error.message = f"No such command {args[0]!r}; use {advice}"
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help. The program ends after it."""
        _shorten_flags(self.get_params(ctx))
        super().format_help(ctx, formatter)


class Commands(Group):
    """The program. It suggests the right flag for one of another program."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the arguments name."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if hasattr(error, "option_name") and hasattr(error, "possibilities"):  # NoSuchOption, of typer's own click
                _suggest_flag(error)
            raise


class Command(TyperCommand):
    """A command: its errors name flags, two outputs are refused, and help shows a yes-or-no flag as `--[no-]tie`."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the command line; the error about a value of the wrong type says what is expected."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except Exception as error:
            explain_value(error, vars(self.callback).get(EXPECTED, {}))
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command; errors about options name its flags. A training that goes on from a checkpoint says so."""
        RUNNING.update(flags_of(self.params, vars(self.callback).get(RENAMED, {})))
        try:
            with showing_log("firth.checkpoints", ctx.params.get("quiet", False)):
                return super().invoke(ctx)
        except (OptionError, CorpusError, FormatError, RareWordError) as error:
            name_flags(error, self.params, vars(self.callback).get(RENAMED, {}))
            raise

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; an output that is given twice is a mistake, where click would use the last."""
        names = [name for flag in self.params if flag.name == "output" for name in flag.opts if name.startswith("-")]
        short = tuple(name for name in names if not name.startswith("--"))  # a value may follow at once: -oFILE
        outputs = [arg for arg in args if arg.partition("=")[0] in names or (short and arg.startswith(short))]
        if len(outputs) > 1:
            layer = any(flag.name == "output_layer" for flag in self.params)
            advice = "; the output layer of the model is --output-layer" if layer else ""
            raise OptionError(f"{' and '.join(outputs)}: expected one output{advice}")
        return super().parse_args(ctx, self._with_two_dashes(args))

    def _with_two_dashes(self, args: list[str]) -> list[str]:
        """Return the arguments with `-dim 50`, as word2vec and fastText have it, written `--dim 50`."""
        flags = {name for flag in self.params for name in (*flag.opts, *flag.secondary_opts)}
        end = args.index("--") if "--" in args else len(args)

        def two_dashes(argument: str) -> str:
            long = _ONE_DASH.fullmatch(argument)
            if long and (f"--{one_spelling(long[1])}" in flags or argument[:2] not in flags):
                return f"-{argument}"
            return argument

        return [two_dashes(argument) if i < end else argument for i, argument in enumerate(args)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help. The program ends after it."""
        _shorten_flags(self.get_params(ctx))
        super().format_help(ctx, formatter)


def _shorten_flags(parameters: Iterable[Any]) -> None:
    for flag in parameters:
        if isinstance(flag, TyperArgument):  # Python's names of types, such as <list[str]>, help nobody here
            vars(flag)["display_type_rich"] = lambda ctx: None
        if getattr(flag, "is_flag", False):
            flag.metavar = ""
        if flag.secondary_opts:
            flag.opts, flag.secondary_opts = [f"--[no-]{flag.opts[0].removeprefix('--')}"], []


def add_command(app: typer.Typer, name: str, run: Callable[..., None], **shown: Any) -> None:
    """Add a command to an app; its help is its docstring, and what it shows without arguments."""
    shown = {"cls": Command, "help": paragraphs(run), "no_args_is_help": True, **shown}
    app.command(name, **shown)(with_reading(run))


def with_reading(run: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the flags of how files are read: those of texts, of vectors, or of both."""
    parameters = inspect.signature(run).parameters
    converts = "source" in parameters and "target" in parameters
    vectors = converts or not _VECTORS.isdisjoint(parameters)
    texts = not _READS.isdisjoint(parameters) or ("source" in parameters and "model" in parameters)
    more = [*([_ENCODING] if texts or vectors else []), *(_READING_VECTORS if vectors else [])]
    more = [parameter for parameter in more if parameter.name not in parameters]
    if not more:
        return run

    def read(**values: Any) -> None:
        options = {parameter.name: values.pop(parameter.name) for parameter in more}
        encoding, separator = options.pop("encoding", None), options.get("separator")
        if separator is not None:
            options["separator"] = separator.replace("\\t", "\t")
        with text_encoding(encoding), reading_vectors(**options):
            run(**values)

    result = as_command(read, run, [*parameters.values(), *more])
    vars(result).update({name: vars(run)[name] for name in (EXPECTED, RENAMED) if name in vars(run)})
    return result


def _suggest_flag(error: Any) -> None:
    """Add the flag that is probably meant, and its help, to the error about an unknown flag."""
    command = error.ctx.command
    flags = {
        flag.lstrip("-").replace("-", "_"): (flag, parameter)
        for parameter in command.params
        for flag in parameter.opts
        if flag.startswith("-")
    }
    given = error.option_name.lstrip("-").replace("-", "_").rpartition(".")[2]  # spaCy: --training.dropout
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    usage = [*(item.metavar or item.name.upper() for item in arguments), *(["-o OUT"] if "o" in flags else [])]
    advice = hints.flag(error.ctx.command_path, given, flags, [argument.name for argument in arguments], usage)
    name = hints.same(given, flags) if advice is None else None
    if name is not None:
        flag, parameter = flags[name]
        value = "".join(hints.table("values").get(given, [""])[:1]).strip("'")
        advice = f"use {flag} {value}".rstrip() + f": {parameter.help}"
    elif advice is None and "minutes" in flags:
        advice = hints.training(given)
        advice = advice and in_flags(advice, {name: flag for name, (flag, _) in flags.items()})
    if advice is not None:
        error.message += f"; {advice}"
        error.possibilities = []
    else:
        near = {flags[near_name][0] for near_name in hints.near_names(given, flags)}
        error.possibilities = [flag for flag in error.possibilities or () if flag in near]


def with_flags(command: Callable[..., None], flags: Iterable[Flags], **fixed: Any) -> Callable[..., None]:
    """Return a command whose `**options` are replaced by the flags of option dataclasses.

    The help lists the command's own flags first, then those of the dataclasses in order.

    Args:
        command: a function whose last parameter is `**options`.
    """
    own = [
        parameter
        for name, parameter in inspect.signature(command).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD and name not in fixed
    ]
    parameters = [*(parameter for group in flags for parameter in group.parameters()), *own]
    panels = list(dict.fromkeys([None, *(group.panel for group in flags)]))
    parameters.sort(key=lambda parameter: _place(_panel(parameter), panels))
    result = as_command(lambda **values: command(**fixed, **values), command, parameters)
    vars(result)[EXPECTED] = {name: text for group in flags for name, text in group.expected().items()}
    vars(result)[RENAMED] = {
        name: f"--{flag.replace('_', '-')}" for group in flags for name, flag in group.renamed.items()
    }
    return result


def as_command(
    run: Callable[..., None], documented: Callable[..., Any], parameters: Iterable[inspect.Parameter]
) -> Callable[..., None]:
    """Return `run` with the name and docstring of another function and with parameters for typer to read."""

    def command(**values: Any) -> None:
        run(**values)

    keyword_only = [parameter.replace(kind=_KEYWORD) for parameter in parameters]
    command.__doc__, command.__name__ = documented.__doc__, documented.__name__
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword_only}
    vars(command)["__signature__"] = inspect.Signature(keyword_only)
    return command


def _panel(parameter: inspect.Parameter) -> str | None:
    metadata = getattr(parameter.annotation, "__metadata__", (None,))
    return getattr(metadata[0], "rich_help_panel", None)


def _place(panel: str | None, panels: list[str | None]) -> int:
    """The order of panels in the help: "Advanced" comes last."""
    return panels.index(panel) if panel in panels else len(panels)


def _simple_type(hint: Any) -> type | None:
    """The type of a flag for a field; None where no flag can give its value."""
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    for simple in SIMPLE:
        if simple in parts:
            return simple
    return None


def _help(field: dataclasses.Field[Any], default: Any) -> str:
    text, choices = field.metadata["help"], field.metadata["choices"]
    value = ("yes" if default else "no") if isinstance(default, bool) else default
    names = f" One of {', '.join(choices)}." if choices else ""
    if default is None:
        value = SIZE_DEFAULT if may_be_by_size(field) else None
    # typer would show the flag's own default, which is None: not given.
    return f"{text[:1].upper()}{text[1:]}.{names}" + ("" if value is None else f" Default: {value}.")
