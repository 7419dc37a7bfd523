"""Steps with attention and input feeding against the formula, differentiated by torch; half precision."""

import pytest
import torch

from firth.neural.layers.attentional_steps import StepWeights, attentional_steps

B, T, S, H = 3, 4, 5, 6
INSIDE = torch.arange(S) < torch.tensor([5, 3, 1])[:, None]


def plain(x, keys, values, inside, mask, weights, start):
    h, c, a = start
    outputs, attention = [], []
    for t in range(len(x)):
        i, f, g, o = (x[t] + torch.cat([h, a], 1) @ weights.recurrent.T).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        if weights.query is None:
            scores = (keys * h[:, None]).sum(2)
        else:
            scores = torch.tanh(keys + (h @ weights.query.T)[:, None]) @ weights.score
        alpha = scores.masked_fill(~inside, -torch.inf).softmax(1)
        a = torch.tanh((alpha[..., None] * values).sum(1) + h @ weights.out.T)
        a = a if mask is None else a * mask[t]
        outputs.append(a)
        attention.append(alpha)
    return torch.stack(outputs), torch.stack(attention), (h, c, a)


def given(additive):
    torch.manual_seed(0)

    def new(*shape):
        return torch.randn(shape, dtype=torch.float64, requires_grad=True)

    weights = StepWeights(new(4 * H, 2 * H), new(H, H), *((new(H, H), new(H)) if additive else ()))
    return new(T, B, 4 * H), new(B, S, H), new(B, S, H), weights, tuple(new(B, H) for _ in range(3))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("additive", [False, True])
def test_results_and_gradients_are_those_of_the_formula(additive, masked):
    x, keys, values, weights, start = given(additive)
    mask = (torch.rand(T, B, H) < 0.7).double() / 0.7 if masked else None
    inputs = [each for each in (x, keys, values, *weights, *start) if each is not None]
    found = []
    for steps in (attentional_steps, plain):
        outputs, attention, end = steps(x, keys, values, INSIDE, mask, weights, start)
        several = [outputs, attention, *end]
        loss = sum((each * torch.arange(each.numel()).view(each.shape).sin()).sum() for each in several)
        found.append((several, torch.autograd.grad(loss, inputs)))
    for ours, theirs in zip(*found, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert torch.allclose(one, other)


def test_half_precision_is_near():
    x, keys, values, weights, start = given(False)
    x, keys, values, *start = (each.detach().float() for each in (x, keys, values, *start))
    weights = StepWeights(*(None if each is None else (each.detach() / 4).float() for each in weights))
    near, _, _ = attentional_steps(x.bfloat16(), keys, values, INSIDE, None, weights, tuple(start))
    exact, _, _ = attentional_steps(x, keys, values, INSIDE, None, weights, tuple(start))
    assert near.dtype == torch.float32
    assert (near - exact).abs().max() < 0.1
