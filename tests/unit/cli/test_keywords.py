"""`firth keywords` and `firth collocations`, as a user runs them."""

import csv
import io
import json

import pytest


@pytest.fixture
def texts(tmp_path):
    for name, text in {"a/1": "king of men", "a/2": "king king, 王", "b/1": "men of war", "b/2": "war of men"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")


def test_keywords(run, texts):
    status, out, err = run("keywords", "a", "--against", "b", "--min-count", "1")
    assert status == 0
    head, first, second = out.splitlines()
    assert head.split() == ["word", "G2", "ratio", "low", "high", "count", "against", "DP", "files"]
    assert first.split()[0] == "king"
    assert second.split()[0] == "王"
    assert err.splitlines()[-1] == "2 of 2 words; 6 words in 2 files and 6 words in 2 files"
    _, out, _ = run("keywords", "a", "--against", "b", "--min-count", "1", "--csv", "--negative", "-q")
    assert [row["word"] for row in csv.DictReader(io.StringIO(out))] == ["war", "men", "of"]
    _, _, err = run("keywords", "a", "--against", "b", "-q")
    assert "expected another text, or a smaller --min-count" in err


def test_collocations(run, texts):
    _, out, err = run("collocations", "b", "men", "--min-count", "1", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["word"], row["count"], row["documents"]) for row in rows] == [("of", 2, 2), ("war", 2, 2)]
    assert err.splitlines()[-1] == "2 of 2 words near men, which occurs 2 times; 6 words in 2 files"
    status, _, err = run("collocations", "b", "man", "-q")
    assert (status, err) == (1, "firth: 'man' is not in the vocabulary; did you mean men?\n")
    assert "smaller --min-count" in run("collocations", "b", "men", "-q")[2]
    for command in (["collocations", "b", "war of men"], ["plot", "frequency", "b", "war of men", "-o", "a.png"]):
        status, _, err = run(*command, "-q")
        assert status == 1
        assert "'war of men' is not in the vocabulary: its text was split into war, of, men; expected one of" in err


def test_frequencies_over_files(run, texts):
    status, out, _ = run("plot", "frequency", "a", "king", "--json")
    assert status == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["name"], row["count"], row["tokens"]) for row in rows] == [("a/1.txt", 1, 3), ("a/2.txt", 2, 3)]
    assert "no year in the name" in run("plot", "frequency", "a", "king", "--years", "--json")[2]
