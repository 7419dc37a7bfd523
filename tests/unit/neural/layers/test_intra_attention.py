"""Intra-attention: the paper's formulas written out, and steps one by one."""

import math

import pytest
import torch

from firth.neural.layers.intra_attention import NOTHING, IntraDecoderAttention, temporal_scores

B, T, S, H = 2, 4, 3, 5


def test_temporal_attention_by_the_formula():
    """e'_1 = exp(e_1); e'_t = exp(e_t) / sum of exp(e_j) over earlier steps; alpha is e' divided by its sum."""
    torch.manual_seed(0)
    scores = 3 * torch.randn(B, T, S, dtype=torch.float64)
    found, sums = temporal_scores(scores, torch.full((B, S), NOTHING, dtype=torch.float64))
    weights = found.softmax(2)
    for row in range(B):
        for t in range(T):
            e = [math.exp(scores[row, t, i]) for i in range(S)]
            before = [sum(math.exp(scores[row, j, i]) for j in range(t)) if t else 1.0 for i in range(S)]
            changed = [one / total for one, total in zip(e, before, strict=True)]
            assert weights[row, t].tolist() == pytest.approx([each / sum(changed) for each in changed])
    assert torch.allclose(sums, scores.logsumexp(1))


def test_high_scores_do_not_overflow():
    scores = torch.tensor([[[500.0, 0.0], [500.0, 0.0]]])
    found, _ = temporal_scores(scores, torch.full((1, 2), NOTHING))
    assert found[0].tolist() == [[500, 0], [0, 0]]  # the first position is used up as much as it is liked


def test_intra_decoder_attention_by_the_formula():
    torch.manual_seed(1)
    layer = IntraDecoderAttention(H).double()
    states = torch.randn(B, T, H, dtype=torch.float64)
    found, every = layer(states, states[:, :0])
    assert torch.equal(every, states)
    assert (found[:, 0] == 0).all()
    for row in range(B):
        for t in range(1, T):
            e = torch.stack([states[row, t] @ layer.scores.weight @ states[row, j] for j in range(t)])
            expected = sum(weight * states[row, j] for j, weight in enumerate(e.softmax(0)))
            assert torch.allclose(found[row, t], expected)


def test_steps_one_by_one_give_the_same():
    torch.manual_seed(2)
    layer, states = IntraDecoderAttention(H), torch.randn(B, T, H)
    whole, _ = layer(states, states[:, :0])
    first, before = layer(states[:, :1], states[:, :0])
    second, before = layer(states[:, 1:3], before)
    last, _ = layer(states[:, 3:], before)
    assert torch.allclose(torch.cat([first, second, last], 1), whole, atol=1e-6)
    scores = torch.randn(B, T, S)
    nothing = torch.full((B, S), NOTHING)
    whole, sums = temporal_scores(scores, nothing)
    first, part = temporal_scores(scores[:, :1], nothing)
    rest, part = temporal_scores(scores[:, 1:], part)
    assert torch.allclose(torch.cat([first, rest], 1), whole, atol=1e-6)
    assert torch.allclose(part, sums, atol=1e-6)


def test_gradients_equal_differences():
    torch.manual_seed(3)
    scores = torch.randn(B, T, S, dtype=torch.float64, requires_grad=True)
    nothing = torch.full((B, S), NOTHING, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda each: temporal_scores(each, nothing)[0].softmax(2), scores)
    layer = IntraDecoderAttention(H).double()
    states = torch.randn(B, T, H, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda each: layer(each, each[:, :0])[0], states)
