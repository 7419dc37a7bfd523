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
