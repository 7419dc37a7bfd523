"""`SentenceTransformer(folder)` gives the vectors that firth gives."""

import numpy as np
import pytest

import firth

peer = pytest.importorskip(
    "sentence_transformers", reason="sentence-transformers is not installed: pip install sentence-transformers"
)
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

LINES = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune,",
    "must be in want of a wife.",
    "However little known the feelings or views of such a man may be on his first entering a neighbourhood,",
    "this truth is so well fixed in the minds of the surrounding families,",
    "that he is considered as the rightful property of some one or other of their daughters.",
    "“My dear Mr. Bennet,” said his lady to him one day, “have you heard that Netherfield Park is let at last?”",
    "Mr. Bennet replied that he had not. “But it is,” returned she; “for Mrs. Long has just been here.”",
]
TEXTS = [
    *LINES,
    "MR. BENNET’S DAUGHTERS; Mrs. Long's park...",
    "Xylophones zzz qqq",
    "a truth about xylophones, unknown zzz words & a man",
    "",
    "?!… — 3,000.5",
    "i",
    "The\tpark\nat   last",
]


@pytest.fixture(scope="module")
def vectors():
    corpus = firth.Corpus.build(LINES * 30, min_count=1)
    return firth.Word2Vec(dim=25, epochs=3).train(corpus, seed=1, threads=1, progress=False)


@pytest.mark.parametrize("weighting", ["mean", "sif", "learned"])
@pytest.mark.parametrize("tokens", ["unicode", "whitespace", "text8"])
def test_vectors_of_texts(vectors, tmp_path, weighting, tokens):
    if weighting == "learned":
        texts = [" ".join(np.random.default_rng(i).choice(vectors.words, 9)) for i in range(150)]
        averages = firth.SentenceAverages.learn(vectors, texts, tokens=tokens)
        assert averages.direction is not None
    else:
        averages = firth.SentenceAverages(vectors, weighting, tokens=tokens)
    averages.save(tmp_path / "st", format="sentence-transformers")
    model = peer.SentenceTransformer(str(tmp_path / "st"), device="cpu")
    ours, theirs = averages.encode(TEXTS), model.encode(TEXTS)
    assert theirs.shape == ours.shape
    assert theirs.dtype == np.float32
    scale = np.abs(ours).max()
    assert scale > 0.01 * np.abs(vectors.vectors).max()
    np.testing.assert_allclose(theirs, ours, atol=4e-7 * max(scale, 1))


def test_similarity_and_a_copy_that_it_saves_itself(vectors, tmp_path):
    vectors.save(tmp_path / "st", format="sentence-transformers")
    model = peer.SentenceTransformer(str(tmp_path / "st"), device="cpu")
    assert model.similarity_fn_name == "cosine"
    first, second = model.encode(["Mr. Bennet", "his lady"])
    expected = float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
    assert model.similarity(first, second).item() == pytest.approx(expected, abs=1e-6)
    model.save(str(tmp_path / "theirs"))
    back = firth.load(tmp_path / "theirs")
    assert back.words == vectors.words
    np.testing.assert_array_equal(back.vectors, vectors.vectors)
