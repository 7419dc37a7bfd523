"""Sampled tokens: where, which, and that no gradient passes them."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from tests.unit.neural.models.pretraining.encoders import objective, pieces, window


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
