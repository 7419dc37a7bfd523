"""Trained sentence encoders: vectors of texts, more words, folders."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, FormatError, OptionError, UnknownOptionError
from firth.language.text import TextRules
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.training.devices import new_module
from firth.sentences.encoded_texts import TextEncoder, as_encoder
from firth.text.batches import TextsWarning
from firth.vocabulary import Vocabulary

WORDS = ["</s>", "<unk>", *(f"w{i}" for i in range(9))]


@pytest.fixture(scope="module")
def model():
    vocabulary = Vocabulary(WORDS, np.arange(len(WORDS), 0, -1), 99)
    options = firth.SkipThought(dim=3, hidden=4, max_length=5, encoder="bi")
    rules = TextRules(sentences="punctuation")
    return SentenceEncoder(
        new_module(0, options.build_module, vocabulary), options, vocabulary, rules, metadata={"note": "untrained"}
    )


def vectors_of(words, width=2, seed=0):
    rows = np.random.default_rng(seed).normal(size=(len(words), width))
    return firth.WordVectors(words, rows.astype(np.float32))


def test_encode(model):
    texts = ["W1 w2!", ["w1", "w2"], "w3", "", "unknown words", "w3 unknown"]
    rows = model.encode(texts)
    assert (rows.dtype, rows.shape, model.dim) == (np.float32, (6, 4), 4)
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)
    assert (rows[3:5] == 0).all()
    assert rows[[0, 2, 5]].any(axis=1).all()
    np.testing.assert_allclose(model.encode(texts, batch_size=1), rows, atol=1e-6)
    assert model.encode([]).shape == (0, 4)
    assert isinstance(model, TextEncoder)
    assert as_encoder(model) is model


def test_texts_beyond_the_limit_are_truncated_and_reported(model):
    with pytest.warns(TextsWarning, match="1 of 2 texts have more than 5 words"):
        rows = model.encode(["w1 w2 w3 w4 w5 w6", "w1 w2 w3 w4 w5"])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)


def test_what_is_no_list_of_texts_is_refused(model):
    with pytest.raises(ArgumentTypeError, match="put a text into a list"):
        model.encode("w1 w2")
    for size in (0, 2.5, "4"):
        with pytest.raises(OptionError, match=f"batch_size={size!r}: expected"):
            model.encode(["w1"], batch_size=size)
    with pytest.raises(UnknownOptionError, match="show_progress_bar=True: not an argument of encode; use progress"):
        model.encode(["w1"], show_progress_bar=True)
    with pytest.raises(AttributeError, match=r"no attribute 'similarity'; .* firth.TextIndex\(model, texts\)"):
        model.similarity("w1", "w2")
    with pytest.raises(ArgumentTypeError, match="vectors"):
        model.expand("w.firth")


def test_expansion_recovers_a_linear_map(model):
    """Other vectors of which the input vectors are a linear function: words beyond the vocabulary get the same one."""
    names = [*WORDS[2:], "new", "newer"]
    other = vectors_of(names)
    weights, shift = np.array([[1.0, 2, 3], [0, -1, 1]]), np.array([0.5, 0, -1])
    table = other.vectors @ weights + shift
    exact = SentenceEncoder(
        new_module(0, model.options.build_module, model.vocabulary), model.options, model.vocabulary, model.rules
    )
    with np.errstate(all="raise"):
        exact.module.parts[0].embedding.weight.data[2:] = __import__("torch").from_numpy(table[:9])
    larger = exact.expand(other)
    np.testing.assert_allclose(larger.word_vectors()["newer"], table[-1], atol=1e-4)
    assert "newer" not in exact.word_vectors()
    assert larger.encode(["newer"]).any()
    assert not exact.encode(["newer"]).any()
    np.testing.assert_array_equal(larger.encode(["w1 w2"]), exact.encode(["w1 w2"]))
    assert list(exact.expand(other, words=["newer", "w1"]).added.words) == ["newer"]
    assert "9 added" not in repr(larger)
    assert "2 added" in repr(larger)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["w1", "w2", "new"], "2 of the encoder's 9 words have a vector: expected more than the width"),
        (WORDS[2:], "no words to add"),
    ],
)
def test_vectors_that_expand_nothing_are_refused(model, words, message):
    with pytest.raises(OptionError, match=message):
        model.expand(vectors_of(words))


def test_a_folder_gives_the_same_model_with_added_words(model, tmp_path):
    larger = model.expand(vectors_of([*WORDS[2:], "new"]))
    larger.save(tmp_path / "model")
    again = firth.load(tmp_path / "model")
    texts = ["w1 new", "new", "w3"]
    np.testing.assert_array_equal(again.encode(texts), larger.encode(texts))
    assert (again.options, again.rules, again.metadata) == (model.options, model.rules, {"note": "untrained"})
    model.save(tmp_path / "model")
    assert firth.load(tmp_path / "model").added is None


def test_damaged_folders_are_refused(model, tmp_path):
    from firth.storage import model_folder

    model.expand(vectors_of([*WORDS[2:], "new"])).save(tmp_path / "model")
    content = model_folder.read(tmp_path / "model")
    parts = {name: getattr(content, name) for name in ("kind", "arrays", "texts", "config", "metadata")}
    changes = [
        ({"texts": {**content.texts, "names": ["w1"]}}, "repeats a word"),
        ({"arrays": {**content.arrays, "added": np.zeros((1, 2), np.float32)}}, "2 columns"),
        ({"config": {**content.config, "model": "Word2Vec"}}, "expected one of"),
        ({"arrays": {k: v for k, v in content.arrays.items() if "bias" not in k}}, r"bias_\w+ and \d+ more"),
        (
            {"arrays": {k: v.astype(np.int8) if "bias" in k else v for k, v in content.arrays.items()}},
            "holds int8 numbers; expected floating",
        ),
    ]
    for i, (change, message) in enumerate(changes):
        model_folder.write(tmp_path / f"{i}", model_folder.ModelFolder(**{**parts, **change}))
        with pytest.raises(FormatError, match=message):
            firth.load(tmp_path / f"{i}")
