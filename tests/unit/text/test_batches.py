"""Texts in batches: order, errors, warnings."""

import numpy as np
import pytest

from firth.errors import ArgumentTypeError, OptionError
from firth.text.batches import TextsWarning, encoded_in_batches, warn_truncated

TEXTS = ["aaa", "b", ["c", "cc", "ccc", "cccc"], "", "dd"]


def lengths_of(batch):
    return np.array([[len(text)] for text in batch])


@pytest.mark.parametrize("batch_size", [1, 2, 5, 100])
@pytest.mark.parametrize("by_length", [False, True])
def test_rows_are_in_the_order_of_the_texts(batch_size, by_length):
    found = encoded_in_batches(TEXTS, lengths_of, 1, batch_size=batch_size, by_length=by_length)
    assert found.dtype == np.float32
    assert found[:, 0].tolist() == [3, 1, 4, 0, 2]


def test_batches_by_length_hold_neighbours_in_length():
    batches = []

    def keep(batch):
        batches.append([len(text) for text in batch])
        return lengths_of(batch)

    encoded_in_batches(TEXTS, keep, 1, batch_size=2, by_length=True)
    assert batches == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("wrong", [5, None, b"bytes", ["a", 5], {"a": 1}])
def test_a_wrong_text_is_named_by_its_place_before_anything_is_encoded(wrong):
    """The fourth text is in the second batch of two."""

    def never(batch):
        raise AssertionError("encoded")

    with pytest.raises(ArgumentTypeError, match=r"texts\[3\]"):
        encoded_in_batches(["a", "b", "c", wrong], never, 1, batch_size=2)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
def test_batch_size(wrong):
    with pytest.raises(OptionError, match="expected a whole number of at least 1"):
        encoded_in_batches(TEXTS, lengths_of, 1, batch_size=wrong)


def test_truncation_is_reported_once_and_only_if_there_is_any(recwarn):
    warn_truncated(0, 10, 512)
    assert not recwarn.list
    warn_truncated(1200, 10_000, 512)
    (warning,) = recwarn.list
    assert isinstance(warning.message, TextsWarning)
    assert str(warning.message) == "1,200 of 10,000 texts have more than 512 tokens: the rest of them is not read"
    assert warning.filename == __file__
