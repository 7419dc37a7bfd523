"""Which words of a query are found, and what is said of the others."""

import re
from pathlib import Path

import numpy as np
import pytest

import firth
from firth import bias
from firth.bias.metrics import weat
from firth.bias.query import TITLES, Query, lookup, title_of
from firth.errors import FormatError, OptionError
from firth.vectors.word_vectors import WordVectors

WORDS = ["art", "dance", "math", "algebra", "he", "him", "she", "her", "amy", "Amy"]
VECTORS = WordVectors(WORDS, np.random.default_rng(0).normal(size=(10, 4)).astype(np.float32))


def test_words_are_found_as_written_then_in_lower_case():
    """Art is found as art; Amy, which has a row of its own, is not taken for amy; a word given twice counts once."""
    found = lookup(VECTORS, Query.of([["Art", "Amy", "art"]], [["he", "absent", "gone"]]), "mac", None, None)
    assert found.target_words == (("art", "Amy"),)
    assert found.coverage["target 1"].missing == ()
    assert found.coverage["attribute 1"].missing == ("absent", "gone")
    assert found.coverage["attribute 1"].given == 3
    assert found.notes == ("2 of the 3 words of attribute 1 have no vector: the score is that of the others",)
    np.testing.assert_array_equal(found.targets[0], VECTORS.vectors[[0, 9]].astype(np.float64))


def test_results_carry_their_coverage():
    asked = Query({"arts": ["art", "dance"], "maths": ["math", "algebra"]}, {"m": ["he", "him"], "f": ["she", "gone"]})
    found = weat(VECTORS, asked)
    assert (found.words, found.missing) == (7, ["gone"])
    assert found.row["sets"]["f"] == {"used": 1, "given": 2}
    assert found.row["name"] == found.query == "arts, maths / m, f"
    assert found.row["effect"] == found.value
    page = found._repr_html_()
    assert "<b>weat</b>" in page
    assert f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})" in page
    assert ">gone<" in page


def test_one_name_of_both_kinds_is_two_sets():
    found = lookup(VECTORS, Query({"same": ["art"]}, {"same": ["he"]}), "mac", None, None)
    assert list(found.coverage) == ["same (targets)", "same (attributes)"]


def test_a_word_on_both_sides_is_told():
    found = lookup(VECTORS, Query.of([["art"]], [["art", "he"]]), "mac", None, None)
    assert found.notes == ("'art' is both target and attribute: its similarity with itself counts",)


@pytest.mark.parametrize(
    ("targets", "attributes", "message"),
    [
        ([["art"], []], [["he"], ["she"]], "target set 'target 2' is empty: expected at least one word"),
        ([["art"], ["math"]], [["he"], "she"], "attribute set 'attribute 2' is 'she': expected a list of words"),
        ([["art"], ["none", "nil"]], [["he"], ["she"]], "none of the 2 words of target set 'target 2' has a vector"),
        ([["art"], ["Art"]], [["he"], ["she"]], "'art' is in both target sets 'target 1' and 'target 2'"),
        ([["art"], ["math"]], [["he"], ["he"]], "'he' is in both attribute sets"),
        ([["art"]], [["he"], ["she"]], "1 target sets, expected 2"),
        ([["art"], ["math"]], [["he"]], "1 attribute sets, expected 2"),
    ],
)
def test_queries_that_cannot_be_asked(targets, attributes, message):
    with pytest.raises(OptionError, match=message):
        weat(VECTORS, Query.of(targets, attributes))


def test_a_vector_that_is_not_finite():
    rows = VECTORS.vectors.copy()
    rows[5, 1] = np.nan
    with pytest.raises(FormatError, match="the vector of 'him' holds NaN"):
        weat(WordVectors(WORDS, rows), Query.of([["art"], ["math"]], [["he", "him"], ["she"]]))


def test_tests_of_the_literature_have_titles_for_people():
    """A part of a query keeps its own name; JSON keeps the short names."""
    assert title_of("weat-6") == "Names and careers (WEAT 6)"
    assert title_of("weat-6: career") == "Names and careers (WEAT 6): career"
    assert title_of("men / women") == "men / women"
    assert list(TITLES) == list(bias.WEAT_TESTS)
    score = bias.BiasScore("weat", "weat-7", 0.5, {})
    assert "Mathematics, arts and gender (WEAT 7)" in score._repr_html_()
    assert score.row["name"] == "weat-7"


def test_the_explorer_says_the_same():
    page = (Path(firth.__file__).parent / "explorer" / "page" / "views.js").read_text("utf-8")
    presets = dict(re.findall(r'"([^"]+ \(WEAT \d+\))": "(weat-\d+)"', page))
    assert len(presets) >= 5
    assert {name: title for title, name in presets.items()}.items() <= TITLES.items()
