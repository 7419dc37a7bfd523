"""The encoder's network: where attention starts."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.pretraining.corruption import generator_config
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork

VOCABULARY, LENGTH = 500, 48


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def attention(network, block=0):
    """(H, 2 LENGTH - 1) mean attention of heads to distances from -(LENGTH - 1) to LENGTH - 1."""
    ids = torch.randint(VOCABULARY, (8, LENGTH))
    with torch.no_grad():
        states = network.eval().states(ids)[block]
        _, weights = network.blocks.blocks[block].attention.with_weights(states)
    distances = range(1 - LENGTH, LENGTH)
    return torch.stack([weights.diagonal(each, 2, 3).mean((0, 2)) for each in distances], 1)


def favourites(weights):
    return (weights.argmax(1) - (LENGTH - 1)).tolist()


@pytest.mark.parametrize("sizes", [{}, {"embedding_dim": 128}, {"heads": 8}, {"dim": 64, "embedding_dim": 64}])
def test_heads_start_at_neighbours(sizes):
    network = EncoderNetwork(EncoderConfig(vocabulary=VOCABULARY, **sizes), neighbours=True)
    found = attention(network)
    assert favourites(found) == [-1, 1, -2, 2, -3, 3, -4, 4][: network.config.heads]
    assert (found.amax(1) > 0.25).all()
    other = attention(network, 1)
    assert (other.amax(1) < 0.1).all()


@pytest.mark.parametrize("sizes", [{}, {"embedding_dim": 128}])
def test_the_heads_of_a_generator_as_well(sizes):
    """It has one head a block: those of the next blocks go on."""
    encoder = EncoderNetwork(EncoderConfig(vocabulary=VOCABULARY, **sizes), neighbours=True)
    generator = EncoderNetwork(generator_config(encoder.config, 0.25), encoder.embeddings, neighbours=True)
    assert generator.config.heads == 1
    assert [favourites(attention(generator, block))[0] for block in range(4)] == [-1, 1, -2, 2]


def test_a_second_network_leaves_shared_vectors_alone():
    encoder = EncoderNetwork(EncoderConfig(vocabulary=VOCABULARY), neighbours=True)
    before = encoder.embeddings.position.weight.clone()
    EncoderNetwork(encoder.config, encoder.embeddings, neighbours=True)
    assert torch.equal(encoder.embeddings.position.weight, before)


def test_from_random_parameters_all_positions_weigh_the_same():
    found = attention(EncoderNetwork(EncoderConfig(vocabulary=VOCABULARY)))
    assert (found.amax(1) < 0.05).all()


@pytest.mark.parametrize("sizes", [{"dim": 4, "heads": 4, "embedding_dim": 4}, {"dim": 8, "embedding_dim": 3}])
def test_too_narrow_for_waves(sizes):
    """Such a network starts anywhere, with the parameters that it has otherwise."""
    config = EncoderConfig(vocabulary=VOCABULARY, **sizes)
    torch.manual_seed(1)
    network = EncoderNetwork(config, neighbours=True)
    assert (attention(network).amax(1) < 0.1).all()
    torch.manual_seed(1)
    usual = EncoderNetwork(config)
    assert torch.equal(network.embeddings.position.weight, usual.embeddings.position.weight)
    assert torch.equal(
        network.blocks.blocks[0].attention.in_proj.weight, usual.blocks.blocks[0].attention.in_proj.weight
    )


def normalised(x, norm, eps):
    centred = x - x.mean(-1, keepdim=True)
    return norm.weight * centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() + norm.bias


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@torch.no_grad()
def test_states_by_hand(activation):
    """Vectors of tokens, positions and segments; attention softmax(q k / sqrt(d)) v; a norm after each part."""
    config = EncoderConfig(
        vocabulary=20, dim=6, embedding_dim=4, layers=2, heads=2, ffn_dim=5, max_length=9, types=3,
        activation=activation, norm_eps=0.1, dropout=0.4,
    )  # fmt: skip
    network = EncoderNetwork(config).eval()
    for parameter in network.parameters():
        parameter.normal_()
    ids, types = torch.tensor([[3, 7, 7, 19, 0]]), torch.tensor([[0, 2, 1, 1, 0]])

    def by_hand(segments, length):
        table = network.embeddings
        x = table.word.weight[ids[0, :length]] + table.position.weight[:length] + table.segment.weight[segments]
        x = normalised(x, table.norm, 0.1) @ network.project.weight.T + network.project.bias
        found = [x]
        for block in network.blocks.blocks:
            inner = x @ block.attention.in_proj.weight.T + block.attention.in_proj.bias
            parts = []
            for head in (0, 3):
                q, k, v = (inner[:, first + head : first + head + 3] for first in (0, 6, 12))
                parts.append((q @ k.T / 3**0.5).softmax(1) @ v)
            out = torch.cat(parts, 1) @ block.attention.out_proj.weight.T + block.attention.out_proj.bias
            x = normalised(x + out, block.attention_norm, 0.1)
            up = x @ block.up_proj.weight.T + block.up_proj.bias
            up = up.clamp(min=0) if activation == "relu" else up * (1 + torch.erf(up / 2**0.5)) / 2
            x = normalised(x + up @ block.down_proj.weight.T + block.down_proj.bias, block.ffn_norm, 0.1)
            found.append(x)
        return found

    first = by_hand([0] * 5, 5)
    for states, expected in zip(network.states(ids), first, strict=True):
        torch.testing.assert_close(states[0], expected, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(network(ids)[0], first[-1], atol=1e-4, rtol=1e-4)
    chosen = torch.tensor([[False, True, False, False, True]])
    second = by_hand(types[0], 5)[-1]
    torch.testing.assert_close(network(ids, None, types, at=chosen), second[[1, 4]], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(network.states(ids, None, types)[-1][0], second, atol=1e-4, rtol=1e-4)
    padded = network(ids, torch.tensor([3]))[0, :3]
    torch.testing.assert_close(padded, by_hand([0] * 3, 3)[-1], atol=1e-4, rtol=1e-4)


def test_dropout_is_that_of_the_configuration():
    config = EncoderConfig(vocabulary=20, dim=8, embedding_dim=8, heads=2, dropout=0.35)
    assert (config.blocks.dropout, config.blocks.norm, config.blocks.ffn_dim) == (0.35, "post", 1024)
    network, ids = EncoderNetwork(config).train(), torch.tensor([[1, 2, 3]])
    assert not torch.equal(network(ids), network(ids))
    whole = EncoderNetwork(EncoderConfig(vocabulary=20, dim=8, embedding_dim=8, heads=2, dropout=0.0)).train()
    assert torch.equal(whole(ids), whole(ids))


@pytest.mark.parametrize("sizes", [{}, {"embedding_dim": 128}, {"dim": 64, "embedding_dim": 64}])
@torch.no_grad()
def test_parameters_at_the_start(sizes):
    """Waves of 0.06 over what is left of the positions' random values; scores of about 8 where a head starts."""
    network = EncoderNetwork(EncoderConfig(vocabulary=VOCABULARY, **sizes), neighbours=True).eval()
    config, table = network.config, network.embeddings
    assert table.word.weight.std().item() == pytest.approx(0.02, rel=0.05)
    count = config.embedding_dim // 8
    rates = torch.tensor([3.0 * (0.05 / 3) ** (i / (count - 1)) for i in range(count)])
    phases = torch.arange(config.max_length)[:, None] * rates
    left = table.position.weight.clone()
    left[:, : 2 * count] -= 0.06 * torch.cat([phases.sin(), phases.cos()], 1)
    assert left.std().item() == pytest.approx(0.002, rel=0.05)
    if config.embedding_dim != config.dim:
        assert network.project.weight.std().item() == pytest.approx(config.embedding_dim**-0.5, rel=0.05)
    attention, width = network.blocks.blocks[0].attention, config.dim // config.heads
    states = network.states(torch.randint(VOCABULARY, (8, LENGTH)))[0]
    inner = states @ attention.in_proj.weight.T + attention.in_proj.bias
    for head, distance in enumerate((-1, 1, -2, 2)):
        q, k = (inner[..., first + head * width :][..., :width] for first in (0, config.dim))
        scores = q @ k.transpose(1, 2) / width**0.5
        assert scores.diagonal(distance, 1, 2).mean().item() == pytest.approx(8.5, abs=0.7)
