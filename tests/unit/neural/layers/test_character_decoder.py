"""The decoder of characters: its loss against its steps, and padding."""

import itertools

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.character_decoder import CharacterDecoder
from firth.neural.layers.spelling import BEGIN, END, PADDING
from tests.gradients.neural.directions import check_parameters

WORDS = ["ab", "", "b", "bbabaabb", "a?"]  # the last with a character that it does not know


def decoder_of(characters="ab", source_width=0, *, copying=False):
    torch.manual_seed(0)
    decoder = CharacterDecoder(
        characters, width_in=3, char_dim=4, hidden=5, longest=6, source_width=source_width, copying=copying
    ).double()
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter)
    return decoder, torch.randn(len(WORDS), 3, dtype=torch.float64)


def source_characters(*, copying=False):
    """States of seven source characters per word, their priors and, to copy, their ids; the last two are padding."""
    priors = torch.rand(len(WORDS), 7, dtype=torch.float64).log()
    priors[:, 5:] = -torch.inf
    ids = (decoder_of()[0].spelling.character_ids(["ab", "bbaba", "?b", "b", "aa"]).long(),) if copying else ()
    return torch.randn(len(WORDS), 7, 2, dtype=torch.float64), priors, *ids


@pytest.mark.parametrize(("attends", "copying"), [(False, False), (True, False), (True, True)])
def test_the_loss_is_that_of_the_steps(attends, copying):
    decoder, vectors = decoder_of(source_width=2 * attends, copying=copying)
    codes = decoder.spelling.character_ids(WORDS)
    source = source_characters(copying=copying) if attends else ()
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


def test_characters_are_copied_as_the_gate_says():
    """p(c) = g p_generated(c) + (1 - g) sum_{j: x_j = c} p(j), by hand, with repeated characters.

    The score of p(j) has f more where x_j-1 is the character before.
    """
    decoder, vectors = decoder_of(source_width=2, copying=True)
    states, priors, ids = source = source_characters(copying=True)
    codes = torch.tensor([BEGIN, 4, 5, 4, 5])
    scores, _ = decoder.step(codes, decoder.start(vectors, source))
    for row, code in enumerate(codes):
        before = decoder.characters(code)
        h = decoder.lstm(before[None, None], decoder.start(vectors[row][None]))[0][0, 0]
        follows = torch.cat([torch.zeros(1), decoder.follows * (ids[row, :-1] == code)])
        query = decoder.query.weight @ h + decoder.query.bias
        attention = (states[row] @ query / 2**0.5 + priors[row] + follows).softmax(0)
        context = torch.cat([h, attention @ states[row]])
        mixed = torch.tanh(decoder.combine.weight @ context + decoder.combine.bias)
        gate = torch.sigmoid(decoder.copy_gate(mixed, before))
        generated = (decoder.out.weight @ mixed + decoder.out.bias).softmax(0)
        copied = torch.stack([attention[ids[row] == c].sum() for c in range(decoder.spelling.codes)])
        assert torch.allclose(scores[row].exp(), (gate * generated + (1 - gate) * copied).to(scores.dtype), rtol=1e-5)


def test_the_gradient_of_copying_equals_differences():
    decoder, vectors = decoder_of(source_width=2, copying=True)
    codes, source = decoder.spelling.character_ids(WORDS), source_characters(copying=True)
    with torch.no_grad():
        decoder.characters.weight[PADDING] = 0  # which has no gradient
    check_parameters(decoder, lambda: decoder.loss(vectors, codes, source).sum(), without=("characters.weight",))
