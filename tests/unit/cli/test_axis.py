"""`firth axis`, as a user runs it."""

import json

import numpy as np
import pytest

from firth.loading import load
from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command

WORDS = ["cold", "hot", "cool", "warm", "stone"]
ROWS = np.array([[0, 2], [2, 0], [0.6, 0.8], [0.8, 0.6], [3, 4]], dtype=np.float32)


@pytest.fixture
def firth(tmp_path):
    WordVectors(WORDS, ROWS).save(tmp_path / "v.firth")
    (tmp_path / "pairs.txt").write_text("cold hot\ncool warm\nicy boiling\n", encoding="utf-8")
    return Command(tmp_path)


def told(ended):
    assert ended.status == 0, ended.err
    return [(row["word"], row["cosine"]) for row in map(json.loads, ended.out.splitlines())]


def test_places_by_hand(firth):
    """From cold (0, 1) to hot (1, 0) goes (1, -1) / sqrt 2: cool (.6, .8) stands at -.2 / 1.414, stone as well."""
    rows = told(firth("axis", "v.firth", "stone", "warm", "cold", "--poles", "cold:hot", "--json"))
    assert [word for word, _ in rows] == ["cold", "stone", "warm"]
    assert [cosine for _, cosine in rows] == pytest.approx([-(0.5**0.5), -0.2 * 0.5**0.5, 0.2 * 0.5**0.5], abs=1e-6)


def test_without_words_both_ends(firth):
    assert firth("axis", "v.firth", "--poles", "cold:hot", "-n", "1").out.split() == [
        *("cold", "-0.7071"),
        *("hot", "+0.7071"),
    ]
    assert len(firth("axis", "v.firth", "--poles", "cold:hot").out.splitlines()) == len(WORDS)


@pytest.mark.parametrize("method", ["mean", "pca"])
def test_pairs_of_a_file(firth, method):
    """Both differences lie on one line, (1, -1), which the first component is then as well: all of the variance."""
    ended = firth("axis", "v.firth", "hot", "--pairs", "pairs.txt", "--method", method, "--json")
    assert told(ended) == [("hot", pytest.approx(0.5**0.5))]
    assert "left out, for lack of a vector: icy, boiling" in ended.err
    assert ("100.0 % of the variance of the pairs" in ended.err) == (method == "pca")


def test_an_axis_taken_out(firth, tmp_path):
    assert firth("axis", "v.firth", "--poles", "cold:hot", "-o", "out").status == 0
    made = load(tmp_path / "out")
    assert made.vectors @ [1, -1] == pytest.approx(0, abs=1e-6)
    assert made.metadata["postprocessing"][-1]["axes"] == ["cold → hot"]


def test_unknown_words_do_not_cost_the_others_theirs(firth):
    ended = firth("axis", "v.firth", "warm", "wram", "--poles", "cold:hot")
    assert ended.status == 1
    assert ended.out.startswith("warm")
    assert "'wram' is not in the vocabulary; did you mean warm?" in ended.err
