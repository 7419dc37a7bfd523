"""Bad input to `firth bias` and `firth debias`: one sentence, exit status 1, and nothing written."""

import json

import numpy as np
import pytest

from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command

WORDS = ["art", "dance", "math", "algebra", "he", "him", "she", "her", "nurse", "doctor", "judge", "poet"]
SETS = {
    "arts": ["art", "dance"],
    "maths": ["math", "algebra"],
    "men": ["he", "him"],
    "women": ["she", "her"],
    "both": ["Art", "poet"],
    "one": ["nurse"],
    "foreign": ["Kunst", "Tanz"],
}


@pytest.fixture
def firth(firth: Command) -> Command:
    rows = np.random.default_rng(0).normal(size=(12, 5)).astype(np.float32)
    WordVectors(WORDS, rows).save(firth.folder / "v.firth")
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(WORDS, rows, strict=True)]
    lines[5] = "him 0.5 nan 0.1 0.2 0.3"
    (firth.folder / "nan.txt").write_text("12 5\n" + "\n".join(lines) + "\n", encoding="utf-8")
    for name, content in {
        "sets": SETS,
        "empty": {"arts": [], "maths": ["math"], "men": ["he"], "women": ["she"]},
        "pairs": [["she", "he"], ["her", "him"]],
        "foreign": [["sie", "er"], ["ihr", "ihm"]],
        "twice": [["she", "she"]],
        "nothing": [],
    }.items():
        (firth.folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (firth.folder / "text.json").write_text("arts: art", encoding="utf-8")
    return firth


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--sets", "empty.json", "--query", "arts,maths:men,women"], "'arts' has []; expected a list of words"),
        (["--sets", "sets.json", "--query", "arts,foreign:men,women"], "none of the 2 words of target set 'foreign'"),
        (["--sets", "sets.json", "--query", "arts,maths:men,foreign"], "none of the 2 words of attribute set"),
        (["--sets", "sets.json", "--query", "arts,both:men,women"], "'art' is in both target sets"),
        (["--sets", "sets.json", "--query", "arts:men,women"], "1 target sets, expected 2"),
        (["--sets", "sets.json", "--query", "arts,sports:men,women"], "no word set 'sports'"),
        (["--sets", "sets.json", "--query", "arts,maths"], "expected names of target sets, a colon"),
        (["--sets", "sets.json"], "--sets without --query"),
        (["--sets", "sets.json", "--query", "arts,maths:men,women", "--test", "weat-7"], "--sets with --test"),
        (["--sets", "sets.json", "--query", "arts,maths:men,women", "--metric", "weet"], "metric 'weet': expected one"),
        (["--sets", "text.json", "--query", "arts,maths:men,women"], "text.json: not valid JSON"),
        (["--sets", "none.json", "--query", "arts,maths:men,women"], "none.json: No such file"),
        (["--test", "weat-11"], "test 'weat-11': expected one of weat-1"),
    ],
)
def test_bias(firth: Command, flags, message):
    assert message in firth("bias", "v.firth", *flags).complaint


def test_unequal_targets_are_said_to_be(firth: Command):
    ended = firth("bias", "v.firth", "--sets", "sets.json", "--query", "arts,one:men,women")
    assert ended.status == 0
    assert "target sets of 2 and 1 words, where the test expects equal ones: means are compared" in ended.err


def test_words_without_numbers(firth: Command):
    asked = ("--sets", "sets.json", "--query", "arts,maths:men,women")
    assert (
        "nan.firth" in firth("bias", "nan.firth", *asked).complaint or "him" in firth("bias", "nan.firth", *asked).err
    )


DEBIAS = {
    ("--pairs", "foreign.json"): "none of 2 definitional pairs has two words with vectors ('sie', 'er', 'ihr' have",
    ("--pairs", "twice.json"): "'she' is paired with itself among the definitional pairs",
    ("--pairs", "nothing.json"): "no pair of words",
    ("--pairs", "pairs.json", "--equalise", "foreign.json"): "none of 6 pairs to equalise has two words with vectors",
    ("--pairs", "pairs.json", "--neutral", "foreign.json"): "none of the 2 words of neutral words has a vector",
    ("--pairs", "pairs.json", "--method", "soft"): "method 'soft': expected one of hard, double-hard",
    ("--pairs", "pairs.json", "--alpha", "3"): "alpha with method hard: it has no options",
    ("--pairs", "pairs.json", "--method", "half-sibling", "--alpha", "0"): "--alpha 0.0: expected a number above 0",
    ("--pairs", "pairs.json", "--method", "null-space"): "words per side: expected at least 5 for training",
    ("--pairs", "pairs.json", "--method", "null-space", "--rounds", "5"): "--rounds 5 with vectors of dimension 5",
    ("--pairs", "pairs.json", "--method", "double-hard", "--components", "9"): "--components 9: expected from 1 to 5",
}  # fmt: skip


@pytest.mark.parametrize(("flags", "message"), DEBIAS.items(), ids=str)
def test_debias(firth: Command, flags, message):
    assert message in firth("debias", "v.firth", *flags, "-o", "out").complaint
    assert not (firth.folder / "out").exists()


def test_debias_of_what_is_not_finite(firth: Command):
    assert "nan.txt line 7" in firth("debias", "nan.txt", "--pairs", "pairs.json", "-o", "out").complaint
    assert not (firth.folder / "out").exists()


def test_a_place_that_is_taken(firth: Command):
    (firth.folder / "out").mkdir()
    (firth.folder / "out" / "mine.txt").write_text("mine")
    assert "a folder of something else" in firth("debias", "v.firth", "--pairs", "pairs.json", "-o", "out").complaint
