"""Files by the years in their names."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from firth.corpus.sources import Files, resolve
from firth.errors import CorpusError, OptionError, brief

_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
NAMED = "expected a year in the name of each file, such as 1815_emma.txt"


def year_of(path: str | Path) -> int:
    """Return the first number of four digits in the name of a file.

    Raises:
        CorpusError: there is none.
    """
    match = _YEAR.search(Path(path).name)
    if match is None:
        raise CorpusError(f"{path}: no year in the name; {NAMED}")
    return int(match[0])


def periods(source: Any, years: Sequence[int], *, markup: bool = False) -> dict[str, list[Path]]:
    """Divide files into periods by the years in their names, for `firth.contrast` and `firth.contrast_series`.

    Args:
        source: a folder, a glob or paths.
        years: in which periods begin, ascending; files before the first year make a period as well: [1850, 1900] makes
            three, or two if no file is before 1850.
        markup: whether Markdown, HTML and XML files of a folder belong to it, see `Corpus.build`.

    Returns:
        The files of each period by its name: "before 1850", "1850 to 1899", "from 1900".

    Raises:
        OptionError: the years do not ascend, or the source is no files.
        CorpusError: a file has no year in its name, or a period has no file.
    """
    begins = _ascending(years)
    files = resolve(source, markup=markup)
    if not isinstance(files, Files):
        raise OptionError(f"{brief(source)}: years need files; {NAMED}")
    middle = (f"{begin} to {end - 1}" for begin, end in pairwise(begins))
    divided: dict[str, list[Path]] = {name: [] for name in (f"before {begins[0]}", *middle, f"from {begins[-1]}")}
    names = list(divided)
    for path in files.paths:
        year = year_of(path)
        divided[names[sum(year >= begin for begin in begins)]].append(path)
    if len(begins) > 1 and not divided[names[0]]:
        del divided[names[0]]  # the first year is that in which the text begins
    if empty := [name for name, paths in divided.items() if not paths]:
        dated = sorted(map(year_of, files.paths))
        raise CorpusError(
            f"no file is {' or '.join(empty)}: the {len(dated):,} files are from {dated[0]} to {dated[-1]}; expected "
            f"other years than years={','.join(map(str, begins))}"
        )
    return divided


def _ascending(years: Any) -> list[int]:
    """Return years that ascend as integers, also those of an array."""
    begins = [*years] if isinstance(years, Iterable) else []
    whole = all(isinstance(year, int | np.integer) and not isinstance(year, bool) for year in begins)
    if not begins or not whole or begins != sorted({*begins}):
        raise OptionError(f"years={brief(years)}: expected years in which periods begin, ascending, such as 1850,1900")
    return [int(year) for year in begins]
