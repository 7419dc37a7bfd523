"""Induced senses: the contexts' file by hand, the toy by figures, the real file against its key."""

import pytest

from firth import data
from firth.readers.words_in_context import read_sense_key


def test_contexts_by_hand(recipe, tmp_path):
    path = tmp_path / "contexts.txt"
    path.write_text("bank.n 2\nthe old\tof the river\n\trobbed\nrun.v 1\nthey \tfast\n", encoding="utf-8")
    assert recipe["read_contexts"](path) == {
        "bank.n": {"bank.n.1": (["the", "old"], ["of", "the", "river"]), "bank.n.2": ([], ["robbed"])},
        "run.v": {"run.v.1": (["they"], ["fast"])},
    }


def test_the_toys_two_senses_are_found_and_the_other_word_keeps_one(recipe, tmp_path):
    lines = {line["model"]: line for line in recipe["main"](["--toy", "--results", str(tmp_path / "lines.jsonl")])}
    found, one, each = lines["adagram 0"], lines["one cluster"], lines["a cluster each"]
    assert (found["clusters"], one["clusters"], each["clusters"]) == (1.5, 1, 50)
    assert found["ari"] > 0.95
    assert found["ari"] > each["ari"] + 0.4
    assert one["paired-f"] < found["paired-f"]
    assert len((tmp_path / "lines.jsonl").read_text(encoding="utf-8").splitlines()) == len(lines)


def test_the_contexts_hold_the_occurrences_of_the_key(recipe, shared_data):
    contexts = recipe["read_contexts"](data.path_of("semeval-2010-contexts", shared_data))
    gold = read_sense_key(data.path_of("semeval-2010-senses", shared_data))
    assert sum(map(len, contexts.values())) == 8915
    assert {word: set(occurrences) for word, occurrences in contexts.items()} == {w: set(o) for w, o in gold.items()}


def test_without_senses_the_usage_is_refused(recipe, capsys):
    with pytest.raises(SystemExit):
        recipe["main"]([])
    assert "no senses: pass --vectors" in capsys.readouterr().err
