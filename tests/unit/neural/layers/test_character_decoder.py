"""The decoder of characters: its loss against its steps, and padding."""

import itertools

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.character_decoder import CharacterDecoder
from firth.neural.layers.spelling import BEGIN, END

WORDS = ["ab", "", "b", "bbabaabb", "a?"]  # the last with a character that it does not know


def decoder_of(characters="ab", source_width=0):
    torch.manual_seed(0)
    decoder = CharacterDecoder(
        characters, width_in=3, char_dim=4, hidden=5, longest=6, source_width=source_width
    ).double()
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter)
    return decoder, torch.randn(len(WORDS), 3, dtype=torch.float64)


def source_characters():
    """States of seven source characters per word, and their priors; the last two are padding."""
    priors = torch.rand(len(WORDS), 7, dtype=torch.float64).log()
    priors[:, 5:] = -torch.inf
    return torch.randn(len(WORDS), 7, 2, dtype=torch.float64), priors


@pytest.mark.parametrize("attends", [False, True])
def test_the_loss_is_that_of_the_steps(attends):
    decoder, vectors = decoder_of(source_width=2 * attends)
    codes = decoder.spelling.character_ids(WORDS)
    source = source_characters() if attends else ()
    losses = decoder.loss(vectors, codes, source)
    for row, (word, loss) in enumerate(zip(codes.tolist(), losses, strict=True)):
        one = slice(row, row + 1)
        state, nats = decoder.start(vectors[one], [x[one] for x in source]), 0.0
        word = word[: word.index(END) + 1]
        for before, code in itertools.pairwise(word):
            scores, state = decoder.step(torch.tensor([before]), state)
            assert scores.exp().sum().item() == pytest.approx(1)
            nats -= scores[0, code].item()
        assert loss.item() == pytest.approx(nats, rel=1e-5)


def test_a_word_alone_has_the_loss_that_it_has_among_others():
    decoder, vectors = decoder_of()
    together = decoder.loss(vectors, decoder.spelling.character_ids(WORDS))
    alone = [
        decoder.loss(vector[None], decoder.spelling.character_ids([word]))[0].item()
        for vector, word in zip(vectors, WORDS, strict=True)
    ]
    assert together.tolist() == pytest.approx(alone)
    codes = decoder.spelling.character_ids(WORDS * 60)
    many = decoder.loss(vectors.repeat(60, 1), codes)  # in groups by length
    assert many.view(60, -1).mean(0).tolist() == pytest.approx(alone)


def test_the_vector_determines_the_word():
    decoder, vectors = decoder_of()
    scores, _ = decoder.step(torch.full((2,), BEGIN), decoder.start(vectors[:2]))
    assert not torch.allclose(scores[0], scores[1])


def test_small_vectors_determine_the_word_as_large_ones_do():
    torch.manual_seed(0)
    decoder = CharacterDecoder("ab", width_in=16)
    vectors = torch.randn(5, 16)
    large, small = (decoder.start(size * vectors)[0] for size in (1.0, 0.02))
    assert small.std(0).mean().item() == pytest.approx(large.std(0).mean().item(), rel=0.1)


def test_the_first_state_is_a_layer_over_the_vector():
    decoder, vectors = decoder_of()
    normal = decoder.norm(vectors)
    expected = torch.tanh(normal @ decoder.bridge.weight.T + decoder.bridge.bias)
    assert torch.allclose(torch.cat(decoder.start(vectors), 1), expected)


def test_source_characters_are_attended_to_as_the_prior_says():
    """p(j) = softmax(q . m_j / sqrt(2) + prior_j), by hand; padding has no part in it."""
    decoder, vectors = decoder_of(source_width=2)
    states, priors = source_characters()
    start = torch.full((len(WORDS),), BEGIN)
    scores, _ = decoder.step(start, decoder.start(vectors, (states, priors)))
    hidden, _ = decoder.lstm(decoder.characters(start[:, None]), decoder.start(vectors))
    for row, (h, m, prior) in enumerate(zip(hidden[:, 0], states[:, :5], priors[:, :5], strict=True)):
        query = decoder.query.weight @ h + decoder.query.bias
        shares = (prior + m @ query / 2**0.5).exp()
        context = (shares / shares.sum()) @ m
        combined = torch.tanh(decoder.combine.weight @ torch.cat([h, context]) + decoder.combine.bias)
        expected = (decoder.out.weight @ combined + decoder.out.bias).log_softmax(0)
        assert torch.allclose(scores[row], expected.float(), atol=1e-5)


def test_no_words_have_no_losses():
    decoder, vectors = decoder_of()
    assert decoder.loss(vectors[:0], decoder.spelling.character_ids([])).shape == (0,)
