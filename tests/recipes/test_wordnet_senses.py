"""The recipe at toy size: what WordNet says is gained, also of pairs whose own ties are left out."""

import json

import pytest


@pytest.fixture(scope="module")
def line(recipe):
    return recipe["main"](["--toy"])[0]


def test_senses_are_more_like_the_gold_than_words(line):
    words = line["words"]["simlex-999"]
    assert line["senses"]["max"]["simlex-999"] > words + 0.03
    assert words + 0.02 < line["senses-apart"]["max"]["simlex-999"] < line["senses"]["max"]["simlex-999"]


def test_words_of_one_sense_are_alike_by_any_measure(line):
    assert line["senses"]["max"] == line["senses"]["avg"] == line["senses"]["avgc"]


def test_one_object_a_line(recipe, capsys):
    recipe["main"](["--toy", "--json"])
    assert json.loads(capsys.readouterr().out)["vectors"] == "toy"


def test_what_it_needs(recipe, capsys):
    with pytest.raises(SystemExit):
        recipe["main"](["some.firth"])
    assert "--wordnet" in capsys.readouterr().err
