"""English and Spanish of Tatoeba in one space: CSLS finds more than cosine, and halves that share no sentence less."""

import json

import pytest


def told(figures, what):
    return next(row for row in figures if row["what"] == what)


@pytest.fixture(scope="module")
def sources(shared_data):
    folder = shared_data / "parallel"
    return [str(folder / "tatoeba-spa-eng.tsv.gz"), str(folder / "tatoeba-en-es-dice.dict")]


@pytest.mark.slow
def test_toy(recipe, sources, tmp_path, capsys):
    """A third of the sentences, one thread: measured 37 of a hundred words with 800 pairs, 9 from halves."""
    figures = recipe["main"]([*sources, "--toy", "--threads", "1", "--results", str(tmp_path / "figures.jsonl")])
    few, many = (told(figures, f"{count} pivots, orthogonal") for count in (200, 800))
    assert many["csls_p1"] > 32
    assert many["csls_p1"] > many["cosine_p1"] + 2
    assert many["csls_p1"] > few["csls_p1"] + 4
    assert told(figures, "200 pivots, orthogonal, refined")["csls_p1"] > few["csls_p1"] + 3
    assert told(figures, "halves, 800 pivots, orthogonal")["csls_p1"] < many["csls_p1"] / 2
    assert many["csls_p1"] < many["csls_p5"] < many["csls_p10"]
    lines = (tmp_path / "figures.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["what"] for line in lines] == [row["what"] for row in figures]
    assert "| 800 pivots, weighted |" in (tmp_path / "figures.md").read_text(encoding="utf-8")


@pytest.mark.experiment
def test_all_of_it(recipe, sources):
    """One seed, some three minutes: 500 pairs give 49 and 55 of a hundred words, no dictionary at all 65 and 68."""
    figures = recipe["main"]([*sources, "--seeds", "1"])
    half = told(figures, "500 pivots, orthogonal")
    assert half["cosine_p1"] > 47.3
    assert half["csls_p1"] > 54.2
    none = told(figures, "no dictionary")
    assert none["converged"]
    assert none["cosine_p1"] > 62.7
    assert none["csls_p1"] > 66
