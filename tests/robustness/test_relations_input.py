"""Bad input to axes and antonyms: one sentence, exit status 1."""

import numpy as np
import pytest

from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command

WORDS = ["cold", "hot", "cool", "warm"]


@pytest.fixture
def small(firth: Command) -> Command:
    WordVectors(WORDS, np.random.default_rng(0).normal(size=(4, 3))).save(firth.folder / "v.firth")
    (firth.folder / "nan.txt").write_text("2 2\ncold 0 1\nhot nan 1\n", encoding="utf-8")
    (firth.folder / "unknown.txt").write_text("up down\n", encoding="utf-8")
    (firth.folder / "same.txt").write_text("hot hot\n", encoding="utf-8")
    (firth.folder / "one.txt").write_text("hot\n", encoding="utf-8")
    return firth


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected one axis: --poles A:B, or --pairs FILE"),
        (["--poles", "cold:hot", "--pairs", "one.txt"], "expected one axis"),
        (["--poles", "cold:hot", "--poles", "cool:warm"], "expected one axis"),
        (["--poles", "cold"], "--poles cold: expected two poles with a colon between"),
        (["--poles", "cold:cold"], "cold → cold are in one place; expected two that differ"),
        (["--poles", "cold:snow"], "'snow' is not in the vocabulary"),
        (["--poles", "cold:hot", "--method", "pca"], "--method pca with --poles"),
        (["--pairs", "unknown.txt"], "1 pairs, none of which has two words with vectors; unknown: up, down"),
        (["--pairs", "same.txt"], "expected two different words"),
        (["--pairs", "one.txt"], "one.txt: no line of two words"),
        (["--pairs", "none.txt"], "none.txt: No such file"),
        (["--pairs", "unknown.txt", "--method", "best"], "method 'best': expected one of mean, pca"),
        (["--poles", "cold:hot", "-n", "0"], "-n 0: expected a whole number of at least 1"),
        (["--poles", "cold:hot", "snow"], "'snow' is not in the vocabulary"),
    ],
)
def test_an_axis_of_what_is_none(small: Command, arguments, message):
    assert message in small("axis", "v.firth", *arguments).complaint


def test_an_axis_of_numbers_that_are_none(small: Command):
    assert "expected a finite number" in small("axis", "nan.txt", "--poles", "cold:hot").complaint
