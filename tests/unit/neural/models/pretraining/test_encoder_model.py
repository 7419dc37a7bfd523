"""Trained encoders: vectors depend on their own text only, words have states, long texts are read in parts."""

import copy
import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, OptionError, UnknownOptionError
from firth.neural.models.pretraining.encoder_model import PretrainedEncoder
from firth.neural.models.pretraining.network import EncoderNetwork
from firth.neural.models.tokens.embedders import ContextualEncoder
from firth.text.batches import TextsWarning
from tests.unit.neural.models.pretraining.encoders import trained
from tests.unit.neural.models.sentences.encoders import sentences


@pytest.mark.parametrize("name", ["masked", "electra", "coco"])
def test_padding_and_batch_mates_change_nothing(name):
    model, texts = trained(name), [*sentences(5), "The cat", ""]
    together = model.encode(texts)
    alone = np.concatenate([model.encode([text], batch_size=1) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert together.any(1).tolist() == [True] * 6 + [False]


def test_states_of_words():
    model = trained("masked")
    words = [text.split() for text in sentences(3)] + [[]]
    states = model.encode_tokens(words)
    assert [each.shape for each in states] == [(len(each), 16) for each in words]
    ids = torch.tensor([[model.pieces.cls_id, *model.rows_of(words[:1])[0], model.pieces.sep_id]])
    expected = model.module(ids).detach().numpy()[0, 1:-1]
    ((_, owners),) = model.pieces.encode_words(words[:1])
    first = [owners.index(number) for number in range(len(words[0]))]
    np.testing.assert_allclose(states[0], expected[first], atol=1e-5)
    means = model.encode_tokens(words[:1], pieces="mean")[0]
    np.testing.assert_allclose(means[-1], expected[np.array(owners) == len(words[0]) - 1].mean(0), atol=1e-5)


def test_the_interface_of_taggers_and_parsers(tmp_path):
    """All layers of the first pieces, zeros at padding, gradients; the same vectors as `encode_tokens`."""
    model, words = trained("masked"), [text.split() for text in sentences(2)] + [" ".join(sentences(4)).split()]
    states = model.token_states(words)
    assert isinstance(model, ContextualEncoder)
    assert states.shape == (3, len(words[2]), model.token_layers, model.token_width)
    assert not states[0, len(words[0]) :].any()
    for layer in range(model.token_layers):
        for row, expected in zip(states[:, :, layer], model.encode_tokens(words, layer=layer), strict=True):
            np.testing.assert_allclose(row[: len(expected)].detach(), expected, atol=1e-5)
    assert states.requires_grad
    model.save(tmp_path / "encoder")
    assert firth.load(tmp_path / "encoder").fingerprint() == model.fingerprint() != trained("coco").fingerprint()


def test_layers():
    model, words = trained("masked"), [["cat", "eats"]]
    last, same, first = (model.encode_tokens(words, layer=layer)[0] for layer in (-1, 2, 0))
    np.testing.assert_array_equal(last, same)
    assert not np.allclose(last, first)
    with pytest.raises(OptionError, match="layer=3"):
        model.encode_tokens(words, layer=3)


def test_long_sentences_are_read_in_parts_and_long_texts_are_cut():
    model = trained("masked")
    words = " ".join(sentences(6)).split()
    assert model.encode_tokens([words])[0].shape == (len(words), 16)
    row, owners = model.pieces.encode_words([words])[0]
    parts = model._parts(row, owners)
    assert [piece for part in parts for piece in part] == row
    assert all(not model.pieces.continues[part[0]] for part in parts)
    with pytest.warns(TextsWarning, match="1 of 2 texts have more than 22 word pieces"):
        long = model.encode([" ".join(words), "cat"])
    np.testing.assert_allclose(long[0], model.encode([words[: owners[21] + 1]])[0], atol=1e-5)


def test_first_states_and_odd_arguments():
    model = trained("masked")
    assert not np.allclose(model.encode(["cat"]), model.encode(["cat"], pooling="cls"))
    for call in (
        lambda: model.encode(["cat"], pooling="max"),
        lambda: model.encode(["cat"], batch_size=0),
        lambda: model.encode_tokens(["cat"], pieces="last"),
        lambda: model.substitutes("the cat", 2),
    ):
        with pytest.raises(OptionError, match="expected"):
            call()
    with pytest.raises(ArgumentTypeError, match="expected a list"):
        model.encode("cat")
    with pytest.raises(AttributeError, match="encode"):
        _ = model.similarity


def test_embedders_read_the_states_of_all_layers(tmp_path, monkeypatch):
    model, words = trained("masked"), [text.split() for text in (*sentences(3), " ".join(sentences(6)))]
    with torch.no_grad():
        found = model.token_states(words).numpy()
    assert found.shape == (4, len(words[3]), model.token_layers, model.token_width)
    for layer in range(model.token_layers):
        for rows, expected in zip(found, model.encode_tokens(words, layer=layer), strict=True):
            np.testing.assert_allclose(rows[: len(expected), layer], expected, atol=1e-5)
            assert not rows[len(expected) :].any()
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    before = {name: value.clone() for name, value in model.module.state_dict().items()}
    tagger = firth.Tagger(dim=4, hidden=4, char_dim=2, char_width=2).train(
        [(each, ["A", *"B" * (len(each) - 1)]) for each in words],
        held_out=[(words[0], ["A", *"B" * (len(words[0]) - 1)])],
        embed=firth.ELMo(model, tuned=True),
        training=firth.TrainingOptions(epochs=1, batch_size=2),
        progress=False,
    )
    tagger.save(tmp_path / "tagger")
    (text,) = words[:1]
    np.testing.assert_array_equal(
        firth.load(tmp_path / "tagger").marginals([text])[0]["tag"], tagger.marginals([text])[0]["tag"]
    )
    tuned = tagger.reader.embedders[0].encoder.module.state_dict()
    assert any(not torch.equal(tuned[name], value) for name, value in before.items())
    assert all(torch.equal(model.module.state_dict()[name], value) for name, value in before.items())


@pytest.mark.parametrize("layer", ["last", True, 1.0, 99])
def test_layers_are_whole_numbers(layer):
    model = trained("masked")
    with pytest.raises(OptionError, match=r"layer=.* expected -"):
        model.encode_tokens([["The", "cat"]], layer=layer)
    same = zip(*(model.encode_tokens([["The", "cat"]], layer=each) for each in (1, np.int64(1))), strict=True)
    assert all((one == other).all() for one, other in same)


def test_an_encoder_with_its_pooling():
    model, texts = trained("masked"), sentences(3)
    for pooling in ("mean", "cls"):
        encoder = firth.HiddenStates(model, pooling)
        np.testing.assert_array_equal(encoder.encode(texts), model.encode(texts, pooling=pooling))
        assert encoder.dim == model.dim
    with pytest.raises(OptionError, match="pooling='max': expected one of mean, cls"):
        firth.HiddenStates(model, "max")
    with pytest.raises(OptionError, match="max_length=9: a pretrained encoder reads"):
        firth.HiddenStates(model, max_length=9)


def test_a_text_is_no_word():
    model = trained("electra")
    with pytest.raises(OptionError, match="the word 'the dog eats' has a space"):
        model.replaced(["the dog eats", "a cat"])
    with pytest.raises(UnknownOptionError, match="topn"):
        trained("masked").substitutes("The cat eats", 1, topn=3)
    marked = trained("masked").substitutes(["The", "[]", "eats"])
    assert marked == trained("masked").substitutes("The [] eats")


@torch.no_grad()
def outputs(model, row):
    """States of the last block for pieces between [CLS] and [SEP]."""
    return model.module(torch.tensor([[model.pieces.cls_id, *row, model.pieces.sep_id]]))[0]


def test_vectors_of_texts_by_hand():
    """The mean of the states of the pieces, or the state before them, also beside a longer text."""
    model, texts = trained("masked"), [*sentences(2), "cat"]
    for pooling in ("mean", "cls"):
        for found, text in zip(model.encode(texts, pooling=pooling), texts, strict=True):
            states = outputs(model, model.pieces.encode([text])[0])
            expected = states[1:-1].mean(0) if pooling == "mean" else states[0]
            np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("position", [0, 9, 20, 38, 39])
def test_a_hidden_word_is_read_within_its_surroundings(position):
    """22 pieces of a longer sentence: 11 before the place, if there are so many. Special pieces fit nowhere."""
    model = copy.deepcopy(trained("masked"))
    words = [text.split()[0] for text in sentences(40)]
    row = [number for (number,) in model.pieces.encode(words)]
    row[position] = model.pieces.mask_id
    first = min(max(position - 11, 0), 18)
    states = outputs(model, row[first : first + 22])
    with torch.no_grad():
        scores = model.head(states[position - first + 1]) @ model.module.embeddings.word.weight.T
        chances = (scores + model.head.output.bias).softmax(0)
        model.head.output.bias[:5] += 4
        expected = sorted(zip(chances.tolist()[5:], model.pieces.vocabulary[5:], strict=True), reverse=True)[:6]
        found = model.substitutes(words, position, n=6)
        everything = model.substitutes(words, position, n=1000)
    share = sum(score for score, _ in expected) / sum(score for _, score in found)
    assert [word for word, _ in found] == [word for _, word in expected]
    assert [share * score for _, score in found] == pytest.approx([score for score, _ in expected], rel=1e-3)
    assert {word for word, _ in everything} == set(model.pieces.vocabulary[5:])


def test_chances_of_replaced_words_by_hand():
    """Of a word with several pieces that of the most suspicious one."""
    model, words = copy.deepcopy(trained("electra")), ["catdog", "eats", "milkbreadcat"]
    ((row, owners),) = model.pieces.encode_words([words])
    assert len(row) > len(words) + 2
    with torch.no_grad():
        model.head.score.weight /= model.head(outputs(model, row)).std()  # it has hardly learned anything
        model.head.score.bias -= model.head(outputs(model, row)).mean()
        chances = model.head(outputs(model, row))[1:-1].sigmoid()
    expected = [chances[torch.tensor(owners) == word].max() for word in range(3)]
    np.testing.assert_allclose(model.replaced(words), expected, atol=1e-5)
    assert np.ptp(expected) > 1e-3


def test_a_fingerprint_is_that_of_parameters_sizes_and_pieces():
    """Heads leave no trace in the parameters."""
    model = trained("masked")
    network = EncoderNetwork(dataclasses.replace(model.config, heads=4))
    network.load_state_dict(model.module.state_dict())
    same = EncoderNetwork(model.config)
    same.load_state_dict(model.module.state_dict())
    cased = firth.WordPieces.of(model.pieces.vocabulary, lowercase=False)
    prints = [
        PretrainedEncoder(each, pieces, "bert", None, {}).fingerprint()
        for each, pieces in (
            (same, model.pieces), (network, model.pieces), (same, cased), (EncoderNetwork(model.config), model.pieces),
        )
    ]  # fmt: skip
    assert prints[0] == model.fingerprint()
    assert len(set(prints)) == 4
