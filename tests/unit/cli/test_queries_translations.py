"""`firth translate-words`, as a user runs it."""

import json

import pytest

from firth.alignment.procrustes import Procrustes
from tests.robustness.command import Command
from tests.unit.alignment.spaces import translations, twins


@pytest.fixture
def firth(tmp_path):
    Procrustes().align(*twins(noise=0.1), translations(0, 60), progress=False).save(tmp_path / "ab")
    return Command(tmp_path)


def test_words(firth):
    ended = firth("translate-words", "ab", "a100", "a200", "-n", "2")
    assert ended.status == 0, ended.err
    lines = ended.out.splitlines()
    assert [lines[0], lines[3]] == ["a100", "a200"]
    assert (lines[1].split()[0], lines[4].split()[0], len(lines)) == ("b100", "b200", 6)
    one = json.loads(firth("translate-words", "ab", "b7", "--back", "--metric", "cosine", "-n", "3", "--json").out)
    assert (one["query"], one["metric"], len(one["translations"])) == ("b7", "cosine", 3)
    assert one["translations"][0]["word"] == "a7"


def test_an_unknown_word_costs_the_others_nothing(firth):
    ended = firth("translate-words", "ab", "b1", "a1", "-n", "1")
    assert ended.status == 1
    assert ended.out.split()[:2] == ["a1", "b1"]
    assert "'b1' is not in the vocabulary" in ended.err


def test_wrong_arguments(firth):
    assert "--metric dot: expected csls or cosine" in firth("translate-words", "ab", "a1", "--metric", "dot").complaint
    assert "-n 0: expected" in firth("translate-words", "ab", "a1", "-n", "0").complaint
    twins()[0].save(firth.folder / "words")
    assert "words holds word vectors, expected a folder of firth align" in firth(
        "translate-words", "words", "a1"
    ).complaint  # fmt: skip
