"""Vectors of words: their parts, given vectors, word dropout, padding."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.options import TokenOptions
from firth.neural.models.tokens.reader import learn_token_reader

SENTENCES = [["The", "cat", "sat"], ["the", "Cat", "ran", "off"], ["the"]]
OPTIONS = TokenOptions(dim=6, char_dim=4, char_width=5, column_dim=3)
VECTORS = firth.WordVectors(["ran", "dog"], np.array([[1, 2, 3], [4, 5, 6]], np.float32))


def embedder(characters="cnn", **reading):
    torch.manual_seed(3)
    vectors = reading.get("vectors")
    reader = learn_token_reader(SENTENCES, characters=characters != "none", **reading)
    dim = vectors.dim if vectors is not None and reading.get("tuned", True) else 6
    return reader, TokenEmbedder(replace(OPTIONS, characters=characters, dim=dim), reader, vectors)


@pytest.mark.parametrize("characters", ["cnn", "lstm", "none"])
def test_vectors_do_not_depend_on_the_rest_of_the_batch(characters):
    reader, module = embedder(characters, columns=("capitals",), vectors=VECTORS, tuned=False)
    module.eval()
    sentences = [["cat"], ["a", "very-long-word", "ran"], ["The", "dog"]]
    together = module(reader.collate([reader.read(each) for each in sentences]))
    assert together.shape == (3, 3, module.width)
    assert module.widths == [6, *([] if characters == "none" else [5]), 3, 3]
    for row, sentence in enumerate(sentences):
        alone = module(reader.collate([reader.read(sentence)]))
        torch.testing.assert_close(together[row, : len(sentence)], alone[0], atol=1e-6, rtol=0)


def test_given_vectors_start_the_table_or_are_kept():
    reader, tuned = embedder("none", vectors=VECTORS)
    ids = [int(reader.read([word]).words[0]) for word in ("Ran", "dog")]
    assert tuned.words.weight[ids].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert tuned.words.weight.requires_grad
    reader, kept = embedder("none", vectors=VECTORS, tuned=False)
    part = kept.parts(reader.collate([reader.read(["DOG", "cat"])]))[1]
    assert part[0].tolist() == [[4, 5, 6], [0, 0, 0]]
    assert not kept.given.weight.requires_grad


def test_rare_words_are_dropped_in_training_as_often_as_their_counts_say():
    """With a = 0.25 a word seen once is unknown with probability 0.2, one seen three times with 0.25 / 3.25."""
    reader, module = embedder("none")
    sentence = reader.read(["sat"] * 4000 + ["the"] * 4000)
    ids = module._dropped(reader.collate([sentence]).words)[0]
    assert float((ids[:4000] == 1).float().mean()) == pytest.approx(0.2, abs=0.025)
    assert float((ids[4000:] == 1).float().mean()) == pytest.approx(0.25 / 3.25, abs=0.017)
    module.eval()
    assert module._dropped(reader.collate([sentence]).words).tolist() == [sentence.words.tolist()]


def test_unknown_words_of_equal_spelling_only_are_equal():
    reader, module = embedder("lstm")
    module.eval()
    x = module(reader.collate([reader.read(["that", "hat", "that"])]))[0]
    assert torch.equal(x[0], x[2])
    assert not torch.allclose(x[0], x[1])


def test_parts_in_their_order_and_tables_at_the_start():
    """Uniform numbers of variance 1 / width; zeros for padding and unknown words."""
    reader, module = embedder("lstm", columns=("capitals",), vectors=VECTORS, tuned=False)
    inputs = reader.collate([reader.read(["The", "ran", "zebra"])])
    module.eval()
    parts = module.parts(inputs)
    assert module.widths == [each.shape[2] for each in parts] == [6, 5, 3, 3]
    assert module.width == 17
    torch.testing.assert_close(parts[0], module.words.weight[inputs.words])
    torch.testing.assert_close(parts[1], module.characters.spelled(inputs.spellings)[inputs.forms])
    torch.testing.assert_close(parts[2], module.given.weight[inputs.given])
    torch.testing.assert_close(parts[3], module.columns[0].weight[inputs.columns[0]])
    torch.testing.assert_close(module(inputs), torch.cat(parts, 2))
    assert not parts[0][0, 2].any()
    words = [f"w{number}" for number in range(300)]
    many = learn_token_reader([words], characters=False)
    table = TokenEmbedder(replace(OPTIONS, characters="none"), many).words.weight.detach()
    assert not table[:2].any()
    assert table[2:].std().item() == pytest.approx(6**-0.5, rel=0.05)
    assert (3 / 6) ** 0.5 * 0.98 < table.abs().max().item() <= (3 / 6) ** 0.5


def test_words_that_only_vectors_know_are_never_dropped():
    reader, module = embedder("none", vectors=VECTORS)
    sentence = reader.read(["dog"] * 500 + ["ran"] * 500)
    ids = module._dropped(reader.collate([sentence]).words)[0]
    assert ids[:500].tolist() == sentence.words[:500].tolist()
    assert 1 in ids[500:].tolist()
