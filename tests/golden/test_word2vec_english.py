"""Word2Vec on three million characters of an encyclopedia: small, and enough to be wrong about if the model were."""

import lzma

import numpy as np
import pytest
from scipy.stats import spearmanr

import firth

CHARACTERS = 3_000_000
NUMBERS = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "few", "several", "dozen"}
PEOPLES = """american austria austrian british christian czech danish dutch english french german germany greek
hungarian irish italian mongol norwegian polish portuguese roman russian scottish slovak slovenian spanish swedish swiss
turkish"""


@pytest.fixture(scope="module")
def corpus(shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz", "rt", encoding="utf-8") as file:
        (folder / "wiki.txt").write_text(file.read(CHARACTERS), encoding="utf-8")
    return firth.Corpus.build(folder / "wiki.txt", min_count=5, cache=folder)


def men(vectors, shared_data):
    """Spearman's correlation with the judgements of MEN, over the pairs that are covered."""
    rows = [line.split() for line in (shared_data / "similarity" / "EN-MEN-TR-3k.txt").read_text().splitlines()]
    known = [(a, b, float(score)) for a, b, score in rows if a in vectors and b in vectors]
    assert len(known) > 500
    return spearmanr([vectors.similarity(a, b) for a, b, _ in known], [score for *_, score in known])[0]


def neighbours(vectors, word):
    return {other for other, _ in vectors.most_similar(word, topn=10)}


@pytest.mark.parametrize(
    ("options", "least"),
    [({"lr": 0.05}, 0.45), ({"lr": 0.05, "update": "pair"}, 0.43), ({"architecture": "cbow", "lr": 0.1}, 0.4)],
    ids=["skipgram", "pair", "cbow"],
)
def test_what_is_learned_of_english(options, least, corpus, shared_data):
    """Measured on MEN: 0.53 for skip-gram, 0.51 for pairs, 0.50 for CBOW; seeds differ by some 0.02."""
    model = firth.Word2Vec(dim=50, epochs=10, sample=1e-4, **options)
    vectors = model.train(corpus, threads=1, progress=False)
    losses = vectors.metadata["training"]["loss"]
    # Step by step, update="pair" sees the same centre again at once, and its loss need not fall to the very end.
    assert losses[:5] == sorted(losses[:5], reverse=True)
    assert losses[-1] < 0.9 * losses[0] < 0.9 * 6 * np.log(2)
    assert men(vectors, shared_data) > least
    assert len(neighbours(vectors, "two") & NUMBERS) >= 3
    assert len(neighbours(vectors, "german") & set(PEOPLES.split())) >= 4


def test_untrained_vectors_know_no_english(corpus, shared_data):
    vectors = firth.Word2Vec(dim=50, epochs=1, lr=1e-9).train(corpus, threads=1, progress=False)
    assert abs(men(vectors, shared_data)) < 0.12
    assert not neighbours(vectors, "two") & NUMBERS
    assert len(neighbours(vectors, "german") & set(PEOPLES.split())) <= 1
