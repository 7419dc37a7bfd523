"""floret's tables: a file written by hand, round trips, damage."""

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.loading import load
from firth.vectors.character_ngrams import Hashing
from firth.vectors.io.detect import detect
from firth.vectors.word_vectors import WordVectors
from tests.unit.vectors.io.subwords import same, some

HEADER = "3 2 2 3 1 2166136261 < >\n"
TABLE = HEADER + "0 1 2 \n1 10.5 20 \n2 -3e2 .5 \n"  # floret ends its lines with a space


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_by_hand(tmp_path):
    found = load(write(tmp_path / "v.floret", TABLE))
    assert detect(tmp_path / "v.floret") == "floret"
    assert found.ngrams.hashing == Hashing(2, 3, 3, 1, 2166136261)
    assert found.ngrams.rows().tolist() == [[1, 2], [10.5, 20], [-300, 0.5]]
    assert len(found) == 0
    _, buckets = found.ngrams.hashing.buckets_of(["a"])  # <a>, <a, <a> again, a>
    assert len(buckets) == 4
    assert found["a"] == pytest.approx(found.ngrams.rows()[buckets].mean(axis=0))


@pytest.mark.parametrize("name", ["v.floret", "v.floret.gz"])
def test_there_and_back(name, tmp_path):
    vectors = some(Hashing(2, 4, 60, 3))
    vectors.save(tmp_path / name, format="floret")
    again = load(tmp_path / name)
    same(vectors, again.with_words(vectors.words))
    lines = 61 if name == "v.floret" else None
    assert lines is None or len((tmp_path / name).read_text().splitlines()) == lines


def test_what_has_no_table(tmp_path):
    with pytest.raises(
        OptionError, match="hashed with fastText's method, which floret cannot read: train with hashing="
    ):
        some().save(tmp_path / "v", format="floret")
    with pytest.raises(OptionError, match="these vectors have no n-grams"):
        WordVectors(["a"], [[1.0]]).save(tmp_path / "v", format="floret")
    assert list(tmp_path.iterdir()) == []


DAMAGES = {
    "a row less": (HEADER + "0 1 2\n1 1 2\n", "line 4: the end of the file, expected row 2"),
    "a row more": (TABLE + "3 1 2\n", "more than the 3 rows that the first line states"),
    "a number less": (HEADER + "0 1 2\n1 1\n2 1 2\n", "line 3: row '1' with 1 numbers, expected row 1 with 2"),
    "a row twice": (HEADER + "0 1 2\n0 1 2\n2 1 2\n", "line 3: row '0' with 2 numbers, expected row 1"),
    "no number": (HEADER + "0 1 2\n1 x 2\n2 1 2\n", "line 3: .*; expected 2 numbers"),
    "not a number": (HEADER + "0 1 2\n1 nan 2\n2 1 2\n", "line 3: number 1 is nan"),
    "other marks": ("3 2 2 3 1 2166136261 { }\n", "expected six whole numbers and the marks < and >"),
    "five hashes": ("3 2 2 3 5 2166136261 < >\n", "5 hashes, seed 2166136261; expected 1 to 4"),
    "no width": ("3 0 2 3 1 2166136261 < >\n", "width 0"),
    "reversed n-grams": ("3 2 4 3 1 2166136261 < >\n", "n-grams of 4 to 3"),
    "rows without end": ("2000000000 1000000 2 3 1 1 < >\n0 1\n", "line 2: row '0' with 1 numbers, expected row 0"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage(damage, tmp_path):
    text, told = DAMAGES[damage]
    with pytest.raises(FormatError, match=told):
        load(write(tmp_path / "v", text))


def test_the_format_may_be_named(tmp_path):
    with pytest.raises(FormatError, match="line 1: b'the 1 2"):
        load(write(tmp_path / "v", "the 1 2\n"), format="floret")
    assert np.array_equal(load(write(tmp_path / "v", TABLE), format="floret")["a"], load(tmp_path / "v")["a"])
