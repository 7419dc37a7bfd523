"""Word pairs with human similarity scores: WordSim-353, SimLex-999, MEN, Rare Words and files like them."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError, counted
from firth.readers.lines import PathLike, Row, finite_number, numbered_lines, score_of

_PART_OF_SPEECH = re.compile(r".-[a-z]$")  # MEN's lemma form: sun-n, sunny-j, shine-v


@dataclass(frozen=True)
class ScoredPairs:
    """Word pairs with human similarity scores.

    Attributes:
        scores: (n,) float64, on any scale.
    """

    pairs: Sequence[tuple[str, str]]
    scores: npt.NDArray[np.float64]


@names_files
def read_scored_pairs(path: PathLike) -> ScoredPairs:
    """Read scored word pairs: the columns `word1 word2 score`, with or without others.

    The separator (tab, comma, semicolon or space) is detected from the first line. Empty lines, lines that start with
    `#` and one header line are skipped. The score is the first numeric column to the right of the words. A column of
    labels of one or two letters beside the words (the part of speech in SimLex-999, the relation in Agirre's split of
    WordSim-353) is not a word. Where every word ends in `-` and a letter, as in MEN's lemma form, that ending is
    removed.

    Args:
        path: the file, UTF-8.

    Raises:
        FormatError: a line does not have two words and a score; the message gives its number.
        OSError: the file cannot be read.
    """
    rows = _split(numbered_lines(path), path)
    first, second, score = _columns([fields for _, fields in rows], path)
    if _is_header(rows[0][1][score]) and len(rows) > 1:
        rows = rows[1:]
    words = [(fields[first], fields[second]) for _, fields in rows]
    if all(_PART_OF_SPEECH.search(word) for pair in words for word in pair):
        words = [(first[:-2], other[:-2]) for first, other in words]
    return ScoredPairs(words, np.array([score_of(fields[score], f"{path} line {number}") for number, fields in rows]))


def _split(lines: list[tuple[int, str]], path: PathLike) -> list[Row]:
    """Split every line by the separator that splits the first one into three or more fields."""
    first = [line for _, line in lines[:2]][-1]
    separator = next((mark for mark in ("\t", ";", ",") if first.count(mark) >= 2), None)
    rows = [(number, [field.strip().strip('"') for field in line.split(separator)]) for number, line in lines]
    width = Counter(len(fields) for _, fields in rows).most_common(1)[0][0]
    for number, fields in rows:
        if len(fields) != width or width < 3:
            expected = f"{width}, as on the other lines" if width >= 3 else "two words and a score"
            raise FormatError(f"{path} line {number}: {counted(len(fields), 'column')}, expected {expected}")
    return rows


def _is_header(field: str) -> bool:
    # "nan" and "inf" parse as numbers: such a score is an error on its line, not a header.
    return field.lower().lstrip("+-") not in {"", "nan", "inf", "infinity"} and finite_number(field) is None


def _columns(rows: list[list[str]], path: PathLike) -> tuple[int, int, int]:
    """Column numbers of the first word, the second word and the score."""
    width = len(rows[0])
    # A column is numeric if most of it is: one bad score is an error of its line, not a column of words.
    numeric = [sum(finite_number(row[i]) is not None for row in rows) * 2 > len(rows) for i in range(width)]
    names = [i for i in range(width) if not numeric[i]]
    words = [i for i in names if any(len(row[i]) > 2 for row in rows)] if len(names) > 2 else names
    scores = [i for i in range(width) if numeric[i] and len(words) > 1 and i > words[1]]
    if not scores:
        raise FormatError(
            f"{path}: no column of scores to the right of two columns of words: expected 'word1 word2 score'"
        )
    return words[0], words[1], scores[0]
