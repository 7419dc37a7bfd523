"""`firth semantic-change`, as a user runs it."""

import json
from functools import partial

import pytest

from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command
from tests.unit.alignment.spaces import rotation, twins


@pytest.fixture
def change(tmp_path):
    old, _ = twins()
    rows = old.vectors @ rotation(20, 9)
    rows[[30, 40]] = rows[[40, 30]]
    WordVectors(old.words, old.vectors).save(tmp_path / "old.firth")
    WordVectors([*old.words[:290], "new"], rows[:291]).save(tmp_path / "new.firth")
    return partial(Command(tmp_path), "semantic-change")


def test_words_that_moved(change):
    found = [json.loads(line) for line in change("old.firth", "new.firth", "-n", "2", "--json").out.splitlines()]
    assert {each["word"] for each in found} == {"a30", "a40"}
    assert set(found[0]["old"]).isdisjoint(found[0]["new"])
    ended = change("old.firth", "new.firth", "a30", "a5")
    assert ended.status == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[3].startswith("a5  distance 0.0")
    assert lines[4].split()[1:] == lines[5].split()[1:]


def test_what_is_wrong(change):
    assert "--by far: expected distance or neigh" in change("old.firth", "new.firth", "--by", "far").complaint
    assert "'new' is not in the vocabulary" in change("old.firth", "new.firth", "new").complaint
