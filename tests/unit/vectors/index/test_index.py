"""The one face of all kinds of index."""

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError, ShapeError, UnknownWordError

WORDS = ["east", "north", "northeast", "west", "zero"]
ROWS = [[2, 0], [0, 1], [1, 1], [-1, 0], [0, 0]]


def needs(kind):
    if kind == "hnsw":
        pytest.importorskip("usearch", reason="usearch is not installed: pip install 'firth[ann]'")


@pytest.fixture
def vectors():
    return firth.WordVectors(WORDS, np.array(ROWS, dtype=np.float32))


@pytest.mark.parametrize("kind", ["exact", "lsh", "hnsw"])
class TestEveryKind:
    @pytest.fixture
    def index(self, kind, vectors):
        needs(kind)
        return vectors.index(kind)

    def test_a_word_by_hand(self, index):
        """east is (1, 0): northeast lies at 45 degrees, cosine 1 / sqrt 2, north at 90, cosine 0, like zero."""
        found = index.query("east", 4)
        assert found.words == [["northeast", "north", "zero", "west"]]
        assert found.rows.tolist() == [[2, 1, 4, 3]]
        assert found.scores[0] == pytest.approx([0.5**0.5, 0, 0, -1], abs=1e-6)
        assert found.answers[0][0] == ("northeast", pytest.approx(0.5**0.5))

    def test_words_and_vectors_in_batches(self, index):
        assert [some[0] for some in index.query(["east", "north"], 1).words] == ["northeast", "northeast"]
        found = index.query(np.array([[3, 0.1], [-1, 0]]), 1)
        assert found.words == [["east"], ["west"]]
        assert index.query(np.array([3, 0.1]), 1).rows.shape == (1, 1)
        assert index.query([], 3).rows.shape == (0, 0)

    def test_more_neighbours_than_words(self, index):
        found = index.query("east", 100)
        assert sorted(found.words[0]) == ["north", "northeast", "west", "zero"]
        assert len(index.query(np.array([1, 0]), 100).words[0]) == 5

    def test_a_zero_vector_is_like_nothing(self, index):
        assert set(index.query("zero", 4).scores[0].tolist()[:4]) == {0}

    @pytest.mark.parametrize("k", [0, -1, 2.5, True, "3"])
    def test_k(self, index, k):
        with pytest.raises(OptionError, match="expected a whole number of at least 1"):
            index.query("east", k)

    def test_bad_queries(self, index):
        with pytest.raises(UnknownWordError, match="'eest' is not in the vocabulary; did you mean east"):
            index.query(["east", "eest"])
        with pytest.raises(ShapeError, match=r"of shape \(1, 3\): expected \(2,\) or \(B, 2\)"):
            index.query(np.ones((1, 3)))
        with pytest.raises(FormatError, match="query vector 1 holds NaN"):
            index.query(np.array([[1, 1], [np.nan, 0]]))

    def test_policies_for_unknown_words(self, index):
        found = index.query(["eest", "east"], 1, unknown="skip")
        assert found.words == [[], ["northeast"]]
        assert found.scanned[0] == 0
        assert np.isnan(found.scores[0]).all()
        assert len(index.query("eest", 5, unknown="zero").words[0]) == 5

    def test_as_gensims_indexer(self, index, vectors):
        assert vectors.most_similar("east", topn=2, indexer=index)[0][0] == "east"
        both = vectors.most_similar([["east"], ["west"]], topn=1, indexer=index)
        assert [answer[0][0] for answer in both] == ["east", "west"]

    def test_words_added_later_have_no_part(self, index, vectors):
        vectors.add_vectors(["easterly"], [[1, 0.1]])
        assert len(index) == 5
        assert "easterly" not in index.query(np.array([1, 0.1]), 100).words[0]

    def test_no_words(self, kind):
        needs(kind)
        empty = firth.WordVectors([], np.empty((0, 3), dtype=np.float32)).index(kind)
        assert empty.query(np.ones((2, 3)), 5).words == [[], []]


def test_kinds_and_options(vectors):
    with pytest.raises(OptionError, match="kind='annoy': expected one of exact, lsh, hnsw"):
        vectors.index("annoy")
    with pytest.raises(OptionError, match="tables=3: an index of kind exact has csls"):
        vectors.index("exact", tables=3)
    with pytest.raises(OptionError, match="tables=0: expected a whole number from 1 to 1024"):
        vectors.index("lsh", tables=0)
    assert "lsh" in repr(vectors.index("lsh", tables=3))


def test_vectors_that_are_not_finite():
    broken = firth.WordVectors(["a", "b"], np.array([[1, 2], [np.nan, 1]], dtype=np.float32))
    with pytest.raises(FormatError, match="vector 1 has the length nan"):
        broken.index("lsh")


def test_another_effort():
    words = [f"w{i}" for i in range(500)]
    vectors = firth.WordVectors(words, np.random.default_rng(0).normal(size=(500, 20)).astype(np.float32))
    index = vectors.index("lsh", tables=2, bits=6, probes=1)
    more = index.tuned(probes=64)
    assert more.query("w0").scanned[0] == 500
    assert index.query("w0").scanned[0] < 100
    with pytest.raises(OptionError, match="tables=3: the index was built otherwise"):
        index.tuned(tables=3)
    with pytest.raises(OptionError, match="probes=0"):
        index.tuned(probes=0)


def test_words_without_a_row_are_asked_by_their_ngrams(tmp_path):
    corpus = tmp_path / "text.txt"
    corpus.write_text("the red house stands beside the green house\n" * 50, encoding="utf-8")
    model = firth.FastText(dim=8, epochs=1, buckets=1000)
    vectors = model.train(firth.Corpus.build(corpus, cache=tmp_path), threads=1)
    index = vectors.index()
    assert "houses" not in vectors.words
    assert len(index.query("houses", 3).words[0]) == 3
    index.save(tmp_path / "subwords.index")
    again = firth.load_index(tmp_path / "subwords.index", vectors)
    assert again.query("houses", 1).words == index.query("houses", 1).words
