"""Frequencies of words by file and year."""

import pytest

import firth
from firth.errors import CorpusError, OptionError, UnknownWordError


@pytest.fixture
def novels(tmp_path):
    for name, text in {
        "1815_a": "Honour is here\n",
        "1815_b": "no duty",
        "1900_c": "honour, honour",
        "1901_d": "",
    }.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def facts(rows):
    return [(row.word, row.name.removesuffix(".txt")[-6:], row.count, row.tokens) for row in rows]


def test_by_file(novels):
    rows = firth.word_frequencies(novels, ["HONOUR", "duty"], progress=False)
    assert facts(rows) == [
        ("honour", "1815_a", 1, 3), ("honour", "1815_b", 0, 2), ("honour", "1900_c", 2, 2),
        ("duty", "1815_a", 0, 3), ("duty", "1815_b", 1, 2), ("duty", "1900_c", 0, 2),
    ]  # fmt: skip
    assert rows[0].per_million == pytest.approx(1e6 / 3)


def test_by_year(novels):
    rows = firth.word_frequencies(novels, ["honour"], years=True, progress=False)
    assert facts(rows) == [("honour", "1815", 1, 5), ("honour", "1900", 2, 2)]
    (novels / "letter.txt").write_text("honour", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"letter.txt: no year in the name"):
        firth.word_frequencies(novels, ["honour"], years=True, progress=False)


def test_texts_have_numbers():
    rows = firth.word_frequencies(["a b", "", "b"], ["b"], progress=False)
    assert facts(rows) == [("b", "1", 1, 2), ("b", "3", 1, 1)]
    with pytest.raises(UnknownWordError, match="'c'"):
        firth.word_frequencies(["a b"], ["c"], progress=False)
    with pytest.raises(OptionError, match="list of words"):
        firth.word_frequencies(["a b"], "b", progress=False)
