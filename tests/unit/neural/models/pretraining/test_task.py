"""The area under the curve, and what a step counts."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.pretraining.task import auc


def test_area_by_hand():
    """The share of pairs of a positive and another item in which the positive is ahead; ties count half."""
    scores = torch.tensor([3.0, 1.0, 2.0, 2.0, 0.0])
    positive = torch.tensor([1, 0, 1, 0, 0])
    pairs = [float(a > b) + 0.5 * float(a == b) for a in scores[positive == 1] for b in scores[positive == 0]]
    assert auc(scores, positive) == pytest.approx(sum(pairs) / len(pairs))


def test_no_area_without_both_kinds():
    assert auc(torch.ones(3), torch.ones(3)) is None
    assert auc(torch.ones(3), torch.zeros(3)) is None
