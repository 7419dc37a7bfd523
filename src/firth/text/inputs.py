"""Check the texts and words that callers pass to trained models.

Iterating over a string would give its letters, over bytes numbers, and over a data frame its column names. All of these
are refused where a list of texts or words is expected.
"""

import contextlib
import numbers
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from firth.errors import ArgumentTypeError, OptionError, brief
from firth.options import wrong_kind

Text = str | Sequence[str]
HOLE = "[]"  # in place of a word
_NAMED = 8  # columns named in a message


def check_text(text: Any, name: str = "text") -> None:
    """Check that a value is a text."""
    if not isinstance(text, str):
        raise wrong_kind(name, text, "a text (str)")


def check_position(position: Any, words: Sequence[str]) -> None:
    """Check that a position is that of a word of a sentence, from 0."""
    whole = isinstance(position, numbers.Integral) and not isinstance(position, bool)
    if not words:
        raise OptionError(f"position={brief(position)}: the sentence has no word; expected one at least")
    if not whole or not 0 <= position < len(words):
        raise OptionError(
            f"position={brief(position)}: expected a whole number from 0 to {len(words) - 1}, for the "
            f"words {brief(words)}"
        )


def read_place(
    sentence: Any, position: Any, *, split: Callable[[str], list[str]], filler: str, marks: Sequence[str] = (HOLE,)
) -> tuple[list[str], int]:
    """Return the words of a sentence, and the place of one of them.

    Args:
        sentence: a text or words with a mark in place of the word; or without one.
        position: of the word, from 0; None for a text with a mark.
        filler: the word that is put in place of a mark.
        marks: of which a text has one.
    """
    if isinstance(sentence, str):
        mark = next((word for word in marks if word in sentence), None)
        if mark is not None:
            if position is not None or sentence.count(mark) > 1:
                raise OptionError(f"{brief(sentence)}: expected one {mark}, and then no position")
            left, right = map(split, sentence.split(mark))
            return [*left, filler, *right], len(left)
        words = split(sentence)
    elif isinstance(sentence, Sequence) and all(isinstance(word, str) for word in sentence):
        words = list(sentence)
        marked = [position for position, word in enumerate(words) if word in marks]
        if position is None and len(marked) == 1:
            return [*words[: marked[0]], filler, *words[marked[0] + 1 :]], marked[0]
    else:
        raise ArgumentTypeError(f"sentence: found {brief(sentence)}, expected a text or a list of words")
    if position is None:
        raise OptionError(f"{brief(sentence)}: which word? Give its position, or write {HOLE} in its place")
    check_position(position, words)
    return words, int(position)


def check_items(values: Any, name: str = "texts", what: str = "text") -> Iterable[Any]:
    """Check that a value is a collection of texts or words, and return it as an iterable.

    Args:
        values: a list, an array, a series or another iterable.
        name: name of the argument, for error messages.
        what: name of an item, for error messages.
    """
    if what in ("text", "sentence"):
        check_no_file(values, name, f"a list of {what}s")
    if isinstance(values, str):
        cure = "split the text first" if what == "word" and " " in values else f"put a {what} into a list"
        raise ArgumentTypeError(f"{name}={values[:40]!r}: expected a list of {what}s; {cure}")
    columns = table_columns(values)
    if columns is not None:
        kind = type(values)
        names = ", ".join(map(repr, columns[:_NAMED])) + (", ..." if len(columns) > _NAMED else "")
        column = next((column for column in columns if column == "text"), columns[0] if columns else "text")
        method = next((f".{way}()" for way in ("collect", "df") if hasattr(kind, way)), "")
        library = kind.__module__.partition(".")[0].removeprefix("_")
        kind_name = f"the {library} {kind.__name__}" if library != "builtins" else f"a {kind.__name__}"
        raise ArgumentTypeError(
            f"{name}: found {kind_name} with the columns {names}; expected a list of {what}s: pass one of its columns, "
            f"such as table{method}[{column!r}]"
        )
    if isinstance(values, bytes | bytearray) or not isinstance(values, Iterable):
        raise wrong_kind(name, values, f"a list of {what}s")
    to_list = getattr(values, "to_pylist", None)  # items of Arrow arrays are not Python strings
    return to_list() if callable(to_list) else values


def check_no_file(value: Any, name: str, expected: str) -> None:
    """Refuse the path of a file where texts are expected.

    Args:
        name: name of the argument, for error messages.
        expected: what it should be, for error messages.
    """
    if _is_file(value):
        opened = f"open({str(value)!r}, encoding='utf-8')"
        raise ArgumentTypeError(
            f"{name}: found the path of a file; expected {expected}; {opened} gives its lines, with .read() all of it"
        )


def _is_file(value: Any) -> bool:
    with contextlib.suppress(OSError, ValueError):  # a long text, or one with a zero byte, is no path
        return isinstance(value, str | os.PathLike) and Path(value).is_file()
    return False


def checked_texts(texts: Any, name: str = "texts", first: int = 0) -> list[Text]:
    """Return texts as a list of strings and lists of tokens.

    Args:
        texts: strings, or iterables of tokens.
        name: name of the argument, for error messages.
        first: place of the first of them, for error messages.
    """
    return [
        text if isinstance(text, str) else _tokens(text, f"{name}[{i}]")
        for i, text in enumerate(check_items(texts, name), first)
    ]


def token_lists(texts: Any, split: Callable[[str], Sequence[str]], name: str = "texts") -> list[Sequence[str]]:
    """Return the tokens of each text.

    Args:
        texts: strings, or lists of tokens, which are kept.
        name: name of the argument, for error messages.
    """
    return [
        split(text) if isinstance(text, str) else _tokens(text, f"{name}[{i}]")
        for i, text in enumerate(check_items(texts, name))
    ]


def _tokens(value: Any, name: str) -> list[str]:
    if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
        raise wrong_kind(name, value, "a text (str) or a list of its words")
    tokens = list(value)
    for token in tokens:
        if not isinstance(token, str):
            raise wrong_kind(f"a word of {name}", token, "a text (str)")
    return tokens


def table_columns(value: Any) -> list[Any] | None:
    """Return the column names of a table of any library, or None if the value is not a table."""
    if isinstance(value, Mapping):
        return list(value)
    kind = type(value)
    if hasattr(kind, "collect_schema") and hasattr(kind, "columns"):  # polars: `columns` of a lazy frame warns
        return list(value.collect_schema().names())
    names = next((name for name in ("column_names", "columns") if hasattr(kind, name)), None)
    if names is not None and hasattr(value, "__getitem__"):
        return list(getattr(value, names))
    schema = getattr(value, "schema", None) if hasattr(kind, "read_next_batch") else None  # an Arrow stream
    return None if schema is None else list(schema.names)


Label = str | numbers.Real


def plain_labels(labels: Any, name: str = "labels", what: str = "text") -> list[Label | None]:
    """Return labels as strings and numbers, and None for those that are missing: None, NaN, NaT, NA, masked ones.

    Args:
        labels: a list, a column of a table, or an array or tensor of one dimension.
        what: has a label each, for messages.
    """
    expected = f"a list with the label of each {what}"
    if isinstance(labels, str | bytes | Mapping | Set) or not hasattr(labels, "__len__"):
        raise ArgumentTypeError(f"{name}: found {brief(labels)}, expected {expected}")
    if getattr(labels, "ndim", 1) != 1:
        raise ArgumentTypeError(
            f"{name}: an array of the shape {tuple(labels.shape)}, expected {expected}: one dimension"
        )
    # NumPy, PyTorch and pandas have the one; Arrow the other
    to_list = next((getattr(labels, way) for way in ("tolist", "to_pylist") if hasattr(labels, way)), None)
    values = list(labels) if to_list is None else to_list()
    return [_plain(value, f"{name}[{row}]") for row, value in enumerate(values)]


def _plain(value: Any, name: str) -> Label | None:
    if getattr(value, "ndim", None) == 0:  # a scalar of NumPy or PyTorch
        value = value.tolist()
    if value is None or (not isinstance(value, Iterable) and _is_missing(value)):
        return None
    if not isinstance(value, str | numbers.Real):
        raise wrong_kind(name, value, "a string or a number")
    return value


def _is_missing(value: Any) -> bool:
    """NaN and NaT are not equal to themselves; whether NA is, it refuses to say."""
    try:
        return not bool(value == value)
    except TypeError:
        return True
