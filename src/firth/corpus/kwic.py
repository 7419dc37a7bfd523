"""Occurrences of words, and their aligned lines: the keyword in a column, by the width of what a terminal shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len

WIDTH = 80  # cells
_MARGIN = 22  # cells for file and line
_CUT = "…"


@dataclass(frozen=True)
class Occurrence:
    """A word or phrase in its context: `before + match + after` is the text, with one space for occurrence line end.

    Attributes:
        file: the file; "" where the text came from elsewhere.
        line: number of the line in the file, from 1; of tables the row, of lists of texts the text.
        before: the words before it as they are written, with their punctuation.
        match: the word or phrase as it is written.
        after: the words after it.
        sentence: the whole sentence, which may have begun lines before.
    """

    file: str
    line: int
    before: str
    match: str
    after: str
    sentence: str


def kwic_lines(
    occurrences: Sequence[Occurrence], width: int = WIDTH, margin: int | None = None, *, files: bool | None = None
) -> list[str]:
    """Return occurrence occurrence on a line, with all words looked for below occurrence other.

    Args:
        width: cells of a line; letters of Chinese, Japanese and Korean take two.
        margin: cells of the file and the line; None for what these occurrences need.
        files: whether to show the files; None for where there are several.
    """
    if files is None:
        files = len({occurrence.file for occurrence in occurrences}) > 1
    names = [Path(occurrence.file).name if files else "" for occurrence in occurrences]
    if margin is None:
        room = _MARGIN if files else 0
        longest = (
            cell_len(_position(name, occurrence.line, room))
            for name, occurrence in zip(names, occurrences, strict=True)
        )
        margin = max(longest, default=0)
    return [
        _line(occurrence, _position(name, occurrence.line, margin), width, margin)
        for name, occurrence in zip(names, occurrences, strict=True)
    ]


def _position(name: str, line: int, width: int) -> str:
    """Return a file and a line; a long name loses its end."""
    return f"{_start(name, width - len(str(line)) - 1)}:{line}" if name else f"{line:>{max(0, width)}}"


def _line(occurrence: Occurrence, position: str, width: int, margin: int) -> str:
    left = (width - margin - 4) * 9 // 20
    before = _end(occurrence.before, left)
    behind = _start(f"{occurrence.match}{occurrence.after}", width - margin - 2 - left)
    return f"{_padded(position, margin)}  {' ' * (left - cell_len(before))}{before}{behind}".rstrip()


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _start(text: str, width: int) -> str:
    """Return as much of the beginning of a text as a width takes."""
    if cell_len(text) <= width:
        return text
    shown, used = list[str](), cell_len(_CUT)
    for character in text:
        used += cell_len(character)
        if used > width:
            break
        shown.append(character)
    return "".join(shown) + _CUT


def _end(text: str, width: int) -> str:
    """Return as much of the end of a text as a width takes."""
    if cell_len(text) <= width:
        return text
    shown, used = list[str](), cell_len(_CUT)
    for character in reversed(text):
        used += cell_len(character)
        if used > width:
            break
        shown.append(character)
    return _CUT + "".join(reversed(shown))
