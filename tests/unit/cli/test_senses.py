"""`firth senses` and `firth plot senses`, as a user runs them."""

import json

import numpy as np
import pytest

from firth.vectors.sense_readers import Centroids
from firth.vectors.sense_vectors import SenseVectors
from tests.robustness.command import Command

WORDS = ["bank", "money", "river", "shore", "loan"]
ROWS = np.array([[1, 0], [0, 1], [1, 0.1], [0.1, 1], [0, 2], [3, 0.15]], dtype=np.float32)


@pytest.fixture
def firth(tmp_path):
    """A bank of money or of a river; the rest stands where it should."""
    contexts = np.array([[0, 0], [1, 0], [0, 1], [0, 1], [1, 0]], dtype=np.float32)
    reader = Centroids(contexts, np.ones(5, np.float32), ROWS, temperature=0.5)
    facts = {"training": {"options": {"least_contexts": 5}}}
    SenseVectors(
        WORDS, [0, 2, 3, 4, 5, 6], ROWS, priors=[0.75, 0.25, 1, 1, 1, 1], reader=reader, counts=[8, 5, 5, 5, 3],
        metadata=facts,
    ).save(tmp_path / "s.firth")  # fmt: skip
    return Command(tmp_path)


def test_senses_with_shares_and_neighbours(firth):
    ended = firth("senses", "s.firth", "bank", "money", "-n", "2")
    assert ended.status == 0, ended.err
    assert ended.out.splitlines() == [
        "bank: 2 senses",
        "  0   75.0%  loan, money",
        "  1   25.0%  shore, river",
        "money: one sense",
        "  0  100.0%  loan, bank#0",
    ]
    assert ended.err == ""


def test_which_one_is_meant(firth):
    """Beside "river" the scores are 0 and 2, see test_sense_vectors: 0.288765 for the first; the word itself, which may
    stand in the text, changes nothing."""
    for text in ("the River!", "a bank by the river"):
        ended = firth("senses", "s.firth", "bank", "--context", text, "--json")
        told = json.loads(ended.out)
        assert (told["word"], told["context"]) == ("bank", text)
        assert [one["probability"] for one in told["senses"]] == pytest.approx([0.288765, 0.711235], abs=1e-6)
        assert told["senses"][0]["neighbours"][0] == {
            "word": "loan",
            "number": 0,
            "score": pytest.approx(1 / 1.0025**0.5, abs=1e-6),
        }
    assert "meant here  28.9%" in firth("senses", "s.firth", "bank", "--context", "river").out


def test_too_few_contexts_are_said(firth):
    ended = firth("senses", "s.firth", "loan")
    assert "'loan' occurs 3 times in the text; the model looks for senses from 5 times on" in ended.err
    assert ended.status == 0


def test_a_word_in_another_form(firth):
    """The reason and the place in the context are those of the word of the vocabulary."""
    ended = firth("senses", "s.firth", "LOAN")
    assert (ended.status, ended.out.splitlines()[0]) == (0, "LOAN: one sense")
    assert "occurs 3 times in the text" in ended.err
    told = json.loads(firth("senses", "s.firth", "Bank", "--context", "a bank by the river", "--json").out)
    assert [one["probability"] for one in told["senses"]] == pytest.approx([0.288765, 0.711235], abs=1e-6)


def test_map(firth):
    ended = firth("plot", "senses", "s.firth", "bank", "--number", "2", "-o", "map.svg", "--json")
    assert ended.status == 0, ended.err
    groups = {row["word"]: row["group"] for row in map(json.loads, ended.out.splitlines())}
    assert groups == {
        "bank#0": "bank#0", "loan": "bank#0", "money": "bank#0", "bank#1": "bank#1", "shore": "bank#1",
        "river": "bank#1",
    }  # fmt: skip
    assert (firth.folder / "map.svg").stat().st_size > 1000
