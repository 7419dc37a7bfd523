"""Masks: what a query may look at."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.masks import causal_mask, mask_scores, padding_mask


def test_padding_is_hidden_from_every_query():
    assert padding_mask(torch.tensor([2, 0, 3]), 3).int().tolist() == [[[1, 1, 0]], [[0, 0, 0]], [[1, 1, 1]]]


def test_what_comes_later_is_hidden():
    assert causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_earlier_keys_are_seen_as_far_as_the_context_reaches():
    """Two queries behind three keys: they stand at places 3 and 4. With a context of 3 they see 1, 2, 3 and 2, 3, 4."""
    assert causal_mask(2, before=3, context=3).int().tolist() == [[0, 1, 1, 1, 0], [0, 0, 1, 1, 1]]


def test_hidden_scores_are_the_lowest_number():
    scores = mask_scores(torch.tensor([[1.0, 2.0]]), torch.tensor([[True, False]]))
    assert scores.tolist() == [[1.0, torch.finfo(torch.float32).min]]
