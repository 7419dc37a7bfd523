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
        (["--poles", "cold"], "--poles cold: expected two poles separated by a colon"),
        (["--poles", "cold:cold"], "cold → cold have the same vector; expected different ones"),
        (["--poles", "cold:snow"], "'snow' is not in the vocabulary"),
        (["--poles", "cold:hot", "--method", "pca"], "--method pca with --poles"),
        (["--pairs", "unknown.txt"], "none of 1 pairs has two words with vectors; unknown: up, down"),
        (["--pairs", "same.txt"], "expected two different words"),
        (["--pairs", "none.txt"], "none.txt: No such file"),
        (["--pairs", "unknown.txt", "--method", "best"], "method 'best': expected one of mean, pca"),
        (["--poles", "cold:hot", "-n", "0"], "-n 0: expected a whole number of at least 1"),
    ],
)
def test_an_axis_of_what_is_none(small: Command, arguments, message):
    assert message in small("axis", "v.firth", *arguments).complaint


def test_an_axis_of_numbers_that_are_none(small: Command):
    assert "expected a finite number" in small("axis", "nan.txt", "--poles", "cold:hot").complaint


@pytest.fixture
def told(small: Command) -> Command:
    for name, text in {
        "text.txt": "either hot or cold\n" * 5,
        "bare.txt": "hot cold\n" * 5,
        "antonyms.txt": "hot cold 1\ncool warm 1\n",
        "both.txt": "hot cold 1\ncool cold 0\ncold hot 0\n",
        "odd.txt": "hot cold 1\nhot warm maybe\n",
        "patterns.txt": "from X to\n",
        "good.txt": "hot cold 1\nhot warm 0\n",
    }.items():
        (small.folder / name).write_text(text, encoding="utf-8")
    return small


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hot"], "vectors do not distinguish antonyms from synonyms: give --corpus TEXT, --pairs FILE, or both"),
        (["--corpus", "text.txt"], "no words: name some, or give --words FILE"),
        (["hot", "--corpus", "bare.txt"], "10 tokens contain none of 26 patterns"),
        (["hot", "--corpus", "text.txt", "--patterns", "patterns.txt"], "pattern 'from X to': expected words with X"),
        (["hot", "--pairs", "good.txt", "--patterns", "patterns.txt"], "--patterns without --corpus"),
        (["hot", "--pairs", "antonyms.txt"], "2 pairs of antonyms alone: expected antonyms (label 1) and synonyms"),
        (["hot", "--pairs", "both.txt"], "'hot' and 'cold' have both labels"),
        (["hot", "--pairs", "odd.txt"], "odd.txt line 2: 'hot warm maybe'; expected two words and 1"),
        (["snow", "--corpus", "text.txt"], "'snow' is not in the vocabulary"),
    ],
)
def test_antonyms_of_what_is_none(told: Command, arguments, message):
    assert message in told("antonyms", "v.firth", *arguments, "-q").complaint


def test_two_pairs_are_enough_to_answer(told: Command):
    ended = told("antonyms", "v.firth", "hot", "--pairs", "good.txt", "-n", "1")
    assert (ended.status, len(ended.out.splitlines())) == (0, 1)
