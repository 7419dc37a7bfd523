import csv
import json

import numpy as np
import pytest

import firth
from firth.alignment.chance import _false_share
from firth.errors import ArgumentTypeError, OptionError, RareWordError, UnknownWordError
from tests.unit.alignment.grouped import documents

QUICK = firth.Word2Vec(dim=4, epochs=1, sample=0)
MODEL = firth.Word2Vec(dim=8, window=8, epochs=3, sample=0, lr=0.05)
GROUPS = {
    "1800": documents(12, 1), "1850": [*documents(10, 2), "w0 new new new"], "1900": [*documents(9, 3), "new new w1"],
}  # fmt: skip
FEW = {"permutations": 4, "runs": 2, "min_count": 2, "progress": False}

pytestmark = pytest.mark.filterwarnings("ignore:permutations=4")


@pytest.fixture(scope="module")
def small():
    return firth.contrast_series(QUICK, GROUPS, **FEW)


def test_each_group_is_contrasted_with_the_next_and_the_first_with_the_last(small):
    assert [pair.names for pair in small.pairs] == [("1800", "1850"), ("1850", "1900"), ("1800", "1900")]
    for pair in small.pairs:
        two = firth.contrast(QUICK, *(GROUPS[name] for name in pair.names), names=pair.names, **FEW)
        assert pair.words == two.words
        for name in ("distance", "low", "high", "chance", "z", "p", "counts"):
            assert np.array_equal(getattr(pair, name), getattr(two, name), equal_nan=True)


def test_one_correction_for_the_words_of_all_pairs(small):
    """`q` is Benjamini and Hochberg's over all p; no adjusted p is below that of the pair alone."""
    p = np.concatenate([pair.p for pair in small.pairs])
    assert np.concatenate([pair.q for pair in small.pairs]) == pytest.approx(_false_share(p), nan_ok=True)
    z = np.concatenate([pair.z for pair in small.pairs])
    adjusted = np.concatenate([pair.adjusted for pair in small.pairs])
    order = np.argsort(-z[np.isfinite(z)])
    assert (np.diff(adjusted[np.isfinite(z)][order]) >= 0).all()


def test_a_word_that_changes_between_the_last_two_periods_is_found():
    swapped = {"w10": "w11", "w11": "w10", "w20": "w23", "w23": "w20"}
    last = [" ".join(swapped.get(word, word) for word in text.split(" ")) for text in documents(24, 3)]
    found = firth.contrast_series(
        MODEL, {"a": documents(24, 1), "b": documents(24, 2), "c": last}, runs=0, seed=1, progress=False
    )
    assert found.significant()
    assert set(found.significant()) <= {*swapped}
    assert found.most_changed(1)[0] in found.significant()
    assert found.pairs[0].significant() == []
    assert set(found.significant()) <= set(found.significant(by="q"))
    assert f"{len(found.significant())} of {len(found)} words change by more than chance" in found.summary()


def test_facts_of_a_word(small):
    facts = small.facts("W1", near=3)
    assert facts["word"] == "w1"
    assert [*facts["counts"]] == [*facts["neighbours"]] == ["1800", "1850", "1900"]
    assert facts["counts"]["1850"] == " ".join(GROUPS["1850"]).split().count("w1")
    assert [(c["from"], c["to"]) for c in facts["changes"]] == [pair.names for pair in small.pairs]
    assert [c["distance"] for c in facts["changes"]] == [pair.facts("w1")["distance"] for pair in small.pairs]
    json.dumps(facts)


def test_a_word_of_some_periods(small):
    facts = small.facts("new")
    assert facts["counts"] == {"1800": 0, "1850": 3, "1900": 2}
    assert [change["distance"] is None for change in facts["changes"]] == [True, False, True]
    assert [*facts["neighbours"]] == ["1850", "1900"]
    assert "new" in small
    with pytest.raises(UnknownWordError, match="'zebra' is not in the vocabulary"):
        small.facts("zebra")
    few = firth.contrast_series(QUICK, GROUPS, **{**FEW, "min_count": 5, "runs": 0})
    with pytest.raises(RareWordError, match="'new' is too rare in both groups: 0 in 1800, 3 in 1850"):
        few.facts("new")


def test_a_table_has_a_row_for_each_pair(small, tmp_path):
    small.save(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * len(small)
    assert [row["word"] for row in rows[::3]] == small.most_changed(len(small))
    assert [(row["from"], row["to"]) for row in rows[:3]] == [pair.names for pair in small.pairs]
    assert int(rows[0]["count in 1900"]) == small.facts(rows[0]["word"])["counts"]["1900"]
    assert small.most_changed(1)[0] in small._repr_html_()


@pytest.mark.parametrize(
    ("groups", "error", "said"),
    [
        ({"a": ["x"], "b": ["y"]}, OptionError, "expected the names of 3 groups or more; firth.contrast compares two"),
        ([["x"], ["y"], ["z"]], ArgumentTypeError, "documents by the names of the groups"),
    ],
)
def test_wrong_groups(groups, error, said):
    with pytest.raises(error, match=said):
        firth.contrast_series(QUICK, groups)
