"""Heat maps as tables on the terminal."""

import numpy as np
import pytest

from firth import plots
from firth.cli.heat_tables import print_heat


def lines(monkeypatch, capsys, picture, width):
    monkeypatch.setenv("COLUMNS", str(width))
    print_heat(picture)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_numbers_stand_below_the_words_of_the_source(monkeypatch, capsys):
    weights = np.array([[0.05, 0.95], [0.55, 0.45], [1.0, 0.0]])
    picture = plots.attention_heat_map(weights, ["ein", "[Hund]"], ["a", "犬", "x" * 20], title="Attention")
    assert lines(monkeypatch, capsys, picture, 80) == [
        "Attention",
        "",
        "                  ein  [Hund]",
        "a                0.05   █0.95",
        "犬              ▒0.55   ▒0.45",
        "xxxxxxxxxxxxx…  █1.00    0.00",
        "",
        "Each row sums to 1: what the step that writes its word attends to.",
    ]


def test_columns_that_a_narrow_terminal_lacks_follow_below(monkeypatch, capsys):
    source = [f"word{i}" for i in range(9)]
    picture = plots.attention_heat_map(np.full((1, 9), 1 / 9), source, ["a"])
    shown = lines(monkeypatch, capsys, picture, 40)
    assert [line.split() for line in shown if line.strip().startswith("word")] == [source[:4], source[4:8], source[8:]]
    assert max(map(len, shown[:-1])) <= 40


@pytest.mark.parametrize(("value", "cell"), [(-1.0, " -1.00"), (0.0, "▒0.00"), (1.0, "█1.00")])
def test_cosines_are_shaded_from_minus_one(monkeypatch, capsys, value, cell):
    heat = plots.picture.Heat(values=np.array([[value]]), labels=["a"], low=-1.0, high=1.0, name="cosine")
    picture = plots.Picture(kind="similarity", title="t", marks=[heat], rows=[])
    assert any(line.endswith(cell) for line in lines(monkeypatch, capsys, picture, 80))
