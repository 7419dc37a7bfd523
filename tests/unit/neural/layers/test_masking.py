"""Masks of masked language modelling, and the head that predicts the hidden tokens."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.masking import MaskedPrediction, Masking
from firth.neural.layers.output.base import OutputConfig


def test_shares_are_those_of_the_paper():
    """15 % of tokens are hidden: 80 % of these as the mask, 10 % as another token, 10 % as themselves."""
    torch.manual_seed(0)
    ids = torch.randint(1000, (400, 100))
    lengths = torch.randint(50, 101, (400,))
    replaced, hidden = Masking(mask_id=1000, words=1000)(ids, lengths)
    tokens = torch.arange(100) < lengths[:, None]
    assert not (hidden & ~tokens).any()
    assert torch.equal(replaced[~hidden], ids[~hidden])
    assert (hidden.sum() / tokens.sum()).item() == pytest.approx(0.15, abs=0.006)
    masked, same = replaced[hidden] == 1000, replaced[hidden] == ids[hidden]
    assert masked.double().mean().item() == pytest.approx(0.8, abs=0.02)
    assert same.double().mean().item() == pytest.approx(0.1001, abs=0.015)
    assert replaced[hidden][~masked].max() < 1000


def test_masks_are_new_at_every_step():
    masking, ids, lengths = Masking(mask_id=9, words=9), torch.zeros(4, 50, dtype=torch.int64), torch.full((4,), 50)
    assert not torch.equal(masking(ids, lengths)[1], masking(ids, lengths)[1])


def test_one_token_is_hidden_at_least():
    masking = Masking(mask_id=9, words=9, rate=1e-9)
    for _ in range(5):
        _, hidden = masking(torch.zeros(2, 3, dtype=torch.int64), torch.tensor([1, 2]))
        assert hidden.sum() == 1
        assert not hidden[0, 1:].any()
        assert not hidden[1, 2]


def test_losses_of_hidden_positions():
    torch.manual_seed(0)
    embedding = torch.nn.Embedding(7, 4)
    head = MaskedPrediction(OutputConfig(4, 7, tied=embedding.weight)).double()
    states = torch.randn(2, 3, 4, dtype=torch.float64)
    ids = torch.tensor([[1, 2, 3], [4, 5, 6]])
    positions = torch.tensor([[False, True, False], [True, False, True]])
    losses = head.loss(states[positions], ids[positions])
    every = head.output.log_prob(head(states.flatten(0, 1)))
    expected = [-every[row, token].item() for row, token in ((1, 2), (3, 4), (5, 6))]
    assert losses.tolist() == pytest.approx(expected, rel=1e-9)
    log_probs, hits = head.scores(states[positions], ids[positions])
    assert log_probs.tolist() == pytest.approx([-loss for loss in expected], rel=1e-9)
    assert hits.tolist() == [every[row].argmax().item() == token for row, token in ((1, 2), (3, 4), (5, 6))]


def test_errors():
    with pytest.raises(OptionError, match=r"mask_rate=0: expected a probability above 0"):
        Masking(mask_id=1, words=1, rate=0)
    with pytest.raises(OptionError, match=r"masked=0.8, random=0.3: expected shares of at least 0, together at most 1"):
        Masking(mask_id=1, words=1, random=0.3)
