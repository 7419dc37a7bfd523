"""Properties and sentences that cannot be judged, by the installed command: one complaint, or a line without figure."""

import numpy as np
import pytest

from firth import WordVectors
from tests.robustness.command import Command


@pytest.fixture(autouse=True)
def saved(tmp_path):
    words = [f"w{i}" for i in range(20)]
    WordVectors(words, np.random.default_rng(0).normal(size=(20, 4))).save(tmp_path / "v.firth")


@pytest.mark.parametrize(
    ("suite", "text", "said"),
    [
        ("probing", "w1\tanimate\nw2\tanimate\nw3\tanimate\n", "expected at least two labels"),
        ("probing", "".join(f"w{i}\t{'ab'[i == 3]}\n" for i in range(20)), "1 of 20 words have the label 'b'"),
        ("probing", "w1 w2 w3\n", "expected a word and a label, number or other word"),
        ("sentences", "1 w1 w2\n1 w3\n", "every sentence has the label '1'"),
        ("sentences", "\n", "empty"),
    ],
)
def test_gold_files_that_say_nothing(firth: Command, tmp_path, suite, text, said):
    (tmp_path / "gold.txt").write_text(text)
    assert said in firth("evaluate", "v.firth", "--suite", f"{suite}:gold.txt").complaint


@pytest.mark.parametrize(
    ("suite", "text"),
    [
        ("probing", "".join(f"x{i}\t{'ab'[i % 2]}\n" for i in range(20))),
        ("probing", "".join(f"x{i}\t{i / 2}\n" for i in range(20))),
        ("probing", "".join(f"x{i}\ty{i}\n" for i in range(20))),
        ("sentences", "".join(f"{i % 2} x{i} y{i}\n" for i in range(20))),
    ],
)
def test_no_known_word(firth: Command, tmp_path, suite, text):
    (tmp_path / "gold.txt").write_text(text)
    ended = firth("evaluate", "v.firth", "--suite", f"{suite}:gold.txt")
    assert (ended.status, bool(ended.err)) == (0, True)
    assert all("no item has all its words in" in line for line in ended.err.splitlines())
    rows = ended.out.splitlines()[1:]
    assert len(rows) in (2, 3)
    assert all(" - " in row and row.endswith(" 0/20") for row in rows)
