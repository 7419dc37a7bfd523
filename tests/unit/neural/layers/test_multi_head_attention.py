"""Multi-head attention, beside PyTorch's own module with the same weights."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.dropout import sampling
from firth.neural.layers.masks import causal_mask, padding_mask
from firth.neural.layers.multi_head_attention import MultiHeadAttention
from firth.neural.layers.positions import RelativePositions, RotaryPositions

WIDTH, HEADS = 16, 4
POSITIONS = {"none": lambda: None, "relative": lambda: RelativePositions(WIDTH, HEADS), "rotary": RotaryPositions}


def both():
    """Our module and PyTorch's, with the same weights."""
    torch.manual_seed(0)
    ours, theirs = MultiHeadAttention(WIDTH, HEADS), torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    names = {"in_proj_weight": "in_proj.weight", "in_proj_bias": "in_proj.bias", "out_proj.weight": "out_proj.weight"}
    with torch.no_grad():
        for their_name, our_name in {**names, "out_proj.bias": "out_proj.bias"}.items():
            theirs.get_parameter(their_name).copy_(ours.get_parameter(our_name).normal_(std=0.3))
    return ours, theirs


@pytest.mark.parametrize("memory", [None, "another sequence"])
def test_equal_to_torch(memory):
    ours, theirs = both()
    x, other = torch.randn(3, 7, WIDTH), torch.randn(3, 5, WIDTH)
    seen = x if memory is None else other
    hidden = padding_mask(torch.tensor([seen.shape[1], 2, 1]), seen.shape[1])
    expected, expected_weights = theirs(x, seen, seen, key_padding_mask=~hidden[:, 0], average_attn_weights=False)
    taken, weights = ours.with_weights(x, None if memory is None else other, hidden)
    torch.testing.assert_close(taken, expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(weights, expected_weights, atol=1e-6, rtol=0)
    torch.testing.assert_close(ours(x, None if memory is None else other, hidden), expected, atol=1e-6, rtol=0)


def test_gradients_equal_torch():
    ours, theirs = both()
    x = torch.randn(2, 6, WIDTH)
    mask = causal_mask(6)
    ours(x, mask=mask).square().sum().backward()
    theirs(x, x, x, attn_mask=~mask, need_weights=False)[0].square().sum().backward()
    torch.testing.assert_close(ours.in_proj.weight.grad, theirs.in_proj_weight.grad, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(ours.out_proj.weight.grad, theirs.out_proj.weight.grad, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("positions", POSITIONS)
def test_the_fused_kernel_and_the_weights_agree(positions):
    torch.manual_seed(0)
    attention = MultiHeadAttention(WIDTH, HEADS, positions=POSITIONS[positions]())
    x, mask = torch.randn(2, 9, WIDTH), causal_mask(9)
    expected, weights = attention.with_weights(x, mask=mask)
    torch.testing.assert_close(attention(x, mask=mask), expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(attention.attend(*attention.project(x), causal=True), expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, HEADS, 9), atol=1e-6, rtol=0)
    assert (weights * ~mask).abs().sum() == 0


@pytest.mark.parametrize("positions", POSITIONS)
def test_who_may_see_nothing_takes_nothing(positions):
    """The second sequence is empty: its output is the bias of the last projection, its gradients are 0, none is NaN."""
    torch.manual_seed(0)
    attention = MultiHeadAttention(WIDTH, HEADS, positions=POSITIONS[positions]())
    x = torch.randn(2, 5, WIDTH, requires_grad=True)
    mask = padding_mask(torch.tensor([3, 0]), 5)
    for taken in (attention(x, mask=mask), attention.with_weights(x, mask=mask)[0]):
        torch.testing.assert_close(taken[1], attention.out_proj.bias.expand(5, WIDTH), atol=1e-7, rtol=0)
        (gradient,) = torch.autograd.grad(taken.square().sum(), x)
        assert torch.isfinite(gradient).all()
        assert gradient[1].abs().sum() == 0
        assert gradient[0].abs().sum() > 0


def test_dropout_is_of_training_alone():
    torch.manual_seed(0)
    attention = MultiHeadAttention(WIDTH, HEADS, dropout=0.5)
    x = torch.randn(1, 8, WIDTH)
    assert not torch.equal(attention(x), attention(x))
    assert torch.equal(attention.eval()(x), attention(x))


@pytest.mark.parametrize("heads", [3, 0])
def test_heads_share_out_the_width(heads):
    with pytest.raises(OptionError, match=f"heads={heads}: expected a divisor of the width 16"):
        MultiHeadAttention(16, heads)


def test_monte_carlo_drops_weights_as_well():
    torch.manual_seed(0)
    attention = MultiHeadAttention(WIDTH, HEADS, dropout=0.5).eval()
    x = torch.randn(1, 8, WIDTH)
    with sampling(attention):
        assert not torch.equal(attention(x), attention(x))
    assert torch.equal(attention(x), attention(x))
