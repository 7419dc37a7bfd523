"""Hard debiasing by hand, and by what it promises of every word."""

import numpy as np
import pytest

from firth.bias.direction import bias_direction
from firth.bias.hard_debiasing import equalise, hard_debias, with_case_variants
from firth.errors import FormatError, OptionError
from firth.vectors.word_vectors import WordVectors
from tests.unit.bias.planted import PAIR_LIST, WORDS, planted

VECTORS = WordVectors(
    ["she", "he", "nurse", "aunt", "uncle", "queen"],
    np.array([[-0.6, 0.8, 0], [1.2, 1.6, 0], [-1.2, 0, 1.6], [0, 1, 0], [0.6, 0.8, 0], [-3, 0, 4]], dtype=np.float64),
)


def test_by_hand():
    """The direction is (1, 0, 0). nurse (-.6, 0, .8) loses it and is (0, 0, 1). she and he are equal already.

    aunt and uncle have the middle (.3, .9, 0); (0, .9, 0) of it is left, and sqrt(1 - .81) to either side. queen, which
    is named, keeps what it has; all are of length 1.
    """
    found = hard_debias(VECTORS, [("she", "he")], equalise_pairs=[("aunt", "uncle")], specific=["queen"])
    out = np.sqrt(0.19)
    expected = [[-0.6, 0.8, 0], [0.6, 0.8, 0], [0, 0, 1], [-out, 0.9, 0], [out, 0.9, 0], [-0.6, 0, 0.8]]
    assert found.vectors == pytest.approx(np.array(expected))
    steps = found.metadata["postprocessing"]
    assert [each["step"] for each in steps] == ["normalise", "neutralise", "normalise", "equalise"]
    assert (steps[1]["words"], steps[3]["pairs"], steps[3]["unknown_words"]) == (1, 1, [])
    assert "postprocessing" not in VECTORS.metadata


def test_what_is_promised_of_every_word():
    """|w . g| < 1e-6 for neutral words, each of which is equally near to both words of each pair; length 1."""
    vectors, *_ = planted()
    along = bias_direction(vectors, PAIR_LIST)
    pairs = [(f"w{i}", f"w{i + 1}") for i in range(0, 20, 2)]
    found = hard_debias(vectors, PAIR_LIST, equalise_pairs=pairs, specific=["w30", "w31"])
    rows = found.vectors.astype(np.float64)
    start = 2 * len(PAIR_LIST)
    neutral = [start + i for i in range(20, WORDS) if i not in (30, 31)]
    assert np.abs(rows[neutral] @ along.direction).max() < 1e-6
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-6
    for one, other in pairs:
        near = rows[neutral] @ np.stack([found.get_vector(one), found.get_vector(other)], axis=1)
        assert np.abs(near[:, 0] - near[:, 1]).max() < 1e-6
    kept = vectors.vectors[start + 30].astype(np.float64)
    assert rows[start + 30] == pytest.approx(kept / np.linalg.norm(kept), abs=1e-6)


def test_a_word_of_two_pairs_goes_with_the_first():
    along = bias_direction(VECTORS, [("she", "he")])
    found = equalise(VECTORS, along, [("aunt", "uncle"), ("aunt", "queen"), ("tante", "onkel")])
    assert found.get_vector("aunt") == pytest.approx([-np.sqrt(0.19), 0.9, 0])
    assert found.get_vector("queen") == pytest.approx([-3, 0, 4])
    step = found.metadata["postprocessing"][-1]
    assert (step["pairs"], step["overlapping"], step["unknown_words"]) == (1, 1, ["tante", "onkel"])


def test_pairs_are_meant_in_every_case():
    forms = [tuple(pair) for pair in with_case_variants([("Polish", "polish"), ("dad", "mom")])]
    assert forms == [("Polish", "polish"), ("dad", "mom"), ("dad", "mom"), ("Dad", "Mom"), ("DAD", "MOM")]


def test_what_cannot_be_done():
    with pytest.raises(OptionError, match="pairs to equalise has two words with vectors"):
        hard_debias(VECTORS, [("she", "he")], equalise_pairs=[("tante", "onkel")])
    rows = VECTORS.vectors.copy()
    rows[2] = np.nan
    with pytest.raises(FormatError, match="nurse"):
        hard_debias(WordVectors(VECTORS.words, rows), [("she", "he")])
    narrow = WordVectors(["aunt", "uncle"], np.eye(2))
    with pytest.raises(OptionError, match="expected equal dimensions"):
        equalise(narrow, bias_direction(VECTORS, [("she", "he")]), [("aunt", "uncle")])
