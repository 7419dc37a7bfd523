"""Words with their categories (AP, BLESS, ESSLLI 2008), and groups of words with outliers (8-8-8)."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.lines import PathLike, named_columns


@dataclass(frozen=True)
class Categories:
    """Words and the category of each."""

    words: Sequence[str]
    categories: Sequence[str]


@dataclass(frozen=True)
class OutlierGroup:
    """Words that belong together, and words that do not.

    Attributes:
        outliers: words of other categories; each makes one test with the group.
    """

    name: str
    words: Sequence[str]
    outliers: Sequence[str]


@names_files
def read_categories(path: PathLike) -> Categories:
    """Read words with their categories: a table with the columns `word` and `category`.

    Rows without a word are skipped: some published tables end each category with one.

    Args:
        path: comma- or tab-separated, UTF-8.
    """
    rows = [(number, word, category) for number, (word, category) in named_columns(path, ("word", "category")) if word]
    for number, word, category in rows:
        if not category:
            raise FormatError(f"{path} line {number}: no category for {word!r}; add one or delete the row")
    categories = [category for _, _, category in rows]
    if len(set(categories)) < 2:
        raise FormatError(f"{path}: {len(set(categories))} categories, expected at least two")
    return Categories([word for _, word, _ in rows], categories)


@names_files
def read_outlier_groups(path: PathLike) -> list[OutlierGroup]:
    """Read groups of words with outliers: a table with the columns `category`, `words` and `outliers`.

    Words and outliers are Python lists, `['tiger', 'lion']`; empty strings in them are skipped.

    Args:
        path: comma- or tab-separated, UTF-8.
    """
    groups = []
    for number, (name, words, outliers) in named_columns(path, ("category", "words", "outliers")):
        group = OutlierGroup(name, _words(words, number, path), _words(outliers, number, path))
        if len(group.words) < 2 or not group.outliers:
            raise FormatError(
                f"{path} line {number}: {len(group.words)} words and {len(group.outliers)} outliers, expected at least "
                "two words and one outlier"
            )
        groups.append(group)
    if not groups:
        raise FormatError(f"{path}: no groups, only a header; expected one group per line")
    return groups


def _words(field: str, number: int, path: PathLike) -> list[str]:
    try:
        words = ast.literal_eval(field)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise FormatError(f"{path} line {number}: {field[:40]!r}, expected a list of words such as ['tiger', 'lion']")
    return [word for word in words if word]
