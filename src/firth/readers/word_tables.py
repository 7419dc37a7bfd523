"""Tables with a word a row: `sentence,word,tag`, as spreadsheets and Kaggle's sets of named entities have them."""

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firth.arguments import names_files
from firth.errors import FormatError, OptionError, counted, warn_caller
from firth.readers.columns import TAG_NAMES, WORD_NAMES, ColumnSentence
from firth.storage.files import text_of
from firth.storage.skipping import STOP, Skipping

DELIMITERS = ",;\t|"
LONG = 500  # words of a sentence that is probably several


@dataclass(frozen=True)
class WordTable:
    """Rows of a table.

    Attributes:
        names: of the columns, as the first row has them.
        rows: line and cells of each other row.
    """

    names: tuple[str, ...]
    rows: Sequence[tuple[int, list[str]]]

    def column(self, names: frozenset[str] | set[str]) -> int | None:
        """Return the last column with one of some names, from 0."""
        indices = [index for index, name in enumerate(self.names) if name.strip().lower() in names]
        return indices[-1] if indices else None


def read_table(path: str | os.PathLike[str]) -> WordTable:
    """Return the rows of a table whose first row names the columns; the commonest of ``, ; tab |`` divides them."""
    text = text_of(path)
    header = text[: text.find("\n")] if "\n" in text else text
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    limit = csv.field_size_limit(max(len(text), 1 << 17))  # of a cell, which may hold a long text
    try:
        rows.extend((reader.line_num, row) for row in reader)
    except csv.Error as error:
        raise FormatError(f"{path} line {reader.line_num}: {error}; expected a table with quotes in pairs") from None
    finally:
        csv.field_size_limit(limit)
    if not rows or not any(map(str.strip, rows[0][1])):
        raise FormatError(f"{path}: no table; expected a first line that names the columns, such as sentence,word,tag")
    return WordTable(tuple(name.strip() for name in rows[0][1]), rows[1:])


def is_word_table(table: WordTable) -> bool:
    """Return whether a table has columns of words and of tags."""
    return table.column(WORD_NAMES - {"text", "sentence"}) is not None and table.column(TAG_NAMES) is not None


@names_files
def read_word_table(
    path: str | os.PathLike[str], *, word_column: int | str | None = None, on_error: str = STOP
) -> Iterator[ColumnSentence]:
    """Yield the sentences of a table with a word a row.

    A sentence ends at an empty row, and where the column whose name begins with "sent" has another value; empty cells
    of that column go on with the sentence.

    Args:
        path: UTF-8, plain or gzip (`.gz`).
        word_column: number of the column of words, from 1, or its name; None is the one named word, token or form.
        on_error: "stop" at the first sentence with a damaged row, or "skip" such sentences.

    Warns:
        UserWarning: sentences were skipped, or nothing divides the words into sentences.
    """
    skipping = Skipping(path, on_error, "sentence")
    table = read_table(path)
    words = _words(table, word_column, path)
    longest = 0
    for rows in _sentences(table, words):
        if problem := _problem(rows, words, len(table.names)):
            skipping.add(*problem)
            continue
        skipping.read += 1
        longest = max(longest, len(rows))
        yield ColumnSentence(tuple(zip(*(cells for _, cells in rows), strict=True)), 0, rows[0][0], words, table.names)
    if longest > LONG and skipping.read == 1:
        warn_caller(
            f"{path}: {longest:,} words without a sign of where sentences end; expected a column named sentence with "
            "their numbers, or empty rows"
        )
    skipping.tell("a word and its tags in each row")


def _words(table: WordTable, word_column: int | str | None, path: str | os.PathLike[str]) -> int:
    """Return the column of words, from 0."""
    names = [name.lower() for name in table.names]
    given = "" if word_column is None else str(word_column)
    column = table.column({given.lower()} if given else WORD_NAMES - {"text", "sentence"})
    if column is None and given.isdecimal() and 1 <= int(given) <= len(names):
        column = int(given) - 1
    if column is None:
        named = f"word_column={given!r}" if given else "no column of words; name it (word_column)"
        raise OptionError(
            f"{path}: {named}: expected a number from 1 to {len(names)}, or one of {', '.join(table.names)}"
        )
    return column


def _sentences(table: WordTable, words: int) -> Iterator[list[tuple[int, list[str]]]]:
    column = next(
        (index for index, name in enumerate(table.names) if name.lower().startswith("sent") and index != words), None
    )
    rows: list[tuple[int, list[str]]] = []
    before = ""
    for line, cells in table.rows:
        sentence = cells[column].strip() if column is not None and column < len(cells) else ""
        empty = not any(map(str.strip, cells))
        if rows and (empty or (sentence and sentence != before)):
            yield rows
            rows = []
        before = sentence or before
        if not empty:
            rows.append((line, cells))
    if rows:
        yield rows


def _problem(rows: Sequence[tuple[int, list[str]]], words: int, width: int) -> tuple[int, str] | None:
    for line, cells in rows:
        if len(cells) != width:
            return line, f"{counted(len(cells), 'cell')}, expected {width} as in the first line"
        if not cells[words].strip() or {"\n", "\t"} & set(cells[words]):
            return line, f"the word {cells[words]!r}, expected one without tabs and line breaks"
    return None
