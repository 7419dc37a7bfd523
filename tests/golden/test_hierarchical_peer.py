"""gensim's hierarchical softmax beside ours: trained alike, it finds the same words alike.

As in `test_word2vec_peer.py`, the measure is what two seeds of firth agree on: Spearman's correlation between the cosines
of all pairs of the 400 most frequent words.
"""

import numpy as np
import pytest

import firth
from tests.golden.test_word2vec_peer import EPOCHS, WORDS, agreement, corpus

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]  # gensim warns as it likes
__all__ = ["corpus"]  # the fixture


@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
def test_gensim_finds_the_same_words_alike(architecture, corpus):
    models = pytest.importorskip("gensim.models", reason="compares with gensim: pip install gensim")
    peer = models.Word2Vec(
        list(corpus), sg=int(architecture == "skipgram"), hs=1, negative=0, vector_size=50, window=5, sample=1e-3,
        epochs=EPOCHS, alpha=0.05, min_alpha=0.05e-4, min_count=1, workers=1, seed=1,
    ).wv  # fmt: skip
    words = list(corpus.vocabulary.words)[:WORDS]
    model = firth.Word2Vec(
        architecture=architecture, objective="hierarchical", dim=50, sample=1e-3, epochs=EPOCHS, lr=0.05, final_lr=1e-4
    )
    ours, again = (model.train(corpus, threads=2, seed=seed, progress=False) for seed in (1, 2))
    ours, again, theirs = (np.array([v[word] for word in words]) for v in (ours, again, peer))
    print(f"{architecture}: two seeds {agreement(ours, again):.3f}, gensim {agreement(ours, theirs):.3f}")
    assert agreement(ours, again) > 0.5
    assert agreement(ours, theirs) > 0.95 * agreement(ours, again)
