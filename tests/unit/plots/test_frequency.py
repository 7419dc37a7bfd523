"""The picture of frequencies: files as rows, years as a line."""

import pytest

from firth import plots
from firth.counts.frequencies import Frequency
from firth.errors import OptionError
from firth.plots.picture import Curve, Points


def frequencies(names, words=("a", "b")):
    return [Frequency(word, name, i, 100, 1e4 * i) for word in words for i, name in enumerate(names)]


def test_files_are_rows():
    picture = plots.word_frequency(frequencies(["x/emma.txt", "x/dracula.txt"]))
    points = [mark for mark in picture.marks if isinstance(mark, Points)]
    assert [mark.xy.tolist() for mark in points] == [[[0, 0], [1e4, -1]]] * 2
    assert [label for _, label in picture.y.ticks] == ["emma", "dracula"]
    assert picture.groups == ["a", "b"]
    assert picture.rows[1] == {"word": "a", "name": "x/dracula.txt", "count": 1, "tokens": 100, "per_million": 1e4}


def test_years_are_a_line():
    picture = plots.word_frequency(frequencies(["1815", "1900"]))
    curves = [mark for mark in picture.marks if isinstance(mark, Curve)]
    assert [(mark.name, mark.xy.tolist()) for mark in curves] == [
        ("a", [[1815, 0], [1900, 1e4]]), ("b", [[1815, 0], [1900, 1e4]])
    ]  # fmt: skip


def test_too_many_files():
    with pytest.raises(OptionError, match=r"61 documents: expected 1 to 60; .* of a single file the paragraphs are"):
        plots.word_frequency(frequencies([f"{i}.txt" for i in range(61)]))
