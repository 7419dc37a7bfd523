"""Encoders of characters: the paper's formula, and that neither padding nor neighbours change a word's vector."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.characters import CharacterCNN, CharacterLSTM

WORDS = ["a", "the", "cat", "catalogue", "incomprehensibilities", "tea", "at"]


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(23)


def encoders(words=WORDS):
    return [
        CharacterCNN(words, char_dim=4, filters=(2, 3, 4, 2), width=6),
        CharacterCNN(words, char_dim=4, filters=(0, 3, 0, 0, 0, 2), highway=0),
        CharacterLSTM(words, char_dim=4, hidden=5, width=6),
    ]


each_encoder = pytest.mark.parametrize("number", range(3))


@each_encoder
def test_a_word_alone_equals_the_word_among_longer_ones(number):
    encoder = encoders()[number]
    among = encoder(torch.arange(len(WORDS)))
    for place in range(len(WORDS)):
        torch.testing.assert_close(encoder(torch.tensor([place]))[0], among[place], atol=1e-6, rtol=0)
    torch.testing.assert_close(encoder.encode(WORDS), among.detach(), atol=1e-6, rtol=0)


@each_encoder
def test_many_words_read_in_groups_equal_words_read_alone(number):
    words = [f"{'xyz' * (k % 7)}{k}" for k in range(300)]
    encoder = encoders(words)[number]
    many = encoder.encode(words)
    for place in (0, 1, 63, 64, 150, 299):
        torch.testing.assert_close(encoder.encode([words[place]])[0], many[place], atol=1e-6, rtol=0)


@each_encoder
def test_any_shape_of_ids_and_each_type_read_once(number):
    encoder = encoders()[number]
    seen = []
    encoder.characters.register_forward_hook(lambda module, args, output: seen.append(len(args[0])))
    ids = torch.tensor([[3, 3, 1], [1, 3, 0]])
    vectors = encoder(ids)
    assert vectors.shape == (2, 3, encoder.width)
    assert sum(seen) == 3
    assert torch.equal(vectors[0, 0], vectors[1, 1])


@each_encoder
def test_words_never_seen_have_vectors_too(number):
    encoder = encoders()[number]
    vectors = encoder.encode(["tacet", "cat", "ζ", "", "t" * 500])
    assert torch.isfinite(vectors).all()
    torch.testing.assert_close(vectors[1], encoder(torch.tensor(2)).detach(), atol=1e-6, rtol=0)
    assert encoder.encode([]).shape == (0, encoder.width)


def test_the_cnn_by_the_formula_of_the_paper():
    """Each filter of width w over BEGIN c_1 ... c_n END, tanh, the maximum, no highway; written with Python's loops."""
    encoder = CharacterCNN(WORDS, char_dim=3, filters=(2, 2, 2), highway=0)
    table = encoder.characters.weight
    for place in (2, 3):
        x = [table[code] for code in encoder.spelling.character_ids([WORDS[place]])[0].long()]
        expected = []
        for w, one in enumerate(encoder.filters, 1):
            answers = [torch.tanh(one(torch.cat(x[p : p + w]))) for p in range(len(x) - w + 1)]
            expected.append(torch.stack(answers).max(0).values)
        torch.testing.assert_close(encoder(torch.tensor(place)), torch.cat(expected), atol=1e-6, rtol=0)


def test_the_lstm_by_torchs_own_over_each_word():
    encoder = CharacterLSTM(WORDS, char_dim=3, hidden=4, width=5)
    peer = torch.nn.LSTM(3, 4, batch_first=True, bidirectional=True)
    for suffix, layer in (("", encoder.lstm.forward_layer), ("_reverse", encoder.lstm.backward_layer)):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(peer, f"{name}_l0{suffix}").data.copy_(getattr(layer, name))
    for place, word in enumerate(WORDS):
        _, (ends, _) = peer(encoder.characters(encoder.spelling.character_ids([word])))
        expected = encoder.last(torch.cat([ends[0, 0], ends[1, 0]]))
        torch.testing.assert_close(encoder(torch.tensor(place)), expected, atol=1e-6, rtol=0)


@each_encoder
def test_every_weight_but_the_blank_rows_learns(number):
    encoder = encoders()[number]
    encoder(torch.arange(len(WORDS))).square().sum().backward()
    assert all(part.grad is not None and part.grad.abs().sum() > 0 for part in encoder.parameters())
    assert (encoder.characters.weight.grad[0] == 0).all()


def test_empty_vocabularies_and_sizes_are_refused():
    with pytest.raises(OptionError, match="needs a vocabulary of at least one word"):
        CharacterCNN([])
    with pytest.raises(OptionError, match="filters=0: expected at least 1"):
        CharacterCNN(WORDS, filters=())
    with pytest.raises(OptionError, match="hidden=0: expected at least 1"):
        CharacterLSTM(WORDS, hidden=0)


@each_encoder
def test_no_words(number):
    encoder = encoders()[number]
    assert encoder(torch.empty((2, 0), dtype=torch.int64)).shape == (2, 0, encoder.width)
