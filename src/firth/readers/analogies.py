"""Analogy questions: Google's `questions-words.txt`, Microsoft's syntactic set and files like them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firth.arguments import names_files
from firth.errors import FormatError, counted
from firth.readers.lines import PathLike, numbered_lines

_RELATION = re.compile(r"[A-Z$]+_[A-Z$]+$")  # the label of a line in Microsoft's set: JJ_JJR


@dataclass(frozen=True)
class AnalogyQuestions:
    """Analogy questions: a is to b as c is to d.

    Attributes:
        words: n quadruples (a, b, c, d); d is the answer.
        sections: n section names; "" where the file has none.
    """

    words: Sequence[tuple[str, str, str, str]]
    sections: Sequence[str]


@names_files
def read_analogies(path: PathLike) -> AnalogyQuestions:
    """Read analogy questions: four words per line, under `: section` lines or beside the label of a relation.

    Args:
        path: the file, UTF-8: Google's questions-words.txt, Microsoft's set with the answers as fourth column, or a
            file in the same format.
    """
    words, sections, section = [], [], ""
    for number, line in numbered_lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        fields, label = _split_label(line.split())
        if len(fields) != 4:
            raise FormatError(
                f"{path} line {number}: {counted(len(fields), 'word')}, expected 4 (a b c d) or ': section'"
            )
        words.append((fields[0], fields[1], fields[2], fields[3]))
        sections.append(label or section)
    if not words:
        raise FormatError(f"{path}: no questions, only section lines; expected lines of 4 words")
    return AnalogyQuestions(words, sections)


def _split_label(fields: list[str]) -> tuple[list[str], str]:
    if len(fields) == 5 and _RELATION.match(fields[-1]):
        return fields[:4], fields[-1]
    if len(fields) == 5 and _RELATION.match(fields[0]):
        return fields[1:], fields[0]
    return fields, ""
