"""How many words have a given vector is told; vectors of another language are warned of."""

import logging

import pytest

from firth.vectors.coverage import tell_coverage

COUNTS = {"the": 6, "harbour": 1, "of": 2, "Oran": 1}


def test_what_vectors_know_is_told(caplog, recwarn):
    caplog.set_level(logging.INFO, logger="firth")
    assert tell_coverage(COUNTS, {"the", "of", "harbour"}.__contains__) == pytest.approx(0.9)
    assert caplog.messages == ["vectors know 90.0 % of 10 words (75.0 % of the distinct ones)"]
    assert not recwarn.list


def test_vectors_of_another_language_are_warned_of():
    with pytest.warns(UserWarning, match=r"know 10\.0 % of 10 words \(25\.0 % .*lack 'the', 'of', 'harbour': are they"):
        tell_coverage(COUNTS, {"Oran"}.__contains__)
