"""The recipe at toy size: chance before, told apart after, and the pairs that no list holds show it."""

import json

import numpy as np
import pytest

import firth


@pytest.fixture(scope="module")
def rows(recipe):
    return {(row["which"], row["vectors"]): row for row in recipe["main"](["--toy"])}


def test_by_cosine_alone_it_is_chance(rows):
    """Both kinds of pairs are made alike: 160 of each; one standard deviation of the share is 0.033."""
    assert rows["all", "as they are"]["count"] == 320
    assert abs(rows["all", "as they are"]["synonyms_nearer"] - 0.5) < 0.1


def test_lists_of_both_tell_them_apart(rows):
    assert rows["all", "counter-fitted"]["synonyms_nearer"] > 0.9
    assert rows["all", "counter-fitted"]["antonyms_precision"] > 0.9


def test_pairs_that_no_list_holds(rows):
    """The synonym of a synonym comes near, and the synonym of an antonym goes away with it."""
    assert rows["unlisted", "counter-fitted"]["count"] == 160
    assert rows["unlisted", "counter-fitted"]["synonyms_nearer"] > 0.8


def test_measures_by_hand(recipe):
    """Cosines .9, .1, .5, .4 of antonym, synonym, antonym, synonym: no synonym is nearer than an antonym. Furthest
    first stand synonym, synonym, antonym, antonym: precision 1/3 and 2/4, 5/12 on average."""

    class Space:
        def similarity(self, one, other):
            return np.array([0.9, 0.1, 0.5, 0.4])

    share, precision = recipe["judged"](Space(), [("a", "b")] * 4, np.array([True, False, True, False]))
    assert (share, precision) == (0, pytest.approx(5 / 12))


def test_files(recipe, tmp_path, capsys):
    firth.WordVectors(["hot", "warm", "cold", "cool"], np.random.default_rng(0).normal(size=(4, 5))).save(
        tmp_path / "v"
    )
    for name, text in (
        ("s", "hot warm\n"),
        ("a", "hot cold\n"),
        ("p", "hot\twarm\t0\nhot\tcold\t1\nwarm\tcool\t1\ncold\tcool\t0\nx\ty\t1\n"),
    ):
        (tmp_path / name).write_text(text)
    recipe["main"]([str(tmp_path / "v"), "--synonyms", str(tmp_path / "s"), "--antonyms", str(tmp_path / "a"),
                    "--pairs", str(tmp_path / "p"), "--json"])  # fmt: skip
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["count"] for row in rows] == [4] * 3 + [2] * 3
