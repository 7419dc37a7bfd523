"""Frequencies of words over files, or over years."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from firth.counts.frequencies import Frequency
from firth.errors import OptionError
from firth.plots.picture import SIZE, Axis, Curve, Floats, Lines, Mark, Picture, Points

MOST = 60  # files or texts; more names do not fit
_HEIGHT = 0.32  # inches of a file


def word_frequency(frequencies: Sequence[Frequency], *, title: str | None = None) -> Picture:
    """Return how often words occur per million words, in each file or year.

    Args:
        frequencies: as `firth.word_frequencies` counts them; years if all names are numbers of four digits.

    Raises:
        OptionError: there are none, or more files than fit.
    """
    words, names = (list(dict.fromkeys(getattr(row, name) for row in frequencies)) for name in ("word", "name"))
    are_years = all(len(name) == 4 and name.isdigit() for name in names)
    if not names or (len(names) > MOST and not are_years):
        raise OptionError(
            f"{len(names):,} documents: expected 1 to {MOST}; add up the files of a year: years=True; of a single file "
            "the paragraphs are documents: divide it into files, such as a file for each chapter"
        )
    rates = {(row.word, row.name): row.per_million for row in frequencies}
    values = np.array([[rates[word, name] for name in names] for word in words])  # (words, names)
    rate = Axis(name="occurrences per million words", low=0.0)
    if are_years:
        marks, x, y, size = _by_year(words, names, values), Axis(name="year"), rate, SIZE
    else:
        files = Axis(name="", ticks=[(-float(i), Path(name).stem) for i, name in enumerate(names)])
        marks, x, y, size = _by_file(values), rate, files, (SIZE[0], max(3.0, 1.5 + _HEIGHT * len(names)))
    return Picture(
        kind="frequency",
        title=f"Frequency of {', '.join(words)}" if title is None else title,
        marks=marks,
        rows=[asdict(row) for row in frequencies],
        groups=words if len(words) > 1 and not are_years else [],
        x=x,
        y=y,
        size=size,
    )


def _by_year(words: Sequence[str], names: Sequence[str], values: Floats) -> list[Mark]:
    marks: list[Mark] = []
    for group, word in enumerate(words):
        xy = np.column_stack([np.array(names, dtype=np.float64), values[group]])
        marks += [
            Curve(name=word, xy=xy, group=group),
            Points(xy=xy, labels=[word] * len(xy), groups=[group] * len(xy), labelled=False),
            Points(xy=xy[-1:], labels=[word], groups=[group]),
        ]
    return marks


def _by_file(values: Floats) -> list[Mark]:
    rows = -np.arange(values.shape[1], dtype=np.float64)
    ends = np.stack([np.column_stack([np.zeros(len(rows)), rows]), np.column_stack([values.max(axis=0), rows])], axis=1)
    marks: list[Mark] = [Lines(ends=ends, style="link")]
    for group, rates in enumerate(values):
        xy = np.column_stack([rates, rows])
        marks.append(Points(xy=xy, labels=[""] * len(rows), groups=[group] * len(rows), labelled=False))
    return marks
