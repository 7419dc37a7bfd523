"""Attention: scorers, the masked softmax, and the weighted mean."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.attention import (
    AdditiveScores,
    Attention,
    MultiplicativeScores,
    attention_weights,
    dot_scores,
    scaled_dot_scores,
)
from firth.neural.layers.masks import padding_mask

SCORERS = {
    "dot": lambda: dot_scores,
    "scaled": lambda: scaled_dot_scores,
    "multiplicative": lambda: MultiplicativeScores(4, 4),
    "additive": lambda: AdditiveScores(4, 4, 5),
}
each_scorer = pytest.mark.parametrize("name", SCORERS)


def batch(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, 4, generator=generator, dtype=torch.float64) for shape in ((3, 2), (3, 5), (3, 5)))


def test_worked_by_hand():
    """q = (1, 2), keys (1, 0) and (0, 1): dots 1 and 2, weights e / (e + e^2) = 1 / (1 + e) and e / (1 + e).

    Of values 10 and 20 that takes (10 + 20 e) / (1 + e) = 17.31.
    """
    queries, keys = torch.tensor([[[1.0, 2.0]]]), torch.eye(2)[None]
    taken, weights = Attention(dot_scores)(queries, keys, torch.tensor([[[10.0], [20.0]]]))
    assert weights.flatten().tolist() == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e)], abs=1e-6)
    assert taken.item() == pytest.approx((10 + 20 * math.e) / (1 + math.e), abs=1e-5)


def test_scaled_scores_are_dots_over_the_root_of_the_width():
    queries, keys, _ = batch()
    assert torch.equal(scaled_dot_scores(queries, keys), dot_scores(queries, keys) / 2)  # sqrt(4)


def test_scores_of_parameters_are_their_formulas_pair_by_pair():
    queries, keys, _ = batch()
    multiplicative, additive = MultiplicativeScores(4, 4).double(), AdditiveScores(4, 4, 5).double()
    found = multiplicative(queries, keys), additive(queries, keys)
    for b, t, s in ((0, 0, 0), (2, 1, 4), (1, 0, 3)):
        q, k = queries[b, t], keys[b, s]
        assert found[0][b, t, s].item() == pytest.approx((q @ multiplicative.weight @ k).item(), abs=1e-12)
        unit = torch.tanh(additive.query.weight @ q + additive.key.weight @ k + additive.key.bias)
        assert found[1][b, t, s].item() == pytest.approx((additive.value.weight[0] @ unit).item(), abs=1e-12)


@each_scorer
def test_weights_are_of_real_tokens_alone(name):
    """The second sequence has two real tokens: its weights are those of the same two tokens without any padding."""
    torch.manual_seed(1)
    scores = SCORERS[name]()
    scores = scores.double() if isinstance(scores, torch.nn.Module) else scores
    attention, (queries, keys, values) = Attention(scores), batch()
    taken, weights = attention(queries, keys, values, padding_mask(torch.tensor([5, 2, 0]), 5))
    assert torch.allclose(weights[:2].sum(-1), torch.ones(2, 2, dtype=torch.float64), atol=1e-12, rtol=0)
    assert weights[1, :, 2:].tolist() == [[0.0] * 3] * 2  # exactly
    alone, _ = attention(queries[1:2], keys[1:2, :2], values[1:2, :2])
    assert torch.allclose(taken[1:2], alone, atol=1e-12, rtol=0)
    assert weights[2].abs().sum().item() == 0
    assert taken[2].abs().sum().item() == 0


@each_scorer
def test_a_sequence_without_tokens_sends_no_gradient(name):
    torch.manual_seed(1)
    scores = SCORERS[name]()
    scores = scores.double() if isinstance(scores, torch.nn.Module) else scores
    queries, keys, values = (part.requires_grad_() for part in batch())
    taken, _ = Attention(scores)(queries, keys, values, padding_mask(torch.tensor([5, 2, 0]), 5))
    taken.square().sum().backward()
    for part in (queries, keys, values):
        assert torch.isfinite(part.grad).all()
        assert part.grad[0].abs().sum() > 0
        assert part.grad[2].abs().sum() == 0


@pytest.mark.parametrize("name", ["scaled", "multiplicative"])
def test_variance_one_stays_variance_one(name):
    """Of 200,000 scores of normal numbers, D = 64: 64 for the plain dot, 1 where the division is made."""
    torch.manual_seed(0)
    queries, keys = torch.randn(20, 100, 64), torch.randn(20, 100, 64)
    assert dot_scores(queries, keys).var().item() == pytest.approx(64, rel=0.05)
    scores = scaled_dot_scores if name == "scaled" else MultiplicativeScores(64, 64)
    assert scores(queries, keys).var().item() == pytest.approx(1, rel=0.05)


def test_large_scores_do_not_overflow():
    weights = attention_weights(torch.tensor([[1e4, -1e4, 1e4]]), torch.tensor([[True, True, False]]))
    assert weights.tolist() == [[1.0, 0.0, 0.0]]
