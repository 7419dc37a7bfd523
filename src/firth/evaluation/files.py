"""Gold files: lines and tables for every instrument's reader, and the formats of word pairs and analogy questions."""

import csv
import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.storage.files import text_of

PathLike = str | os.PathLike[str]
Row = tuple[int, list[str]]  # line number, fields

_PART_OF_SPEECH = re.compile(r".-[a-z]$")  # MEN's lemma form: sun-n, sunny-j, shine-v
_RELATION = re.compile(r"[A-Z$]+_[A-Z$]+$")  # the label of a line in Microsoft's set: JJ_JJR


@dataclass(frozen=True)
class ScoredPairs:
    """Word pairs with the similarity that people gave them.

    Attributes:
        pairs: n pairs of words.
        scores: (n,) float64, on any scale.
    """

    pairs: Sequence[tuple[str, str]]
    scores: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Questions:
    """Analogy questions: a is to b as c is to d.

    Attributes:
        words: n quadruples (a, b, c, d); d is the answer.
        sections: n names, the section that each question stands in; "" where the file has none.
    """

    words: Sequence[tuple[str, str, str, str]]
    sections: Sequence[str]


def read_pairs(path: PathLike) -> ScoredPairs:
    """Read scored word pairs: `word1 word2 score` in columns, whatever else stands there.

    Columns are parted by tabs, commas, semicolons or spaces, found from the first line. Empty lines and lines that
    begin with `#` are passed over, and so is one header line. The score is the first column of numbers to the right
    of the words; a column of one- or two-letter labels beside the words (the part of speech in SimLex-999's table,
    the relation in WordSim-353's split by Agirre) is not a word. Where every word ends in `-` and a letter, as in
    MEN's lemma form, that is taken off.

    Args:
        path: the file, UTF-8.

    Raises:
        FormatError: a line has no two words and a score; the message says which.
        OSError: the file cannot be read.
    """
    rows = _split_alike(lines(path), path)
    first, second, score = _columns([fields for _, fields in rows], path)
    if _is_title(rows[0][1][score]) and len(rows) > 1:
        rows = rows[1:]
    words = [(fields[first], fields[second]) for _, fields in rows]
    if all(_PART_OF_SPEECH.search(word) for pair in words for word in pair):
        words = [(one[:-2], other[:-2]) for one, other in words]
    return ScoredPairs(words, np.array([finite(fields[score], f"{path} line {number}") for number, fields in rows]))


def read_questions(path: PathLike) -> Questions:
    """Read analogy questions: four words a line, under `: section` lines or with a relation's label beside them.

    Args:
        path: the file, UTF-8: Google's questions-words.txt, Microsoft's set with the answers as fourth column, and
            what is written like these.

    Raises:
        FormatError: a line is neither a section nor four words; the message says which.
        OSError: the file cannot be read.
    """
    words, sections, section = [], [], ""
    for number, line in lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        fields, label = _without_label(line.split())
        if len(fields) != 4:
            raise FormatError(f"{path} line {number}: {len(fields)} words, expected 4 (a b c d) or ': section'")
        words.append((fields[0], fields[1], fields[2], fields[3]))
        sections.append(label or section)
    if not words:
        raise FormatError(f"{path}: no questions, only section lines; expected lines of 4 words")
    return Questions(words, sections)


def lines(path: PathLike, *, damaged: str = "strict", comments: bool = True) -> list[tuple[int, str]]:
    """Return the numbered lines of a file that say something, without the white space around them.

    Args:
        path: the file, UTF-8, plain or packed with gzip (`.gz`).
        damaged: what becomes of bytes that are not UTF-8: "strict" refuses the file, "replace" reads them as U+FFFD,
            for published files that hold some.
        comments: whether lines that begin with `#` are comments, and passed over.

    Raises:
        FormatError: the file is not UTF-8 text, not gzip's though it is named so, or says nothing.
        OSError: the file cannot be read.
    """
    # Not splitlines: it also breaks at U+0085 and the like, which may stand inside a word.
    found = [(number, line.strip("\r\n ")) for number, line in enumerate(text_of(path, damaged=damaged).split("\n"), 1)]
    found = [(number, line) for number, line in found if line.strip() and not (comments and line.startswith("#"))]
    if not found:
        raise FormatError(f"{path}: empty; expected text, an item a line")
    return found


def named_columns(path: PathLike, names: Sequence[str]) -> list[Row]:
    """Read columns of a table by the names in its heading, whatever their order and whatever else stands there.

    Args:
        path: comma- or tab-separated, UTF-8; fields may be quoted.
        names: of the columns wanted.

    Returns:
        For each row below the heading the line that it begins on, and its fields in the order of `names`.

    Raises:
        FormatError: a name is not in the heading, a row has another width, or a quote is left open.
        OSError: the file cannot be read.
    """
    wanted = ", ".join(names)
    rows = _table(path)
    if not rows:
        raise FormatError(f"{path}: empty; expected a table with the columns {wanted}")
    (_, heading), *body = rows
    missing = [name for name in names if name not in heading]
    if missing:
        raise FormatError(f"{path} line 1: no column {missing[0]!r}; expected a heading with the columns {wanted}")
    places = [heading.index(name) for name in names]
    for number, fields in body:
        if len(fields) != len(heading):
            raise FormatError(f"{path} line {number}: {len(fields)} columns, expected {len(heading)} as in the heading")
    return [(number, [fields[place] for place in places]) for number, fields in body]


def _table(path: PathLike) -> list[Row]:
    """Rows that say something; a quoted field may hold separators, and line ends."""
    written = text_of(path).removesuffix("\n").split("\n")
    delimiter = "\t" if "\t" in written[0] else ","
    reader = csv.reader((f"{line}\n" for line in written), delimiter=delimiter, skipinitialspace=True, strict=True)
    rows, first = [], 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                rows.append((first, [field.strip() for field in fields]))
            first = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"{path} line {first}: {error}; expected a table with its quotes closed") from None
    return rows


def _split_alike(numbered: list[tuple[int, str]], path: PathLike) -> list[Row]:
    """Split every line by the separator that parts the first into three fields or more."""
    start = [line for _, line in numbered[:2]][-1]
    separator = next((mark for mark in ("\t", ";", ",") if start.count(mark) >= 2), None)
    rows = [(number, [field.strip().strip('"') for field in line.split(separator)]) for number, line in numbered]
    width = Counter(len(fields) for _, fields in rows).most_common(1)[0][0]
    for number, fields in rows:
        if len(fields) != width or width < 3:
            expected = f"{width}, as on the other lines" if width >= 3 else "two words and a score"
            raise FormatError(f"{path} line {number}: {len(fields)} columns, expected {expected}")
    return rows


def finite_number(field: str) -> float | None:
    """Return the number that a field of a file holds, or None where it is none, or not a finite one."""
    try:
        value = float(field)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _is_title(field: str) -> bool:
    # "nan" and "inf" read as numbers: a score that is one is an error on its line, not a header to pass over.
    return field.lower().lstrip("+-") not in {"", "nan", "inf", "infinity"} and finite_number(field) is None


def _columns(rows: list[list[str]], path: PathLike) -> tuple[int, int, int]:
    """The places of the first word, the second word and the score."""
    width = len(rows[0])
    # A column counts as numbers when most of it is: one bad score is that line's error, not a column of words.
    numeric = [sum(finite_number(row[i]) is not None for row in rows) * 2 > len(rows) for i in range(width)]
    names = [i for i in range(width) if not numeric[i]]
    words = [i for i in names if any(len(row[i]) > 2 for row in rows)] if len(names) > 2 else names
    scores = [i for i in range(width) if numeric[i] and len(words) > 1 and i > words[1]]
    if not scores:
        raise FormatError(
            f"{path}: no column of scores to the right of two columns of words: expected 'word1 word2 score'"
        )
    return words[0], words[1], scores[0]


def finite(field: str, where: str) -> float:
    """Return the finite number that a field of a gold file holds.

    Args:
        field: the text.
        where: what to call the place in the message: the file and the line.

    Raises:
        FormatError: it holds none.
    """
    value = finite_number(field)
    if value is None:
        raise FormatError(f"{where}: score {field!r}, expected a finite number")
    return value


def _without_label(fields: list[str]) -> tuple[list[str], str]:
    if len(fields) == 5 and _RELATION.match(fields[-1]):
        return fields[:4], fields[-1]
    if len(fields) == 5 and _RELATION.match(fields[0]):
        return fields[1:], fields[0]
    return fields, ""
