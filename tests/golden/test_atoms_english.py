"""Discourse atoms of English: words of two topics at once, and what scikit-learn leaves at the same sparsity."""

import lzma

import numpy as np
import pytest

import firth
from firth.senses.dictionary import learn_dictionary, residuals
from firth.senses.sparse_codes import sparse_codes

CHARACTERS = 6_000_000
PAIRS = 60
GIVEN = (100, 1000)  # counts of the words that are taken for one


@pytest.fixture(scope="module")
def merged(shared_data, tmp_path_factory):
    """Vectors of a text in which every second time two words of nothing in common are written as one."""
    folder = tmp_path_factory.mktemp("text")
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz", "rt", encoding="utf-8") as file:
        (folder / "wiki.txt").write_text(file.read(CHARACTERS), encoding="utf-8")
    corpus = firth.Corpus.build(folder / "wiki.txt", cache=folder)
    counts = np.asarray(corpus.vocabulary.counts)
    usable = [
        w for w, c in zip(corpus.vocabulary.words, counts, strict=True) if GIVEN[0] <= c <= GIVEN[1] and len(w) > 3
    ]
    drawn = np.random.default_rng(0).permutation(usable)[: 2 * PAIRS].tolist()
    pairs = list(zip(drawn[::2], drawn[1::2], strict=True))
    other = {word: "+".join(pair) for pair in pairs for word in pair}
    turn = dict.fromkeys(other, 0)

    def rewritten(sentence):
        for word in sentence:
            turn[word] = turn.get(word, 0) + 1
            yield other[word] if word in other and turn[word] % 2 else word

    text = firth.Corpus.build([list(rewritten(sentence)) for sentence in corpus], cache=folder, min_count=5)
    return firth.Word2Vec(dim=60, epochs=10, lr=0.05).train(text, threads=1, progress=False), pairs


def test_both_words_are_near_the_atoms_of_their_sum(merged):
    """Of sixty pairs by chance none would have both words among the two hundred next to five of five hundred atoms;
    with twelve times less text than the figures of the page of senses, more than a third have."""
    vectors, pairs = merged
    atoms = firth.DiscourseAtoms(atoms=500, words=8000).fit(vectors, threads=1, progress=False)
    found = 0
    for pair in pairs:
        near = {word for each in atoms.senses("+".join(pair), topn=200) for word, _ in each.words}
        found += near.issuperset(pair)
    assert found >= 20


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore:Objective did not converge")
def test_no_worse_than_scikit_learn(merged):
    """2,000 vectors, 200 atoms, five a word, as many rounds; scikit-learn's atoms coded by the same pursuit."""
    decomposition = pytest.importorskip(
        "sklearn.decomposition", reason="scikit-learn is not installed: pip install scikit-learn"
    )
    rows = np.ascontiguousarray(merged[0].vectors[:2000], dtype=np.float32)
    rows -= rows.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    theirs = decomposition.MiniBatchDictionaryLearning(200, alpha=0.3, fit_algorithm="cd", max_iter=15, random_state=0)
    atoms = theirs.fit(rows.astype(np.float64)).components_
    atoms = (atoms / np.linalg.norm(atoms, axis=1, keepdims=True)).astype(np.float32)
    left = residuals(rows, atoms, *sparse_codes(rows, atoms, 5))
    ours = learn_dictionary(rows, 200, 5, rounds=15, random=np.random.default_rng(0))
    assert ours.errors[-1] < (left**2).sum(axis=1).mean()
