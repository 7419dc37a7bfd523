"""The layout of sentence-transformers. `tests/golden/exchange` opens it by the real program."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import Whitespace

import firth
from firth.errors import FormatError, OptionError

WORDS = ["the", "sea", "ships", "sail", "strasse", "a", "don't"]
TEXTS = [
    "The ships SAIL the sea!", "a", "unheard words alone", "", "Straße & sea", "Don’t sail unheard", "?!",
    "the the the sea",
]  # fmt: skip


@pytest.fixture
def vectors():
    rows = np.random.default_rng(4).normal(size=(len(WORDS), 6)).astype(np.float32)
    return firth.WordVectors(WORDS, rows, counts=[90, 20, 10, 5, 3, 2, 1])


def encode(folder, texts):
    """The vectors that sentence-transformers computes: the mean of the rows of each text's tokens, by PyTorch."""
    weight = load_file(folder / "model.safetensors")["embedding.weight"]
    bags = [each.ids for each in Tokenizer.from_file(str(folder / "tokenizer.json")).encode_batch(texts)]
    offsets = torch.tensor(np.cumsum([0, *map(len, bags[:-1])]))
    flat = torch.tensor([token for bag in bags for token in bag], dtype=torch.long)
    return torch.nn.EmbeddingBag.from_pretrained(weight)(flat, offsets).numpy()


@pytest.mark.filterwarnings("ignore:.* texts have no known word")
@pytest.mark.parametrize("tokens", ["unicode", "whitespace", "text8"])
@pytest.mark.parametrize("weighting", ["mean", "sif"])
def test_the_vectors_of_texts_are_firths(vectors, tmp_path, tokens, weighting):
    direction = np.array([0.6, 0.8, 0, 0, 0, 0], np.float32) if weighting == "sif" else None
    averages = firth.SentenceAverages(vectors, weighting, tokens=tokens, direction=direction)
    averages.save(tmp_path / "st", format="sentence-transformers")
    expected = averages.encode(TEXTS)
    assert np.abs(expected).max() > 0.05
    np.testing.assert_allclose(encode(tmp_path / "st", TEXTS), expected, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.* texts have no known word")
@pytest.mark.parametrize("tokens", ["unicode", "whitespace", "text8"])
def test_the_encoder_is_read_back(vectors, tmp_path, tokens):
    averages = firth.SentenceAverages(vectors, "sif", tokens=tokens)
    averages.save(tmp_path / "st", format="sentence-transformers")
    again = firth.SentenceAverages.load(tmp_path / "st")
    assert (again.weighting, again.tokens) == ("mean", tokens)
    np.testing.assert_allclose(again.encode(TEXTS), averages.encode(TEXTS), atol=1e-6)
    name = str(tmp_path / "st" / "tokenizer.json")
    Tokenizer.from_file(name).save(name)  # as another program writes it
    np.testing.assert_allclose(
        firth.SentenceAverages.load(tmp_path / "st").encode(TEXTS), averages.encode(TEXTS), atol=1e-6
    )


def test_the_encoder_of_another_program_has_its_tokens(vectors, tmp_path):
    vectors.save(tmp_path / "st", format="sentence-transformers")
    pieces = WordPiece({word: number for number, word in enumerate(["[UNK]", "sea", "##s", "ship", ".", "the", "a"])})
    tokenizer = Tokenizer(pieces)
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "st" / "tokenizer.json"))
    rows = firth.SentenceAverages.load(tmp_path / "st").encode(["seas ship.", "ship What"])
    np.testing.assert_allclose(rows[0], vectors.vectors[[1, 2, 3, 4]].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(rows[1], vectors.vectors[[3, 0]].mean(axis=0), atol=1e-6)


@pytest.mark.filterwarnings("ignore:.* texts have no known word")
def test_plain_vectors_give_plain_means(vectors, tmp_path):
    """Those whose rule is known: in others firth finds words in more forms, such as Straße as strasse."""
    ruled = {"training": {"rules": {"tokens": "words"}}}
    vectors = firth.WordVectors(vectors.words, vectors.vectors, metadata=ruled)
    vectors.save(tmp_path / "st", format="sentence-transformers")
    expected = firth.sentence_vectors(vectors, TEXTS, weighting="mean")
    np.testing.assert_allclose(encode(tmp_path / "st", TEXTS), expected, atol=1e-6)
    vectors.save(tmp_path / "st", format="sentence-transformers")  # replaces its own
    (tmp_path / "st" / "notes").write_text("mine")
    with pytest.raises(OptionError, match="other files"):
        vectors.save(tmp_path / "st", format="sentence-transformers")


def test_it_is_read_back(vectors, tmp_path):
    vectors.save(tmp_path / "st", format="sentence-transformers")
    back = firth.load(tmp_path / "st")
    assert back.words == WORDS
    np.testing.assert_array_equal(back.vectors, vectors.vectors)


def static(folder, **tensors):
    """A model as model2vec saves it."""
    folder.mkdir()
    save_file(tensors, folder / "model.safetensors")
    modules = [{"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"type": "WordPiece", "vocab": {"a": 0, "##b": 1}}}))


def test_models_of_others(tmp_path):
    static(tmp_path / "m", embeddings=torch.eye(2))
    assert firth.load(tmp_path / "m").words == ["a", "##b"]
    static(tmp_path / "n", embeddings=torch.eye(2), mapping=torch.tensor([0, 1]))
    with pytest.raises(FormatError, match="model2vec's quantised vocabulary"):
        firth.load(tmp_path / "n")
    static(tmp_path / "o", embeddings=torch.eye(3))
    with pytest.raises(FormatError, match="2 tokens and 3 rows"):
        firth.load(tmp_path / "o")


def test_a_path_outside_is_not_followed(tmp_path):
    static(tmp_path / "m", embeddings=torch.eye(2))
    modules = [{"path": "../other", "type": "StaticEmbedding"}]
    (tmp_path / "m" / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(FormatError, match="a module outside of the folder"):
        firth.load(tmp_path / "m")


def test_a_link_to_itself_beside_the_model_is_not_followed(tmp_path):
    static(tmp_path / "m", embeddings=torch.eye(2))
    (tmp_path / "m" / "README.md").symlink_to("README.md")
    assert firth.load(tmp_path / "m").words == ["a", "##b"]


def test_subwords_warn(tmp_path):
    corpus = firth.Corpus.build(["the sea", "the ships sail"] * 5, min_count=1)
    subwords = firth.FastText(dim=4, epochs=1, buckets=20, sample=0).train(corpus, seed=1, threads=1, progress=False)
    averages = firth.SentenceAverages(subwords, "mean")
    with pytest.warns(UserWarning, match="no place for n-grams"):
        averages.save(tmp_path / "st", format="sentence-transformers")
    np.testing.assert_allclose(encode(tmp_path / "st", ["the sea"]), averages.encode(["the sea"]), atol=1e-6)


def test_an_unknown_format(vectors, tmp_path):
    with pytest.raises(OptionError, match="expected firth or sentence-transformers"):
        firth.SentenceAverages(vectors).save(tmp_path / "x", format="onnx")
