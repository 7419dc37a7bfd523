"""Messages about the values of flags, in one form: `--dim fifty: expected a whole number of at least 1`."""

import ast
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

# Attributes of a command.
EXPECTED = "expected"  # name of a parameter: what its value should be
RENAMED = "renamed"  # name of an option: its flag, where that is called otherwise; "" where it has none
_KINDS = {"int": "a whole number", "float": "a number", "bool": "yes or no"}  # by the start of pydantic's names
_PAIR = re.compile(r"(?<![\w:'\"./-])(?P<name>\w+)=(?P<value>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[\w+-]+(?:\.\w+)?)")
_NAME = re.compile(r"(?<![\w:'\"./-])(?P<name>\w+)=(?=[\s;,.]|$)")  # "name the column with column="
RUNNING: dict[str, str] = {}  # flags of the command that runs, by the names of options, for warnings of any thread
_CALL = re.compile(r"(\([^()]*\))")


def explain_value(error: Exception, expected: Mapping[str, str]) -> None:
    """Word the error about a value of the wrong type as firth words its own.

    Args:
        error: of typer; others stay as they are.
    """
    parameter, cause = getattr(error, "param", None), error.__cause__
    problems: list[Any] = getattr(cause, "errors", list)()
    if parameter is None or not problems:
        return
    first = problems[0]
    what = expected.get(parameter.name) or _kind(first)
    if what is not None:
        message = f"{parameter.opts[0]} {shlex.quote(str(first['input']))}: expected {what}"
        vars(error)["format_message"] = lambda: message


def _kind(problem: Mapping[str, Any]) -> str | None:
    bounds = problem.get("ctx", {})
    if "ge" in bounds:
        return f"a number of at least {bounds['ge']}"
    return _KINDS.get(problem["type"].partition("_")[0])


def name_flags(error: Exception, parameters: Iterable[Any], renamed: Mapping[str, str]) -> None:
    """Make an error of a command name flags instead of options of Python: `--dim 0` for `dim=0`.

    Args:
        renamed: names of options whose flags are called otherwise: name of the option: the flag.
    """
    error.args = (in_flags(str(error), flags_of(parameters, renamed)),)


def flags_of(parameters: Iterable[Any], renamed: Mapping[str, str]) -> dict[str, str]:
    """Return the flags of a command by the names of options; arguments are those of `name_flags`."""
    flags = {}
    for parameter in parameters:
        if parameter.param_type_name == "option":
            flags[parameter.name] = parameter.opts[0]
            flags |= {flag.lstrip("-").replace("-", "_"): flag for flag in parameter.opts}
    return {name: flag for name, flag in {**flags, **renamed}.items() if flag}


def in_flags(message: str, flags: Mapping[str, str]) -> str:
    """Return a message with flags in place of options; what stands in parentheses is Python and stays.

    >>> in_flags("top_k=0: expected a whole number of at least 1", {"top_k": "--top-k"})
    '--top-k 0: expected a whole number of at least 1'
    """
    parts = _CALL.split(message)
    return "".join(part if i % 2 else _in_flags(part, flags) for i, part in enumerate(parts))


def _in_flags(message: str, flags: Mapping[str, str]) -> str:
    message = _PAIR.sub(lambda pair: _flag(pair, flags), message)
    return _NAME.sub(lambda name: flags.get(name["name"], name[0]), message)


def _flag(pair: re.Match[str], flags: Mapping[str, str]) -> str:
    flag, value = flags.get(pair["name"]), pair["value"]
    if flag is None:
        return pair[0]
    if value in ("True", "False"):
        return flag if value == "True" else f"--no-{flag.removeprefix('--')}"
    quoted = value.startswith(("'", '"'))
    return f"{flag} {shlex.quote(str(ast.literal_eval(value))) if quoted else value}"
