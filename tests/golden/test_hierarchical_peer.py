"""gensim's hierarchical softmax beside ours: trained alike, it finds the same words alike.

As in `test_word2vec_peer.py`, the measure is what two seeds of firth agree on: Spearman's correlation between the
cosines of all pairs of the 400 most frequent words. Huffman's rule leaves open which of equal counts are joined, and
another tree makes other vectors: firth takes gensim's. Measured with gensim 4.4: two seeds of firth agree to 0.88
pair by pair, 0.83 by windows and 0.81 for CBOW, firth and gensim to 0.82, 0.76 and 0.79.
"""

import numpy as np
import pytest

import firth
from tests.golden.test_word2vec_peer import EPOCHS, WORDS, agreement, corpus

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]  # gensim warns as it likes
__all__ = ["corpus"]  # the fixture


def tree_of(peer):
    """gensim's tree: each word's nodes from the root down and the turns there, put together again."""
    words, children = peer.index_to_key, np.full((len(peer) - 1, 2), -1)
    for i, word in enumerate(words):
        nodes, turns = peer.get_vecattr(word, "point"), peer.get_vecattr(word, "code")
        below = [*(len(words) + nodes[1:].astype(int)), i]
        children[nodes.astype(int), turns] = below
    return firth.WordTree.from_children(words, children)


@pytest.mark.parametrize(
    ("architecture", "update", "least"),
    [("skipgram", "pair", 0.9), ("skipgram", "window", 0.88), ("cbow", "window", 0.95)],
)
def test_gensim_finds_the_same_words_alike(architecture, update, least, corpus):
    models = pytest.importorskip("gensim.models", reason="compares with gensim: pip install gensim")
    peer = models.Word2Vec(
        list(corpus), sg=int(architecture == "skipgram"), hs=1, negative=0, vector_size=50, window=5, sample=1e-3,
        epochs=EPOCHS, alpha=0.05, min_alpha=0.05e-4, min_count=1, workers=1, seed=1,
    ).wv  # fmt: skip
    words = list(corpus.vocabulary.words)[:WORDS]
    model = firth.Word2Vec(
        architecture=architecture, objective="hierarchical", tree=tree_of(peer), update=update, dim=50, sample=1e-3,
        epochs=EPOCHS, lr=0.05, final_lr=1e-4,
    )  # fmt: skip
    ours, again = (model.train(corpus, threads=2, seed=seed, progress=False) for seed in (1, 2))
    ours, again, theirs = (np.array([v[word] for word in words]) for v in (ours, again, peer))
    print(f"{architecture}, {update}: two seeds {agreement(ours, again):.3f}, gensim {agreement(ours, theirs):.3f}")
    assert agreement(ours, again) > 0.5
    assert agreement(ours, theirs) > least * agreement(ours, again)
