"""`firth bias` and `firth debias`, as a user runs them."""

import json

import numpy as np
import pytest

from firth import bias
from firth.bias import METRICS, Query
from firth.loading import load
from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command
from tests.unit.bias.planted import PAIR_LIST, planted

SETS = {"x": [f"w{i}" for i in range(0, 16, 2)], "y": [f"w{i}" for i in range(1, 17, 2)]} | {
    "a": [one for one, _ in PAIR_LIST],
    "b": [other for _, other in PAIR_LIST] + ["Unknown"],
    "gone": ["nowhere", "nobody"],
}


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return planted(second=0.5)[0]


@pytest.fixture
def firth(tmp_path, vectors):
    vectors.save(tmp_path / "v.firth")
    (tmp_path / "sets.json").write_text(json.dumps(SETS), encoding="utf-8")
    (tmp_path / "pairs.json").write_text(json.dumps(PAIR_LIST), encoding="utf-8")
    (tmp_path / "neutral.txt").write_text("\n".join(SETS["x"] + SETS["y"]) + "\n", encoding="utf-8")
    return Command(tmp_path)


def rows(ended) -> list[dict]:
    assert ended.status == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


ASKED = ("--sets", "sets.json", "--query", "x,y:a,b")


def test_the_figures_are_those_of_python(firth, vectors):
    query = Query({name: SETS[name] for name in "xy"}, {name: SETS[name] for name in "ab"})
    told = rows(firth("bias", "v.firth", *ASKED, "--seed", 3, "--json"))
    assert told == [json.loads(json.dumps(bias.weat(vectors, query, seed=3).row))]
    assert told[0]["effect"] > 1.5
    assert told[0]["p"] == 1 / 12_870
    assert told[0]["missing"] == ["Unknown"]


def test_the_table_and_what_is_missing(firth):
    ended = firth("bias", "v.firth", *ASKED)
    assert [line.split()[:1] for line in ended.out.splitlines()] == [["query"], ["x,"]]
    assert "32/33" in ended.out
    assert "7.8e-05" in ended.out
    assert ended.err == "without a vector: Unknown\n"


def test_every_measure(firth):
    told = rows(firth("bias", "v.firth", *ASKED, "--metric", "all", "--json"))
    assert list(dict.fromkeys(each["metric"] for each in told)) == list(METRICS)
    some = rows(firth("bias", "v.firth", *ASKED, "--metric", "mac", "--metric", "rnsb", "--json"))
    assert [each["metric"] for each in some] == ["mac", "rnsb"]


def test_a_picture_of_the_figures(firth):
    """`firth bias --json` is what `firth plot bias` reads."""
    lines = firth("bias", "v.firth", *ASKED, "--json").out
    drawn = firth("plot", "bias", "-", "--json", stdin=lines)
    assert json.loads(drawn.out)["effect"] == json.loads(lines)["effect"]


@pytest.mark.parametrize("method", bias.METHODS)
def test_debiasing(firth, vectors, tmp_path, method):
    flags = ("--pairs", "pairs.json", "--neutral", "neutral.txt", *ASKED)
    told = rows(firth("debias", "v.firth", "--method", method, *flags, "-o", "out", "--json"))
    done, direct, weat, control = told
    assert (done["vectors"], done["method"], done["words"]) == ("out", method, len(vectors))
    assert direct["metric"] == "direct-bias"
    assert weat["before"] > 1.5
    assert abs(direct["after"]) < direct["before"]
    assert control["before"]["clusters"] == 1 >= control["after"]["clusters"] >= 0.5
    made, again = load(tmp_path / "out"), bias.debias(vectors, method, bias.BiasLists(PAIR_LIST))
    np.testing.assert_array_equal(made.vectors, again.vectors)
    assert made.metadata["postprocessing"] == done["steps"]


def test_the_control_stands_beside_the_effect(firth):
    shown = firth("debias", "v.firth", "--pairs", "pairs.json", *ASKED, "-o", "out").out
    assert [line.split("  ")[0] for line in shown.splitlines()] == [
        *("query", "x, y / a, b", "x, y / a, b", "control", "control", "control"),
        "out: 616 words x 24, debiased by hard",
    ]
    assert "two clusters agree" in shown


def test_the_published_lists_are_the_usual_ones(firth, shared_data, tmp_path):
    """Vectors that know the words of weat-7 alone: the other tests are left out, and said to be."""
    (query,) = bias.weat_queries(["weat-7"], shared_data)
    words = [word for sets in (query.targets, query.attributes) for some in sets.values() for word in some]
    words += ["nurse", "doctor"]
    random = np.random.default_rng(0)
    WordVectors(words, random.normal(size=(len(words), 8))).save(tmp_path / "few.firth")
    ended = firth("bias", "few.firth", "--data", shared_data)
    assert [line.split("  ")[0] for line in ended.out.splitlines()] == [
        "query",
        "Mathematics, arts and gender (WEAT 7)",
    ]
    assert (
        "Names and careers (WEAT 6) is left out: no word of male_names, female_names, career, family has a vector"
        in ended.err
    )
    told = firth("debias", "few.firth", "--data", shared_data, "-o", "out")
    assert told.status == 0, told.err
    assert (
        "Names and careers (WEAT 6) is left out: none of the 8 words of target set 'male_names' has a vector"
        in told.err
    )
    assert "direct-bias" in told.out
