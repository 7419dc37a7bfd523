"""Windows over streams: the words before a chunk are its state."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.language.windows import windows


def test_chunks_go_on_where_the_last_ended():
    """Windows of 3 over 1 2 3 4 5, two begins (9) before them: 9 9 1, 9 1 2, 1 2 3 | 2 3 4, 3 4 5."""
    first, state = windows(torch.tensor([[1, 2, 3]]), None, 3, 9)
    assert first.unfold(1, 3, 1).tolist() == [[[9, 9, 1], [9, 1, 2], [1, 2, 3]]]
    assert state.tolist() == [[2, 3]]
    second, state = windows(torch.tensor([[4, 5]]), state, 3, 9)
    assert second.unfold(1, 3, 1).tolist() == [[[2, 3, 4], [3, 4, 5]]]
    assert state.tolist() == [[4, 5]]


def test_a_chunk_may_be_shorter_than_the_window():
    _, state = windows(torch.tensor([[7]]), torch.tensor([[5, 6]]), 3, 9)
    assert state.tolist() == [[6, 7]]


def test_windows_of_one_have_an_empty_state():
    whole, state = windows(torch.tensor([[1], [2]]), None, 1, 9)
    assert whole.tolist() == [[1], [2]]
    assert state.shape == (2, 0)
