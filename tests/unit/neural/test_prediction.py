"""Predictions in batches: similar lengths, the order of the items, progress."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.prediction import batch_rows, in_batches

LENGTHS = [5, 1, 4, 0, 2]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({"size": 2}, [[3, 1], [4, 2], [0]]),
        ({"size": 2, "by_length": False}, [[0, 1], [2, 3], [4]]),
        ({"size": 8, "tokens": True}, [[3, 1, 4], [2], [0]]),
        ({"size": 1, "tokens": True}, [[3], [1], [4], [2], [0]]),
    ],
)
def test_answers_are_in_the_order_of_the_items(how, expected):
    batches, shown = [], []

    def answers(rows):
        assert not torch.is_grad_enabled()
        batches.append(rows)
        return [LENGTHS[row] * 10 for row in rows]

    found = in_batches(LENGTHS, answers, stage="counting", unit="items", progress=shown.append, **how)
    assert found == [50, 10, 40, 0, 20]
    assert batches == expected
    assert [status.done for status in shown][-1] == 5
    assert torch.is_grad_enabled()


def test_no_items_and_an_error():
    assert in_batches([], lambda rows: [], size=3, stage="", unit="") == []

    def fail(rows):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        in_batches([1], fail, size=1, stage="", unit="")
    assert torch.is_grad_enabled()


def test_batches_have_items_of_similar_length():
    """At most 4,096 tokens with padding, unless one item alone has more."""
    lengths = (1, 5000, 2000, 1000, 1, 1500, 2048)
    assert list(batch_rows(lengths, 4096, tokens=True)) == [[0, 4, 3], [5, 2], [6], [1]]
