"""AdaGram draws what its plain twin draws, and learns what it learns: algorithm 1 of the paper in float64 NumPy."""

import numpy as np
import pytest
from scipy.special import digamma

import firth
from firth.randomness import generator
from firth.senses.adagram_windows import NEW
from tests.golden.twin_steps import Steps, random_rows

TOLERANCE = 1e-5


class Asked:
    """AdaGram's options, and those that `Steps` asks for besides."""

    objective, noise_exponent, shared_windows = "hierarchical", 1.0, 1

    def __init__(self, model):
        self.model = model

    def __getattr__(self, name):
        return getattr(self.model, name)


class Twin(Steps):
    def __init__(self, model, corpus, seed):
        super().__init__(Asked(model), corpus, seed)
        words, most = len(corpus.vocabulary), model.max_senses
        self.senses = np.zeros((words, most, model.dim))
        self.senses[:, 0] = random_rows(seed, "input vectors", words, model.dim)
        random = generator(seed, "further senses")
        for k in range(1, most):
            start = random.random((words, model.dim), dtype=np.float32) * 2 - 1
            self.senses[:, k] = start / np.float32(model.dim)
        self.outputs = np.zeros((words, model.dim))
        self.totals = corpus.vocabulary.counts * self.keep
        self.n = np.zeros((words, most))
        self.n[:, 0] = self.totals

    def train_epoch(self):
        for _, kept in self.pieces():
            for t, before, after, _ in self.windows(kept if len(kept) > 1 else []):
                self.learn(kept[t], [kept[t + j] for j in range(-before, after + 1) if j])
                self.predictions += before + after

    def log_sticks(self, word):
        n = self.n[word]
        behind = n.sum() - np.cumsum(n)
        a, b = 1 + n, self.model.alpha + behind
        own, left = digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)
        own[-1] = 0.0
        return own + np.concatenate([[0], np.cumsum(left)[:-1]])

    def learn(self, word, context):
        x = self.senses[word]
        nodes = [node for other in context for node in self.paths[other][0]]
        signs = np.array([sign for other in context for sign in self.paths[other][1]])
        scores = signs * (x @ self.outputs[nodes].T)
        weights = self.log_sticks(word) - np.logaddexp(0, -scores).sum(1)
        had = [k for k in range(len(x)) if k == 0 or self.n[word, k:].sum() >= NEW]
        weights[len(had) + 1 :] = -np.inf  # but for the first that is new
        bound = np.logaddexp.reduce(weights)
        self.loss -= bound
        q = np.exp(weights - bound)
        q[q < self.model.threshold] = 0
        slopes = self.rate * q[:, None] * signs / (1 + np.exp(scores))
        step = slopes @ self.outputs[nodes]
        np.add.at(self.outputs, nodes, slopes.T @ x)
        self.senses[word] += step
        self.n[word] += self.rate * (self.totals[word] * q - self.n[word])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Two topics of 60 words each by Zipf's law, and 20 words that stand in both."""
    random = np.random.default_rng(0)
    law = 1 / np.arange(1, 61)
    sentences = []
    for length in random.integers(2, 30, 150):
        topic = random.choice(["a", "b"])
        words = [f"{topic}{i}" for i in random.choice(60, length, p=law / law.sum())]
        shared = random.random(length) < 0.2
        sentences.append([f"both{random.integers(20)}" if s else w for w, s in zip(words, shared, strict=True)])
    return firth.Corpus.build(sentences, min_count=1, cache=tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 2.0, "sample": 1e-2},
        {"alpha": 0.3, "max_senses": 2, "lr": 0.2, "shrink_windows": False, "window": 3},
        {"max_senses": 1, "threshold": 0.0},  # plain hierarchical skip-gram, the centre predicting its context
    ],
)
def test_it_equals_its_plain_twin(corpus, options):
    model = firth.AdaGram(dim=24, epochs=3, tree="huffman", **{"sample": 0, "lr": 0.1, **options})
    twin = Twin(model, corpus, seed=5).train()
    kept = {}

    def finish(self, matrices, by, facts):
        kept.update(matrices=matrices, facts=facts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(firth.AdaGram, "sense_vectors", finish)
        model.train(corpus, seed=5, threads=1, progress=False)
    matrices, n = kept["matrices"], kept["matrices"].state["occurrences"]
    inputs = matrices.inputs[:, :24].reshape(twin.senses.shape)
    np.testing.assert_allclose(kept["facts"]["loss"], twin.losses, rtol=TOLERANCE)
    np.testing.assert_allclose(n, twin.n, atol=TOLERANCE * twin.totals.max())
    for found, expected in ((inputs, twin.senses), (matrices.outputs[:, :24], twin.outputs)):
        np.testing.assert_allclose(found, expected, atol=TOLERANCE * np.abs(expected).max())
    if model.max_senses > 1:
        assert (n[:, 1] > 1).any()  # else nothing but the first sense was compared
