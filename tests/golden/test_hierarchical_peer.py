"""gensim's hierarchical softmax beside ours: trained alike, it finds the same words alike.

As in `test_word2vec_peer.py`, the measure is `likeness`. Huffman's rule leaves open which of equal counts are joined,
and another tree makes other vectors: firth takes gensim's. Measured with gensim 4.4: 1.001 pair by pair, 0.960 where a
window is scored before it is updated, 1.004 for CBOW.
"""

import numpy as np
import pytest

import firth
from tests.golden.likeness import WORDS, likeness
from tests.golden.test_word2vec_peer import EPOCHS, corpus

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
    [("skipgram", "pair", 0.97), ("skipgram", "window", 0.93), ("cbow", "window", 0.97)],
)
def test_gensim_finds_the_same_words_alike(architecture, update, least, corpus):
    models = pytest.importorskip("gensim.models", reason="compares with gensim: pip install gensim")
    peers = [
        models.Word2Vec(
            list(corpus), sg=int(architecture == "skipgram"), hs=1, negative=0, vector_size=50, window=5, sample=1e-3,
            epochs=EPOCHS, alpha=0.05, min_alpha=0.05e-4, min_count=1, workers=1, seed=seed,
        ).wv
        for seed in (1, 2)
    ]  # fmt: skip
    words = list(corpus.vocabulary.words)[:WORDS]
    model = firth.Word2Vec(
        architecture=architecture, objective="hierarchical", tree=tree_of(peers[0]), update=update, dim=50, sample=1e-3,
        epochs=EPOCHS, lr=0.05, lr_end_factor=1e-4,
    )  # fmt: skip
    ours = [model.train(corpus, threads=1, seed=seed, progress=False)[words] for seed in (1, 2)]
    assert likeness(ours, [peer[words] for peer in peers]) > least
