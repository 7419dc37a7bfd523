"""Passages of a source as they are written, with the numbers of their lines: what a corpus shows of its text.

What: a passage is what stands between two blank lines, so that a sentence goes on over wrapped lines; or a row of a
    table, or a text of a list. A long one comes in pieces that overlap, and each place belongs to one of them.
Cost: memory of a passage, at most a piece and its margins.
"""

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firth.corpus.contents import TextStream, contents, is_blank, without_hyphen
from firth.corpus.options import CorpusOptions
from firth.corpus.reading_progress import Meter
from firth.corpus.sources import Files, Items, Source, StandardInput
from firth.errors import CorpusError
from firth.text.markup import with_whole_tags, without_markup

PIECE = 1 << 16  # characters of a passage that are looked at at once
_LINE = 1 << 12  # characters of a line that is not cut
_BREAK = re.compile(r".*\s|.*[^\w\s]", re.DOTALL)


@dataclass(frozen=True)
class Passage:
    """Text between two blank lines, a row or a text of a source, or a piece of one.

    Attributes:
        file: name of the file; "-" for standard input, "" for texts that are no file.
        text: as it is written; words that a hyphen divides at the end of a line are joined where the corpus does.
        starts: where each line, row or text starts in it.
        numbers: the number of each, from 1.
        begin: the first place that belongs to this piece; what is before it is there to be read.
        end: one past the last.
        tokens: whether it is a list of tokens, with spaces between them.
    """

    file: str
    text: str
    starts: Sequence[int]
    numbers: Sequence[int]
    begin: int
    end: int
    tokens: bool = False

    def line(self, position: int) -> int:
        """Return the number of the line, row or text at a place."""
        return self.numbers[bisect.bisect_right(self.starts, position) - 1]

    def line_span(self, position: int) -> tuple[int, int]:
        """Return where the line at a place begins and ends."""
        number = bisect.bisect_right(self.starts, position)
        return self.starts[number - 1], self.starts[number] if number < len(self.starts) else len(self.text)


@dataclass(frozen=True)
class Reading:
    """How passages are read.

    Attributes:
        margin: characters before and after a piece of a long passage that can be read, too.
        by_line: whether each line is a passage.
    """

    options: CorpusOptions
    margin: int
    by_line: bool = False


def passages(source: Source, meter: Meter, reading: Reading) -> Iterator[Passage]:
    """Yield the passages of a source."""
    options = reading.options
    for name, content in contents(source, meter):
        file = {Files: name, StandardInput: "-", Items: ""}[type(source)]
        if isinstance(content, TextStream) and not content.together:
            yield from _items(file, content, reading)
        else:
            lines = (line for group in content.texts(name) for line in group)
            yield from _between_blank_lines(file, _numbered(lines, options), reading)


def _items(file: str, content: TextStream, reading: Reading) -> Iterator[Passage]:
    for number, item in enumerate(content.items, 1):
        content.tick()
        if isinstance(item, str):
            text = without_markup(item) if reading.options.markup else item
            lines = ((number, line) for line in text.split("\n"))
            yield from _between_blank_lines(file, lines, reading)
        else:
            text = " ".join(_checked(item, number))
            yield Passage(file, text, [0], [number], 0, len(text), tokens=True)


def _checked(item: Any, number: int) -> list[str]:
    if isinstance(item, bytes) or not isinstance(item, Iterable):
        raise CorpusError(f"item {number - 1} is {item!r:.60}; expected texts, or lists of tokens")
    return [str(token) for token in item]


def _numbered(lines: Iterable[str], options: CorpusOptions) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers from 1; one without its markup keeps the number of its first line."""
    number = 1
    for line in with_whole_tags(lines) if options.markup else lines:
        for part in without_markup(line).split("\n") if options.markup else (line,):
            yield number, part
        number += line.count("\n") + 1


def _between_blank_lines(file: str, lines: Iterable[tuple[int, str]], reading: Reading) -> Iterator[Passage]:
    held, begin, margin = _Held(reading.options.joins_hyphens), 0, reading.margin
    for number, line in lines:
        if is_blank(line):
            if held.size:
                yield held.passage(file, begin)
                held, begin = _Held(reading.options.joins_hyphens), 0
            continue
        for part in _parts(line):
            held.add(number, part)
            if held.size > PIECE + 2 * margin:
                end, kept = held.cut(margin)
                yield held.passage(file, begin, end)
                begin = end - kept
                held = held.after(kept)
        held.end_line()
        if reading.by_line:
            yield held.passage(file, begin)
            held, begin = _Held(reading.options.joins_hyphens), 0
    if held.size:
        yield held.passage(file, begin)


def _parts(line: str) -> Iterator[str]:
    """Yield a line, or its parts if it is long: each ends behind white space, or at least behind no letter."""
    start = 0
    while len(line) - start > _LINE:
        part = _BREAK.match(line, start, start + _LINE)
        end = part.end() if part is not None and part.end() > start else start + _LINE
        yield line[start:end]
        start = end
    yield line[start:] if start else line


class _Held:
    """The lines of a passage so far."""

    def __init__(self, joins: bool) -> None:
        self._joins = joins
        self.size = 0  # characters
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._numbers: list[int] = []

    def add(self, number: int, part: str) -> None:
        """Add a line, or a part of one."""
        if self._joins and self._parts and (joined := without_hyphen(self._parts[-1], part)) is not None:
            self.size -= len(self._parts[-1]) - len(joined[0])
            self._parts[-1], part = joined
        self._parts.append(part)
        self._starts.append(self.size)
        self._numbers.append(number)
        self.size += len(part)

    def end_line(self) -> None:
        """End the line of the last part."""
        self._parts[-1] += "\n"
        self.size += 1

    def cut(self, margin: int) -> tuple[int, int]:
        """Return where a piece may end, so that a margin follows, and the place of the margin before the next piece."""
        last = max(1, bisect.bisect_right(self._starts, self.size - margin) - 1)
        first = max(0, bisect.bisect_right(self._starts, self._starts[last] - margin) - 1)
        return self._starts[last], self._starts[first]

    def after(self, position: int) -> "_Held":
        """Return what starts at a place, the start of a part."""
        number = bisect.bisect_left(self._starts, position)
        rest = _Held(self._joins)
        rest._parts, rest._numbers = self._parts[number:], self._numbers[number:]
        rest._starts = [start - position for start in self._starts[number:]]
        rest.size = self.size - position
        return rest

    def passage(self, file: str, begin: int, end: int | None = None) -> Passage:
        """Return the passage, of which a piece belongs to it."""
        text = "".join(self._parts)
        return Passage(file, text, self._starts, self._numbers, begin, len(text) if end is None else end)
