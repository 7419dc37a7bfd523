"""Vectors of words in context."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.tagging.network import BiLstmEncoder, WindowEncoder
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.options import TokenOptions
from firth.neural.models.tokens.reader import learn_token_reader

SENTENCES = [["a", "b", "c", "d", "e"], ["b", "a"], ["c"]]


def encoder(kind):
    torch.manual_seed(4)
    reader = learn_token_reader(SENTENCES)
    options = replace(TokenOptions(), dim=5, char_dim=3, char_width=4)
    embedder = TokenEmbedder(options, reader)
    if kind == "window":
        return reader, WindowEncoder(embedder, window=1, hidden=6, dropout=0.3).eval()
    return reader, BiLstmEncoder(embedder, hidden=3, layers=2, dropout=0.3).eval()


def read(reader, *sentences):
    return reader.collate([reader.read(each) for each in sentences])


@pytest.mark.parametrize("kind", ["window", "bilstm"])
def test_the_rest_of_the_batch_does_not_matter(kind):
    reader, module = encoder(kind)
    together = module(read(reader, *SENTENCES))
    assert together.shape == (3, 5, module.width)
    for row, sentence in enumerate(SENTENCES):
        alone = module(read(reader, sentence))[0]
        torch.testing.assert_close(together[row, : len(sentence)], alone, atol=1e-6, rtol=0)


def test_a_window_sees_its_neighbours_and_nothing_else():
    reader, module = encoder("window")
    one, other = (module(read(reader, sentence))[0] for sentence in (list("abcde"), list("abcda")))
    assert torch.equal(one[:3], other[:3])
    assert not torch.allclose(one[3], other[3])


def test_a_window_by_hand():
    reader, module = encoder("window")
    inputs = read(reader, ["a", "b"])
    a, b = module.words(inputs)[0]
    first = module.linear(torch.cat([module.before, a, b])).clamp(-1, 1)
    second = module.linear(torch.cat([a, b, module.behind])).clamp(-1, 1)
    torch.testing.assert_close(module(inputs)[0], torch.stack([first, second]), atol=1e-6, rtol=0)


def test_the_change_of_the_middle_word_is_that_of_its_window():
    """The window "a b" with c in the place of b."""
    reader, module = encoder("window")
    x, lengths = module.words(read(reader, ["a", "b"])), torch.tensor([2])
    y = module.words(read(reader, ["a", "c"]))
    changed = module.sums(x, lengths)[0, 1] + module.change(y[0, 1] - x[0, 1])
    torch.testing.assert_close(changed, module.sums(y, lengths)[0, 1], atol=1e-6, rtol=0)
