"""Max-margin training: what replaces a word, and the loss by hand."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.tagging.network import margin_losses, replacements


def test_words_are_replaced_by_others_with_another_tag():
    torch.manual_seed(5)
    tags, words = torch.randint(3, (500,)), torch.randint(1, 6, (500,))
    others, replaced = replacements(tags, words)
    assert replaced.float().mean() > 0.95
    assert (tags[others] != tags)[replaced].all()
    assert (words[others] != words)[replaced].all()


def test_nothing_is_replaced_where_all_tags_are_equal():
    _, replaced = replacements(torch.zeros(5, dtype=torch.int64), torch.arange(5))
    assert not replaced.any()


def test_losses_by_hand():
    """True 2, corrupted 1.5, best other 0.5, margin 1: 0.5 for the corrupted window, nothing for the other tags."""
    scores = torch.tensor([[2.0, 0.5, -1.0], [0.0, 0.25, 0.5]])
    corrupted = torch.tensor([[1.5, 9.0, 9.0], [9.0, 9.0, 9.0]])
    losses = margin_losses(scores, corrupted, torch.tensor([0, 1]), torch.tensor([True, False]), 1.0)
    assert losses.tolist() == [0.5, 1.25]


def test_there_is_no_gradient_beyond_the_margin():
    scores = torch.tensor([[3.0, 1.0]], requires_grad=True)
    corrupted = torch.tensor([[1.9, 0.0]], requires_grad=True)
    loss = margin_losses(scores, corrupted, torch.tensor([0]), torch.tensor([True]), 1.0)
    loss.sum().backward()
    assert loss.item() == 0
    assert not scores.grad.any()
    assert not corrupted.grad.any()
