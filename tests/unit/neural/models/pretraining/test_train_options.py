"""Parts that options of pretraining build: encoders, masks, heads."""

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.pretraining.network import masked_prediction
from firth.neural.models.pretraining.train import token_masking
from tests.unit.neural.models.pretraining.encoders import MODELS, NETWORK, pieces


@pytest.mark.parametrize("start", ["neighbours", "anywhere"])
def test_where_attention_starts(start):
    options = firth.MaskedLM(**NETWORK, attention_start=start)
    assert options.build_encoder(options.config(pieces())).neighbours == (start == "neighbours")


def test_masks_have_the_options_and_the_vocabulary():
    options = firth.MaskedLM(**NETWORK, masking="words", mask_rate=0.25)
    found = token_masking(options, pieces(), masked=0.5, random=0.25)
    assert (found.unit, found.masking.rate) == ("words", 0.25)
    assert (found.masking.masked, found.masking.random) == (0.5, 0.25)
    assert found.masking.mask_id == pieces().mask_id
    assert found.hideable.tolist() == [row > 4 for row in range(len(pieces()))]
    assert found.continues.tolist() == [piece.startswith("##") for piece in pieces().vocabulary]


def test_a_head_is_new_but_for_the_vectors_that_it_shares():
    """With the encoder's activation and the number that its norms add, and parameters as BERT draws them."""
    options = MODELS["electra"]
    config = dataclasses.replace(options.config(pieces()), activation="relu", norm_eps=1e-3)
    encoder = options.build_encoder(config)
    head = masked_prediction(encoder)
    assert head.output.weight is encoder.embeddings.word.weight
    assert not head.dense.bias.any()
    assert head.dense.weight.std().item() == pytest.approx(0.02, rel=0.2)
    states = torch.randn(3, 16)
    inner = (states @ head.dense.weight.T).clamp(min=0)
    centred = inner - inner.mean(1, keepdim=True)
    expected = centred / (centred.square().mean(1, keepdim=True) + 1e-3).sqrt()
    torch.testing.assert_close(head(states), expected)
