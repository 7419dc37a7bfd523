"""gensim itself beside us: trained on the same sentences with the same options, it finds the same words alike.

The measure is `likeness`, where 1 means that the programs differ as two seeds of one program do. Both go through the
text in one thread: a text that is read in two places at a time makes other vectors. Measured with gensim 4.4: 0.974 for
skip-gram, 0.999 for CBOW.
"""

import lzma

import pytest

import firth
from tests.golden.likeness import WORDS, agreement, likeness

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]  # gensim warns as it likes

CHARACTERS, EPOCHS = 3_000_000, 10
LEAST = {"skipgram": 0.95, "cbow": 0.97}  # skip-gram scores a window before it updates it
OPTIONS = {"dim": 50, "window": 5, "negative": 5, "sample": 1e-3, "epochs": EPOCHS, "lr": 0.05, "lr_end_factor": 1e-4}


@pytest.fixture(scope="module")
def corpus(shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz", "rt", encoding="utf-8") as file:
        (folder / "wiki.txt").write_text(file.read(CHARACTERS), encoding="utf-8")
    return firth.Corpus.build(folder / "wiki.txt", cache=folder)


@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
def test_gensim_finds_the_same_words_alike(architecture, corpus):
    models = pytest.importorskip("gensim.models", reason="compares with gensim: pip install gensim")
    words = list(corpus.vocabulary.words)[:WORDS]
    theirs = [
        models.Word2Vec(
            list(corpus), sg=int(architecture == "skipgram"), vector_size=50, window=5, negative=5, sample=1e-3,
            epochs=EPOCHS, alpha=0.05, min_alpha=0.05e-4, min_count=1, workers=1, seed=seed,
        ).wv[words]
        for seed in (1, 2)
    ]  # fmt: skip
    model = firth.Word2Vec(architecture=architecture, **OPTIONS)
    ours = [model.train(corpus, threads=1, seed=seed, progress=False)[words] for seed in (1, 2)]
    untrained = firth.Word2Vec(dim=50, epochs=1, lr=1e-9).train(corpus, threads=1, progress=False)
    assert likeness(ours, theirs) > LEAST[architecture]
    assert abs(agreement(untrained[words], theirs[0])) < 0.1
