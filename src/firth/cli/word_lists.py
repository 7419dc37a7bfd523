"""Lists of words, of groups of words, and of figures, as files that people write."""

import sys
from collections.abc import Iterator
from typing import Any

from firth.errors import FormatError, OptionError
from firth.storage.files import decoded, text_of
from firth.storage.untrusted import parse_json


def read_words(path: str) -> list[str]:
    """Return the words of a file, one a line; - is standard input. What stands behind a tab is left aside.

    Raises:
        FormatError: the file is not UTF-8.
        OSError: it cannot be read.
    """
    return [word for _, line in lines(path) if (word := line.partition("\t")[0].strip())]


def read_poles(given: str) -> tuple[list[str], list[str]]:
    """Return the two poles of an axis, such as `woman:man` or `she,her:he,him`.

    Raises:
        OptionError: there are not two, or one has no word.
    """
    first, colon, second = given.partition(":")
    ends = [[word.strip() for word in end.split(",") if word.strip()] for end in (first, second)]
    if not (colon and all(ends)):
        raise OptionError(f"--poles {given}: expected two poles with a colon between, such as woman:man")
    return ends[0], ends[1]


def read_groups(path: str) -> dict[str, list[str]]:
    """Return groups of words by their names.

    A file of lines holds a word, a tab, and its group on each; one of JSON holds one object, of lists of words by
    group, or of groups by word.

    Raises:
        FormatError: the file holds something else.
        OSError: it cannot be read.
    """
    content = list(lines(path))
    if content and content[0][1].startswith("{"):
        return _groups_of_json(path, "\n".join(line for _, line in content))
    groups: dict[str, list[str]] = {}
    for number, line in content:
        word, tab, group = line.partition("\t")
        if not (tab and word.strip() and group.strip()):
            raise FormatError(f"{path} line {number}: {line[:60]!r}; expected a word, a tab and its group")
        groups.setdefault(group.strip(), []).append(word.strip())
    return groups


def _groups_of_json(path: str, content: str) -> dict[str, list[str]]:
    try:
        told = parse_json(content)
    except ValueError as error:
        raise FormatError(f"{path}: no JSON object ({error}); expected lists of words by group") from None
    groups: dict[str, list[str]] = {}
    for name, value in told.items():
        if isinstance(value, str):
            groups.setdefault(value, []).append(name)
        elif isinstance(value, list) and all(isinstance(word, str) for word in value):
            groups[name] = value
        else:
            raise FormatError(f"{path}: {name!r} has {value!r}; expected a list of words, or the name of a group")
    return groups


def read_objects(path: str) -> list[dict[str, Any]]:
    """Return the JSON objects of a file, one a line; - is standard input.

    Raises:
        FormatError: a line holds something else.
        OSError: the file cannot be read.
    """
    found = []
    for number, line in lines(path):
        try:
            found.append(dict(parse_json(line)))
        except (ValueError, TypeError):
            raise FormatError(f"{path} line {number}: {line[:60]!r}; expected a JSON object a line") from None
    return found


def lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that hold something, with their numbers from 1.

    Raises:
        FormatError: the file is not UTF-8.
        OSError: it cannot be read.
    """
    text = decoded(sys.stdin.buffer.read(), "standard input") if path == "-" else text_of(path)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")
