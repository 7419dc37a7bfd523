"""gensim itself beside us: the same questions, its signatures, and its files read by us and ours by it."""

import inspect
import warnings

import numpy as np
import pytest

from firth.loading import load
from firth.vectors.word_vectors import WordVectors
from tests.golden.vectors.questions import BINARY, GLOVE, QUESTIONS, VECTORS, difference, plain

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]  # gensim warns as it likes

# The public methods that the project's notes on gensim's users list.
METHODS = [
    "add_vector",
    "add_vectors",
    "closer_than",
    "cosine_similarities",
    "distance",
    "distances",
    "doesnt_match",
    "evaluate_word_analogies",
    "evaluate_word_pairs",
    "fill_norms",
    "get_index",
    "get_mean_vector",
    "get_normed_vectors",
    "get_vecattr",
    "get_vector",
    "has_index_for",
    "load_word2vec_format",
    "most_similar",
    "most_similar_cosmul",
    "most_similar_to_given",
    "n_similarity",
    "rank",
    "rank_by_centrality",
    "relative_cosine_similarity",
    "save_word2vec_format",
    "set_vecattr",
    "similar_by_key",
    "similar_by_vector",
    "similar_by_word",
    "similarity",
    "sort_by_descending_frequency",
    "unit_normalize_all",
    "vectors_for_all",
    "wmdistance",
]


@pytest.fixture(scope="module")
def gensim():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("gensim.models", reason="compares with gensim: pip install gensim")


@pytest.mark.parametrize("how", ["memory", "mapped"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_answer_is_gensims(name, how, gensim, tmp_path):
    if "wmdistance" in name:
        pytest.importorskip("ot", reason="gensim needs POT for wmdistance: pip install POT")
    ours = load(VECTORS)
    if how == "mapped":
        ours.save(tmp_path / "small.firth")
        ours = load(tmp_path / "small.firth")
    theirs = gensim.KeyedVectors.load_word2vec_format(str(VECTORS))
    assert difference(plain(QUESTIONS[name](ours)), plain(QUESTIONS[name](theirs))) is None


@pytest.mark.parametrize("method", METHODS)
def test_arguments_are_gensims(method, gensim):
    """The methods are functions over vectors, whose first parameter is not called `self`."""
    theirs = inspect.signature(getattr(gensim.KeyedVectors, method)).parameters
    ours = inspect.signature(getattr(WordVectors, method)).parameters
    positional = [name for name, one in ours.items() if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert positional[1:] == list(theirs)[1:]
    assert [ours[name].default for name in positional] == [one.default for one in theirs.values()]


@pytest.mark.parametrize("binary", [False, True])
def test_it_reads_our_files(binary, gensim, tmp_path):
    ours = load(VECTORS)
    path = tmp_path / "ours"
    ours.save(path, "word2vec-binary" if binary else "word2vec")
    theirs = gensim.KeyedVectors.load_word2vec_format(str(path), binary=binary)
    assert theirs.index_to_key == ours.words
    assert np.array_equal(theirs.vectors, ours.vectors)


@pytest.mark.parametrize("path", [VECTORS, BINARY, GLOVE], ids=["text", "binary", "glove"])
def test_we_read_its_files_to_the_bit(path, gensim):
    theirs = gensim.KeyedVectors.load_word2vec_format(str(path), binary=path == BINARY, no_header=path == GLOVE)
    ours = load(path)
    assert ours.words == theirs.index_to_key
    assert np.array_equal(ours.vectors, theirs.vectors)


@pytest.mark.parametrize("dim", [1, 50])
def test_trained_vectors(dim, gensim):
    """Real counts and norms: gensim's own model, asked on both sides."""
    sentences = [[f"w{(i * j) % 97}" for j in range(1, 30)] for i in range(200)]
    theirs = gensim.Word2Vec(sentences, vector_size=dim, min_count=1, epochs=2, seed=1, workers=1).wv
    ours = WordVectors(theirs.index_to_key, theirs.vectors, counts=theirs.expandos["count"])
    for word in theirs.index_to_key[:20]:
        assert (
            difference(plain(ours.most_similar(word, topn=None)), plain(theirs.most_similar(word, topn=None))) is None
        )
        assert ours.get_vecattr(word, "count") == theirs.get_vecattr(word, "count")
