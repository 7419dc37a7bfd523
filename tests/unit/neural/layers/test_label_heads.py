"""Heads over texts and pairs."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import CorpusError
from firth.neural.layers.label_heads import LabelHead, PairHead, soft_labels


def test_soft_labels_by_hand():
    """Tai et al. 2015, equation 16: 3.6 lies between 3 and 4; the mean of each distribution is its score."""
    scores = [3.6, 1, 5, 4.25]
    targets = soft_labels(scores, 1, 5)
    assert targets[0].tolist() == pytest.approx([0, 0, 0.4, 0.6, 0])
    assert targets[1].tolist() == [1, 0, 0, 0, 0]
    assert targets[2].tolist() == [0, 0, 0, 0, 1]
    assert (targets @ np.arange(1, 6)).tolist() == pytest.approx(scores)
    for wrong in (0.9, 5.1, float("nan")):
        with pytest.raises(CorpusError, match="of pair 1: expected a number from 1 to 5"):
            soft_labels([2, wrong], 1, 5)


def test_only_rows_beyond_the_limit_are_shortened():
    head = LabelHead(2, 2, max_norm=3.0)
    head.output.weight.data = torch.tensor([[3.0, 4.0], [1.0, 1.0]])
    head.output.bias.data.zero_()
    x = torch.tensor([[1.0, 0.0]])
    torch.testing.assert_close(head(x), torch.tensor([[1.8, 1.0]]))
    torch.testing.assert_close(head.output.weight.data, torch.tensor([[1.8, 2.4], [1.0, 1.0]]))


def test_a_symmetric_pair_by_hand():
    """u = 2, v = -1: u v = -2, |u - v| = 3; a hidden unit that adds both sees 1."""
    head = PairHead(1, 1, symmetric=True, hidden=1)
    for linear in (head.hidden, head.output):
        torch.nn.init.ones_(linear.weight)
        torch.nn.init.zeros_(linear.bias)
    u, v = torch.tensor([[2.0]]), torch.tensor([[-1.0]])
    assert head(u, v).item() == pytest.approx(1 / (1 + np.exp(-1)))
    assert head(v, u).item() == head(u, v).item()


def test_a_directed_pair_tells_first_from_second():
    torch.manual_seed(0)
    head, u, v = PairHead(3, 2, symmetric=False), torch.randn(1, 3), torch.randn(1, 3)
    assert not torch.allclose(head(u, v), head(v, u))
    for place, vector in ((2, u), (3, v)):  # after u v and |u - v| come u and v themselves
        block = torch.zeros(4)
        block[place] = 1
        head.hidden.weight.data, head.hidden.bias.data = (
            block.repeat_interleave(3).expand(50, -1).clone(),
            torch.zeros(50),
        )
        expected = head.output(torch.sigmoid(vector.sum()).expand(1, 50))
        torch.testing.assert_close(head(u, v), expected)


@pytest.mark.parametrize("head", [LabelHead(8, 2, dropout=0.5), PairHead(8, 2, symmetric=True, dropout=0.5)])
def test_dropout_is_of_training_alone(head):
    vectors = (torch.ones(1, 8),) * (2 if isinstance(head, PairHead) else 1)
    torch.manual_seed(0)
    assert not torch.equal(head.train()(*vectors), head(*vectors))
    assert torch.equal(head.eval()(*vectors), head(*vectors))
