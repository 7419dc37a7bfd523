"""The block, beside PyTorch's own with the same weights; its start; the encoder."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.masks import causal_mask, padding_mask
from firth.neural.layers.transformer import (
    TransformerBlock,
    TransformerConfig,
    TransformerEncoder,
    added_positions,
    transformer_blocks,
)

WIDTH, HEADS = 16, 4
each_form = pytest.mark.parametrize(
    ("norm", "activation"), [("pre", "gelu"), ("post", "relu"), ("pre", "relu"), ("post", "gelu")]
)


def config(**other):
    return TransformerConfig(**{"width": WIDTH, "heads": HEADS, "ffn_dim": 40, "dropout": 0.0, **other})


def copied(ours, theirs, pairs):
    with torch.no_grad():
        for our_part, their_part in pairs:
            for name, parameter in ours.get_submodule(our_part).named_parameters():
                theirs.get_parameter(f"{their_part}{name}").copy_(parameter.normal_(std=0.3))


def attention_pairs(ours, theirs, our_part, their_part):
    renamed = {"in_proj.weight": "in_proj_weight", "in_proj.bias": "in_proj_bias"}
    with torch.no_grad():
        for name, parameter in ours.get_submodule(our_part).named_parameters():
            theirs.get_parameter(f"{their_part}.{renamed.get(name, name)}").copy_(parameter.normal_(std=0.3))


@each_form
def test_block_equals_torchs_encoder_layer(norm, activation):
    torch.manual_seed(0)
    ours = TransformerBlock(config(norm=norm, activation=activation)).eval()
    theirs = torch.nn.TransformerEncoderLayer(
        WIDTH, HEADS, 40, 0.0, activation, batch_first=True, norm_first=norm == "pre"
    ).eval()
    attention_pairs(ours, theirs, "attention", "self_attn")
    copied(ours, theirs, [("up_proj", "linear1."), ("down_proj", "linear2.")])
    copied(ours, theirs, [("attention_norm", "norm1."), ("ffn_norm", "norm2.")])
    x, mask = torch.randn(2, 6, WIDTH), causal_mask(6)
    expected = theirs(x, src_mask=~mask)
    torch.testing.assert_close(ours(x, causal=True)[0], expected, atol=2e-6, rtol=1e-6)
    torch.testing.assert_close(ours(x, mask=mask)[0], expected, atol=2e-6, rtol=1e-6)


@each_form
def test_block_with_a_memory_equals_torchs_decoder_layer(norm, activation):
    torch.manual_seed(0)
    ours = TransformerBlock(config(norm=norm, activation=activation), memory=True).eval()
    theirs = torch.nn.TransformerDecoderLayer(
        WIDTH, HEADS, 40, 0.0, activation, batch_first=True, norm_first=norm == "pre"
    ).eval()
    attention_pairs(ours, theirs, "attention", "self_attn")
    attention_pairs(ours, theirs, "cross_attention", "multihead_attn")
    copied(ours, theirs, [("up_proj", "linear1."), ("down_proj", "linear2.")])
    copied(ours, theirs, [("attention_norm", "norm1."), ("cross_attention_norm", "norm2."), ("ffn_norm", "norm3.")])
    x, memory = torch.randn(2, 6, WIDTH), torch.randn(2, 4, WIDTH)
    seen = padding_mask(torch.tensor([4, 2]), 4)
    expected = theirs(x, memory, tgt_mask=~causal_mask(6), memory_key_padding_mask=~seen[:, 0])
    found, _ = ours(x, causal=True, remembered=ours.remember(memory), memory_mask=seen)
    torch.testing.assert_close(found, expected, atol=2e-6, rtol=1e-6)


def test_a_cache_replaces_the_previous_steps():
    torch.manual_seed(0)
    block, x = TransformerBlock(config()).double().eval(), torch.randn(2, 7, WIDTH, dtype=torch.float64)
    whole, kept = block(x, causal=True)
    _, cache = block(x[:, :4], causal=True)
    found, grown = block(x[:, 4:], cache, causal_mask(3, before=4))
    torch.testing.assert_close(found, whole[:, 4:], atol=1e-12, rtol=0)
    torch.testing.assert_close(grown, kept, atol=1e-12, rtol=0)


def test_variance_is_kept_however_deep_the_stack():
    """Of 24 pre-norm blocks what is added has about the variance of the input; without the division, 24 times that."""

    def spread(added):
        torch.manual_seed(0)
        x = torch.randn(4, 32, 64)
        for block in transformer_blocks(TransformerConfig(width=64, heads=4, dropout=0.0), 24):
            block.initialise(added)
            x, _ = block(x)
        return x.var().item()

    assert 1 < spread(48) < 2
    assert spread(1) > 8


def test_padding_and_neighbours_do_not_matter_to_the_encoder():
    torch.manual_seed(0)
    encoder = TransformerEncoder(config(), 2, context=9, positions="sinusoidal").double().eval()
    x = torch.randn(3, 9, WIDTH, dtype=torch.float64)
    found = encoder(x, torch.tensor([9, 4, 6]))
    torch.testing.assert_close(found[1:2, :4], encoder(x[1:2, :4]), atol=1e-12, rtol=0)
    later = x.clone()
    later[1, 4:] = 100.0
    assert torch.equal(encoder(later, torch.tensor([9, 4, 6]))[1, :4], found[1, :4])


@each_form
def test_chosen_positions_get_the_same_outputs_and_gradients(norm, activation):
    torch.manual_seed(0)
    form = config(norm=norm, activation=activation)
    encoder = TransformerEncoder(form, 2, context=5, positions="sinusoidal").double().eval()
    x, lengths = torch.randn(3, 5, WIDTH, dtype=torch.float64), torch.tensor([5, 2, 4])
    at = torch.tensor([[1, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]).bool()
    found, every = encoder(x, lengths, at), encoder(x, lengths)[at]
    torch.testing.assert_close(found, every, atol=1e-12, rtol=0)
    gradients = [torch.autograd.grad(outputs.square().sum(), list(encoder.parameters())) for outputs in (found, every)]
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "relative", "rotary"])
def test_an_encoder_depends_on_positions(positions):
    """The same vectors in another order are not the same outputs in that order, as they would be without positions."""
    torch.manual_seed(0)
    x = torch.randn(1, 5, WIDTH, dtype=torch.float64)
    for kind, same in ((positions, False), ("none", True)):
        encoder = TransformerEncoder(config(), 1, context=5, positions=kind).double().eval()
        turned = encoder(x.flip(1)).flip(1)
        assert torch.allclose(turned, encoder(x), atol=1e-9) == same


@pytest.mark.parametrize(("name", "value"), [("norm", "middle"), ("activation", "swish")])
def test_names_that_are_none(name, value):
    with pytest.raises(OptionError, match=f"{name}='{value}': expected one of"):
        config(**{name: value})


def test_positions_that_are_none():
    with pytest.raises(OptionError, match="positions='alibi': expected one of learned, sinusoidal, relative"):
        added_positions("alibi", 4, 4)
