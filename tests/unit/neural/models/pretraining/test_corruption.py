"""Sampled tokens: where, which, and that no gradient passes them."""

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.pretraining.corruption import generator_config
from firth.neural.models.pretraining.network import EncoderConfig
from tests.unit.neural.models.pretraining.encoders import MODELS, objective, pieces, spread, window


def test_only_hidden_tokens_change_and_none_becomes_special():
    corruption, ids = objective("electra", mask_rate=0.5).corruption, window()
    corrupted = corruption(ids)
    assert bool((corrupted.ids == ids)[~corrupted.hidden].all())
    assert bool((corrupted.ids > 4)[corrupted.hidden].all())
    assert len(corrupted.losses) == int(corrupted.hidden.sum())


def test_a_sample_that_is_the_original_counts_as_original():
    """A generator that is sure of one token replaces every other one, and leaves that token what it is."""
    corruption, ids = objective("electra", mask_rate=0.9).corruption, window()
    token = int(ids[0, 3])
    with torch.no_grad():
        corruption.prediction.output.bias[token] = 1e4
    corrupted = corruption(ids)
    assert bool((corrupted.ids[corrupted.hidden] == token).all())
    assert bool((corrupted.replaced == (corrupted.hidden & (ids != token))).all())
    assert bool((corrupted.hidden & (ids == token)).any())


def test_tokens_are_sampled_by_their_probability():
    """Scores of 0 and log 4 for two tokens: the second is sampled four times as often."""
    corruption = objective("electra").corruption
    with torch.no_grad():
        corruption.prediction.output.weight.zero_()
        corruption.prediction.output.bias.fill_(-1e4)
        corruption.prediction.output.bias[[10, 11]] = torch.tensor([1.0, 4.0]).log()
    torch.manual_seed(0)
    sampled = corruption._samples(torch.zeros(4000, corruption.generator.width))
    assert set(sampled.tolist()) == {10, 11}
    assert (sampled == 11).float().mean() == pytest.approx(0.8, abs=0.02)  # 4 : 1


@torch.no_grad()
def test_losses_and_samples_are_those_of_their_places():
    """Where the generator is nearly sure, a sample is the most probable ordinary token of its own place."""
    corruption, ids = spread(objective("electra", mask_rate=0.5)).corruption.eval(), window()
    head = corruption.prediction
    torch.manual_seed(1)
    corrupted = corruption(ids)
    hidden = corrupted.hidden
    masked = torch.where(hidden, pieces().mask_id, ids)
    states = head(corruption.generator(masked)[hidden])
    scores = states @ corruption.generator.embeddings.word.weight.T + head.output.bias
    torch.testing.assert_close(corrupted.losses, -scores.log_softmax(1).gather(1, ids[hidden][:, None])[:, 0])
    head.norm.weight.mul_(1e5)
    likeliest = scores[:, 5:].argmax(1) + 5
    assert len(likeliest.unique()) > 3
    torch.manual_seed(1)
    assert corruption(ids).ids[hidden].tolist() == likeliest.tolist()


def test_no_vector_without_a_piece_is_sampled():
    """Vocabularies of other programs may be padded."""
    options = MODELS["electra"]
    sizes = dataclasses.replace(options.config(pieces()), vocabulary=len(pieces()) + 7)
    corruption = options.build_objective(sizes, pieces()).corruption
    with torch.no_grad():
        corruption.prediction.output.bias[len(pieces()) :] = 1e4
        corruption.prediction.output.bias[:5] = 1e4
        sampled = corruption._samples(torch.zeros(400, corruption.generator.width))
    assert 5 <= int(sampled.min()) < int(sampled.max()) < len(pieces())


@pytest.mark.parametrize(
    ("share", "ffn_dim", "expected"),
    [(0.25, 256, (16, 1, 64)), (0.4, 256, (32, 2, 128)), (0.01, 256, (16, 1, 64)), (1.0, 100, (64, 4, 100)),
     (0.25, 3, (16, 1, 1))],
)  # fmt: skip
def test_the_generator_has_a_whole_number_of_heads(share, ffn_dim, expected):
    """Of 4 heads of 16 coordinates the nearest number, at least one; the feed-forward network shrinks alike."""
    found = generator_config(EncoderConfig(vocabulary=9, dim=64, heads=4, ffn_dim=ffn_dim), share)
    assert (found.dim, found.heads, found.ffn_dim) == expected


def test_the_generator_is_small_and_shares_vectors():
    model = objective("electra")
    generator = model.corruption.generator
    assert generator.embeddings is model.encoder.embeddings
    assert (generator.config.dim, generator.config.heads, generator.config.ffn_dim) == (4, 1, 16)
    assert len(pieces()) == generator.embeddings.word.num_embeddings


def test_a_part_of_the_hidden_tokens_stays_in_training_and_none_in_evaluation():
    """The generator reads 85 % masks and 15 % tokens as they are; judged, masks alone."""
    corruption, ids, read = objective("electra", mask_rate=0.5).corruption, window().repeat(70, 1), []
    corruption.generator.register_forward_pre_hook(lambda _, arguments: read.append(arguments[0]))
    torch.manual_seed(0)
    corrupted = corruption(ids)
    masked = (read[0] == pieces().mask_id)[corrupted.hidden].float().mean()
    assert masked == pytest.approx(0.85, abs=0.03)
    assert bool((read[0] == ids)[~corrupted.hidden].all())
    corrupted = corruption.eval()(ids)
    assert bool((read[1] == pieces().mask_id)[corrupted.hidden].all())
