"""The decoder of characters: its loss against its steps, and padding."""

import itertools

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.character_decoder import CharacterDecoder
from firth.neural.layers.spelling import BEGIN, END

WORDS = ["ab", "", "b", "bbabaabb", "a?"]  # the last with a character that it does not know
RARE = torch.tensor([True, False, False, True, True])


def decoder_of(characters="ab"):
    torch.manual_seed(0)
    decoder = CharacterDecoder(characters, width_in=3, char_dim=4, hidden=5, longest=6).double()
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter)
    return decoder, torch.randn(len(WORDS), 3, dtype=torch.float64)


def test_the_loss_is_that_of_the_steps():
    decoder, vectors = decoder_of()
    codes = decoder.spelling.character_ids(WORDS)
    losses = decoder.loss(vectors, codes, RARE)
    for vector, word, rare, loss in zip(vectors, codes.tolist(), RARE, losses, strict=True):
        state, nats = decoder.start(vector[None], rare[None]), 0.0
        word = word[: word.index(END) + 1]
        for before, code in itertools.pairwise(word):
            scores, state = decoder.step(torch.tensor([before]), state)
            assert scores.exp().sum().item() == pytest.approx(1)
            nats -= scores[0, code].item()
        assert loss.item() == pytest.approx(nats, rel=1e-5)


def test_a_word_alone_has_the_loss_that_it_has_among_others():
    decoder, vectors = decoder_of()
    together = decoder.loss(vectors, decoder.spelling.character_ids(WORDS), RARE)
    alone = [
        decoder.loss(vector[None], decoder.spelling.character_ids([word]), rare[None])[0].item()
        for vector, word, rare in zip(vectors, WORDS, RARE, strict=True)
    ]
    assert together.tolist() == pytest.approx(alone)
    codes = decoder.spelling.character_ids(WORDS * 60)
    many = decoder.loss(vectors.repeat(60, 1), codes, RARE.repeat(60))  # in groups by length
    assert many.view(60, -1).mean(0).tolist() == pytest.approx(alone)


def test_the_vector_determines_the_word():
    decoder, vectors = decoder_of()
    scores, _ = decoder.step(torch.full((2,), BEGIN), decoder.start(vectors[:2], RARE[3:]))
    assert not torch.allclose(scores[0], scores[1])


def test_small_vectors_determine_the_word_as_large_ones_do():
    torch.manual_seed(0)
    decoder = CharacterDecoder("ab", width_in=16)
    vectors = torch.randn(5, 16)
    large, small = (decoder.start(size * vectors, RARE)[0] for size in (1.0, 0.02))
    assert small.std(0).mean().item() == pytest.approx(large.std(0).mean().item(), rel=0.1)


def test_rare_words_have_a_first_state_of_their_own():
    decoder, vectors = decoder_of()
    normal = decoder.norm(vectors)
    usual, rare = (decoder.start(vectors, torch.full((len(WORDS),), each)) for each in (False, True))
    expected = torch.tanh(normal @ decoder.bridge.weight.T + decoder.bridge.bias)
    assert torch.allclose(torch.cat(usual, 1), expected)
    weight, bias = (getattr(decoder.bridge, name) + getattr(decoder.rare, name) for name in ("weight", "bias"))
    assert torch.allclose(torch.cat(rare, 1), torch.tanh(normal @ weight.T + bias))
