"""Vectors of documents: questions, inference, files."""

import json

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError, ShapeError
from firth.sentences.encoded_texts import as_encoder
from firth.text.batches import TextsWarning

TEXTS = ["the cat sat on the mat", "a cat and a dog", "oil prices rose", "the price of oil fell"] * 20


@pytest.fixture(scope="module", params=["dm", "dbow", "concatenate"])
def vectors(request, tmp_path_factory):
    how = {"combine": "concatenate"} if request.param == "concatenate" else {"architecture": request.param}
    corpus = firth.Corpus.build(TEXTS, min_count=2, cache=tmp_path_factory.mktemp("cache"))
    model = firth.ParagraphVectors(dim=8, window=2, epochs=2, sample=0, **how)
    return model.train(corpus, threads=1, progress=False)


def test_questions(vectors):
    assert len(vectors) == 80
    assert vectors.dim == 8
    (name, cosine), *_ = vectors.most_similar("3", topn=3)
    assert vectors.similarity("3", name) == pytest.approx(cosine, abs=1e-6)
    assert vectors.most_similar([vectors["5"]], topn=1)[0][0] == "5"
    assert repr(vectors) == "<DocumentVectors: 80 documents x 8, 14 words>"
    with pytest.raises(AttributeError):
        vectors.no_such_question  # noqa: B018  looking the name up is the test


def test_encode_infers(vectors):
    texts = ["The cat sat", ["oil", "rose"], "", "unheard"]
    with pytest.warns(TextsWarning, match="2 of 4 texts have no known word: their vectors are zero"):
        found = vectors.encode(texts, batch_size=3)
    assert found[:2].tobytes() == vectors.infer([["the", "cat", "sat"], ["oil", "rose"]]).tobytes()
    assert (found[2:] == 0).all()
    assert as_encoder(vectors) is vectors
    other = firth.DocumentVectors(
        ["a"], vectors["5"][None], words=vectors.words, outputs=vectors.outputs, options=vectors.options, tokens="mine"
    )
    assert other.encode([["oil", "rose"]]).tobytes() == found[1].tobytes()
    with pytest.raises(OptionError, match="pass it as tokenise=, or pass lists of tokens"):
        other.encode(["oil rose"])


class TestInfer:
    def test_texts_and_tokens_are_the_same(self, vectors):
        one = vectors.infer("The cat sat")
        assert one.shape == (8,)
        assert vectors.infer(["The cat sat"]).tolist() == [one.tolist()]
        assert vectors.infer([["the", "cat", "sat"]]).tolist() == [one.tolist()]
        assert vectors.infer(["The cat sat"], tokenise=lambda text: text.lower().split()).tolist() == [one.tolist()]

    def test_neither_neighbours_nor_threads_matter(self, vectors):
        texts = ["the cat", "oil rose", "a dog and a cat", "the price fell"] * 30
        alone = np.array([vectors.infer(text) for text in texts[:4]])
        for threads in (1, 2, 3):
            together = vectors.infer(texts, threads=threads)
            assert together.tobytes() == np.tile(alone, (30, 1)).tobytes()

    def test_the_seed_matters(self, vectors):
        one, same, other = (vectors.infer("the cat sat", seed=seed) for seed in (0, 0, 1))
        assert one.tolist() == same.tolist() != other.tolist()

    def test_nothing_known_is_zero(self, vectors):
        with pytest.warns(UserWarning, match="2 of 3 documents have no known word"):
            found = vectors.infer(["", "the cat", "unheard"])
        assert found.any(axis=1).tolist() == [False, True, False]

    def test_no_documents(self, vectors):
        assert vectors.infer([]).shape == (0, 8)

    @pytest.mark.parametrize(
        ("how", "message"),
        [
            ({"epochs": 0}, "epochs=0: expected a whole number of at least 1"),
            ({"epochs": 1.5}, "epochs=1.5"),
            ({"lr": 0}, "lr=0: expected a finite number above 0"),
            ({"threads": 0}, "threads=0"),
        ],
    )
    def test_arguments_out_of_range(self, vectors, how, message):
        with pytest.raises(OptionError, match=message):
            vectors.infer(["the cat"], **how)

    def test_texts_among_token_lists(self, vectors):
        with pytest.raises(OptionError, match="documents mix texts and token lists"):
            vectors.infer(["the cat", ["the", "dog"]])

    def test_an_unknown_tokeniser(self, tmp_path):
        corpus = firth.Corpus.build(TEXTS, min_count=2, tokens=lambda text: text.split(), cache=tmp_path)
        vectors = firth.ParagraphVectors(dim=4, epochs=1, sample=0).train(corpus, threads=1, progress=False)
        with pytest.raises(OptionError, match="pass it as tokenise="):
            vectors.infer(["the cat"])
        assert vectors.infer(["the cat"], tokenise=str.split).shape == (1, 4)


class TestFiles:
    def test_a_folder_holds_everything(self, vectors, tmp_path):
        vectors.metadata["note"] = "kept"
        vectors.save(tmp_path / "d.firth")
        again = firth.load(tmp_path / "d.firth")
        assert again.names == vectors.names
        assert again.vectors.tobytes() == vectors.vectors.tobytes()
        assert again.words.words == vectors.words.words
        assert again.metadata == json.loads(json.dumps(vectors.metadata))
        assert again.infer(["the cat sat"]).tolist() == vectors.infer(["the cat sat"]).tolist()

    @pytest.mark.usefixtures("without_checksums")
    @pytest.mark.parametrize("damage", ["names", "vocab", "options", "outputs"])
    def test_damage(self, vectors, damage, tmp_path):
        folder = tmp_path / "d.firth"
        vectors.save(folder)
        if damage in ("names", "vocab"):
            (folder / f"{damage}.json").write_text('["one"]')
        else:
            config = json.loads((folder / "config.json").read_text())
            config["options"] = (
                {} if damage == "options" else {**config["options"], "window": 3, "combine": "concatenate"}
            )
            config["options"] |= {} if damage == "options" else {"architecture": "dm"}
            (folder / "config.json").write_text(json.dumps(config))
        with pytest.raises(FormatError, match="damaged"):
            firth.load(folder)


def test_shapes_must_fit():
    words = firth.WordVectors(["a", "b"], np.zeros((2, 3)), counts=[1, 1])
    options = {"architecture": "dm", "combine": "mean", "window": 2, "objective": "negative"}
    with pytest.raises(ShapeError, match=r"expected words of width 3 and output vectors \(2, 3\)"):
        firth.DocumentVectors(["d"], np.zeros((1, 3)), words=words, outputs=np.zeros((2, 4)), options=options)


def test_tokens_in_other_forms_are_found(vectors):
    assert vectors.infer([["OIL", "Rose", "Unheard"]]).tobytes() == vectors.infer([["oil", "rose"]]).tobytes()
