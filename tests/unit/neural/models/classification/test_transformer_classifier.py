"""The transformer classifier against PyTorch's encoder layer."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.models.classification.classifier import new_module
from firth.neural.models.classification.reader import TextReader
from firth.neural.models.classification.transformer_classifier import TransformerClassifier

READER = TextReader([chr(97 + i) for i in range(9)], "characters", 50)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_vectors_equal_those_of_torchs_encoder_layer(norm):
    """One block over padded texts of different lengths; the mean leaves padding out."""
    options = TransformerClassifier(dim=8, width=8, heads=2, layers=1, norm=norm, activation="relu", max_length=20)
    encoder = new_module(options, READER, 2, seed=1).eval().encoder
    block = encoder.blocks.blocks[0]
    peer = torch.nn.TransformerEncoderLayer(8, 2, 32, norm_first=norm == "pre", batch_first=True).eval()
    attention = block.attention
    peer.self_attn.in_proj_weight.data, peer.self_attn.in_proj_bias.data = (
        attention.in_proj.weight,
        attention.in_proj.bias,
    )
    pairs = [
        (peer.self_attn.out_proj, attention.out_proj),
        (peer.linear1, block.up_proj),
        (peer.linear2, block.down_proj),
        (peer.norm1, block.attention_norm),
        (peer.norm2, block.ffn_norm),
    ]
    for other, own in pairs:
        other.load_state_dict(own.state_dict())
    inputs = READER.collate([READER.read(text) for text in ("abca", "d", "gfedcba")])
    padding = torch.arange(7) >= inputs.lengths[:, None]
    x = encoder.blocks.positions(8**0.5 * encoder.embedding(inputs.ids))
    y = encoder.blocks.norm(peer(x, src_key_padding_mask=padding)).masked_fill(padding.unsqueeze(2), 0.0)
    torch.testing.assert_close(encoder(inputs), y.sum(1) / inputs.lengths[:, None], atol=1e-5, rtol=0)


def test_a_width_that_the_heads_cannot_share():
    with pytest.raises(OptionError, match="heads=3: expected a divisor of width=8"):
        TransformerClassifier(width=8, heads=3)
