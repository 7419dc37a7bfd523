"""`firth antonyms`, as a user runs it."""

import json

import numpy as np
import pytest

from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command

PLACES = 30


@pytest.fixture(scope="module")
def firth(tmp_path_factory):
    """Three words a place; low and high are opposites, low and little alike; a text says so three times each."""
    folder = tmp_path_factory.mktemp("antonyms")
    random = np.random.default_rng(0)
    rows = np.tile(random.normal(size=(PLACES, 20)), (3, 1))
    rows[:, 0] += np.repeat([-1, -1, 1], PLACES)
    words = [f"{side}{i}" for side in ("low", "little", "high") for i in range(PLACES)]
    WordVectors(words, rows + 0.2 * random.normal(size=rows.shape)).save(folder / "v.firth")
    (folder / "text.txt").write_text(
        "".join(f"either low{i} or high{i}\n" * 5 for i in range(PLACES)), encoding="utf-8"
    )
    pairs = [f"low{i} high{i} 1\nlow{i} little{i} 0\n" for i in range(5, PLACES)]
    (folder / "pairs.txt").write_text("".join(pairs), encoding="utf-8")
    (folder / "patterns.txt").write_text("X or Y\n", encoding="utf-8")
    return Command(folder)


def told(ended):
    assert ended.status == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


def test_by_patterns(firth):
    rows = told(firth("antonyms", "v.firth", "low1", "high2", "--corpus", "text.txt", "-q", "--json"))
    assert [row["query"] for row in rows] == ["low1", "high2"]
    assert [row["antonyms"][0]["word"] for row in rows] == ["high1", "low2"]
    first = rows[0]["antonyms"][0]
    assert first["patterns"] == {"either X or Y": 5, "X or Y": 5}
    assert first["log_odds"] is None
    assert first["association"] > 0


def test_by_a_classifier(firth):
    """Low1 stands in no pair of training; its synonym is as near as its antonym, and much less likely one."""
    (row,) = told(firth("antonyms", "v.firth", "low1", "--pairs", "pairs.txt", "-n", "100", "--json"))
    odds = {one["word"]: one["log_odds"] for one in row["antonyms"]}
    assert odds["high1"] > odds["little1"] + 1
    assert [one["score"] for one in row["antonyms"]] == sorted((one["score"] for one in row["antonyms"]), reverse=True)
    assert not any(one["patterns"] for one in row["antonyms"])


def test_by_both_in_words(firth):
    ended = firth(
        *("antonyms", "v.firth", "low1", "high2", "--corpus", "text.txt", "--pairs", "pairs.txt"),
        *("--patterns", "patterns.txt", "-n", "1", "-q"),
    )
    assert ended.status == 0, ended.err
    one, first, other, second = ended.out.splitlines()
    assert (one, other) == ("low1", "high2")
    assert first.split()[0] == "high1"
    assert second.split()[0] == "low2"
    assert "log-odds +" in first
    assert first.endswith("X or Y 5")


def test_a_word_without_partners(firth):
    ended = firth("antonyms", "v.firth", "little1", "--corpus", "text.txt", "-q")
    assert (ended.status, ended.out) == (0, "")
    assert "little1: no pattern joins it with another word" in ended.err


def test_unknown_words_do_not_cost_the_others_theirs(firth):
    ended = firth("antonyms", "v.firth", "low1", "lwo1", "--corpus", "text.txt", "-q", "-n", "1")
    assert ended.status == 1
    assert "high1" in ended.out
    assert "'lwo1' is not in the vocabulary" in ended.err
