"""Texts and words that a caller gives: what is taken for one, and what is said of anything else.

A string where several are expected would be gone through letter by letter, bytes number by number, and a data frame by
the names of its columns: none of them is read so. Whatever asks a trained model reads its texts and words by this file.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from firth.errors import KindError
from firth.options import wrong_kind

Text = str | Sequence[str]
_SHOWN = 8  # columns of a table that a message names


def check_text(text: Any, name: str = "text") -> None:
    """Check that a value is one text.

    Raises:
        KindError: it is none.
    """
    if not isinstance(text, str):
        raise wrong_kind(name, text, "a text (str)")


def several(given: Any, name: str = "texts", what: str = "text") -> Iterable[Any]:
    """Return several texts or words as they can be gone through.

    Args:
        given: a list, an array, a series or whatever else gives them one by one.
        name: of the argument, for messages.
        what: each of them is called.

    Raises:
        KindError: it is a string, bytes, a table, or nothing that gives items.
    """
    if isinstance(given, str):
        cure = "split the text first" if what == "word" and " " in given else f"put a {what} into a list"
        raise KindError(f"{name}={given[:40]!r}: expected a list of {what}s; {cure}")
    columns = _columns(given)
    if columns is not None:
        kind = type(given)
        named = ", ".join(map(repr, columns[:_SHOWN])) + (", ..." if len(columns) > _SHOWN else "")
        column = next((each for each in columns if each == "text"), columns[0] if columns else "text")
        computed = next((f".{way}()" for way in ("collect", "df") if hasattr(kind, way)), "")
        library = kind.__module__.partition(".")[0].removeprefix("_")
        found = f"the {library} {kind.__name__}" if library != "builtins" else f"a {kind.__name__}"
        raise KindError(
            f"{name}: found {found} with the columns {named}; expected a list of {what}s: pass one of its columns, "
            f"such as table{computed}[{column!r}]"
        )
    if isinstance(given, bytes | bytearray) or not isinstance(given, Iterable):
        raise wrong_kind(name, given, f"a list of {what}s")
    to_list = getattr(given, "to_pylist", None)  # the values of Arrow's arrays are no strings of Python's
    return to_list() if callable(to_list) else given


def token_lists(given: Any, split: Callable[[str], Sequence[str]], name: str = "texts") -> list[Sequence[str]]:
    """Return the tokens of each of several texts.

    Args:
        given: texts, each a string or a list of its tokens.
        split: what makes tokens of a string; tokens that are given stay as they are.
        name: of the argument, for messages.

    Raises:
        KindError: it is nothing that gives texts, or one of them is none.
    """
    return [
        split(text) if isinstance(text, str) else _tokens(text, f"{name}[{place}]")
        for place, text in enumerate(several(given, name))
    ]


def _tokens(given: Any, name: str) -> list[str]:
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise wrong_kind(name, given, "a text (str) or a list of its words")
    tokens = list(given)
    for token in tokens:
        if not isinstance(token, str):
            raise wrong_kind(f"a word of {name}", token, "a text (str)")
    return tokens


def _columns(given: Any) -> list[Any] | None:
    """Return the names of a table's columns, and None for what is no table, whichever library holds it."""
    if isinstance(given, Mapping):
        return list(given)
    kind = type(given)
    if hasattr(kind, "collect_schema") and hasattr(kind, "columns"):  # of polars: to ask a query for columns warns
        return list(given.collect_schema().names())
    names = next((name for name in ("column_names", "columns") if hasattr(kind, name)), None)
    if names is not None and hasattr(given, "__getitem__"):
        return list(getattr(given, names))
    schema = getattr(given, "schema", None) if hasattr(kind, "read_next_batch") else None  # an Arrow stream
    return None if schema is None else list(schema.names)
