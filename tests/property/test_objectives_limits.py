"""What the sampled objectives tend to as their samples grow: full softmax, or a known optimum."""

import numpy as np
import pytest

from firth.kernels import objectives
from firth.kernels.noise import alias_table
from firth.kernels.objectives import (
    HIERARCHICAL,
    IMPORTANCE,
    NAMES,
    NCE,
    NEGATIVE,
    SOFTMAX,
    most_outputs,
    predictor,
    scoring,
    untrained_loss,
)
from firth.kernels.rows import aligned_rows
from firth.kernels.step import take_loss
from firth.kernels.targets import addresses, new_workspace
from firth.kernels.trees import huffman

WORDS, DIM, WORD = 30, 8, 3
COUNTS = np.sort(np.random.default_rng(0).integers(1, 50, WORDS))[::-1]
Q = COUNTS / COUNTS.sum()


class Model:
    """One hidden row, rows for all words, and an objective."""

    def __init__(self, kind, negative, scale=0.5, dim=DIM):
        random = np.random.default_rng(1)
        self.x, self.u = aligned_rows(1, dim), aligned_rows(WORDS, dim)
        self.x[0, :dim], self.u[:, :dim] = random.normal(size=dim), scale * random.normal(size=(WORDS, dim))
        self.kept = scoring(NAMES[kind], Q, negative=negative, noise=alias_table(Q), tree=huffman(COUNTS))
        self.work = new_workspace(1, negative, 1, self.x.shape[1], outputs=most_outputs(self.kept))
        self.at = addresses(self.work, self.x, self.u, normalised=kind in objectives.NORMALISED)
        self.loss, self.random = np.zeros(1), np.array([7], dtype=np.uint64)
        self.by = predictor(self.kept, self.at, self.loss)
        self.work.contexts[0] = self.x.ctypes.data

    def step(self, word=WORD, rate=1.0):
        table = self.at.contexts
        objectives.predict(self.by, self.at, self.random, word, table, table, 1, np.float32(rate))

    def gradient(self):
        """The change of the hidden row by a step, over its rate; a small one, as a row may be drawn many times."""
        x, rate = self.x.copy(), 1e-3
        self.step(rate=rate)
        return (self.x - x)[0] / rate


def normalised(model):
    """Shift all scores so that their exponentials sum to V: along x, which every row can do."""
    x = model.x[0].astype(np.float64)
    scores = model.u @ x
    model.u[:] -= np.outer(np.full(WORDS, np.log(np.exp(scores).sum() / WORDS)), x / (x @ x)).astype(np.float32)
    return model


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


@pytest.mark.parametrize("kind", [NCE, IMPORTANCE])
def test_the_gradient_tends_to_that_of_softmax(kind):
    """One step's distance from the exact gradient falls as the samples grow."""
    exact = normalised(Model(SOFTMAX, 1)).gradient()
    few, many = (normalised(Model(kind, k)).gradient() for k in (2, 20_000))
    assert cosine(many, exact) > 0.999
    assert np.linalg.norm(many - exact) < 0.05 * np.linalg.norm(exact)
    assert np.linalg.norm(few - exact) > 5 * np.linalg.norm(many - exact)


def test_importance_needs_no_normalised_model():
    exact, many = Model(SOFTMAX, 1).gradient(), Model(IMPORTANCE, 20_000).gradient()
    assert np.linalg.norm(many - exact) < 0.05 * np.linalg.norm(exact)


def learned(kind, negative, rate, steps):
    """Learn the distribution `P` of one context's words, from words drawn of it; return the scores."""
    model = Model(kind, negative, scale=0.0, dim=WORDS)
    random = np.random.default_rng(2)
    model.x[:] = 0
    model.x[0, 0] = 1
    for t, word in enumerate(random.choice(WORDS, steps, p=P)):
        model.step(word, rate * (1 - t / steps) + 0.002)
        model.x[:] = 0
        model.x[0, 0] = 1  # the context stays: only the words' scores are learned
    return model.u[:, 0].astype(np.float64)


P = Q[np.random.default_rng(3).permutation(WORDS)]


def divergence(scores):
    """Of the scores' softmax from P, in nats."""
    found = np.exp(scores) / np.exp(scores).sum()
    return (P * np.log(P / found)).sum()


@pytest.mark.parametrize(("kind", "negative"), [(SOFTMAX, 1), (NCE, 25), (IMPORTANCE, 400)])
def test_what_is_learned_is_the_distribution(kind, negative):
    """Softmax of the scores is P; that of no learning is far from it."""
    assert divergence(learned(kind, negative, 0.3, 30_000)) < 0.01
    assert divergence(np.zeros(WORDS)) > 0.1


def test_the_bias_of_few_samples_falls_as_they_grow():
    few, more, many = (divergence(learned(IMPORTANCE, k, 0.3, 30_000)) for k in (5, 25, 400))
    assert few > 2 * more > 4 * many


def test_negative_sampling_learns_shifted_mutual_information():
    """Its optimum is log P(w)/q(w) - log K (Levy and Goldberg 2014); noise that is the word is left out."""
    k = 5
    scores = learned(NEGATIVE, k, 0.2, 60_000)
    # Drawn as noise for a step of another word only: K q (1 - P) false, P true.
    expected = np.log(P / (k * Q * (1 - P)))
    assert np.abs(scores - expected).mean() < 0.1
    assert np.corrcoef(scores, expected)[0, 1] > 0.98
    assert np.abs(expected).mean() > 1


@pytest.mark.parametrize("kind", [NEGATIVE, HIERARCHICAL, SOFTMAX, NCE, IMPORTANCE], ids=NAMES.__getitem__)
def test_the_untrained_loss_is_what_an_untrained_model_loses(kind):
    model = Model(kind, 7, scale=0.0)
    for word in np.random.default_rng(4).choice(WORDS, 4000, p=Q):
        model.step(word, 0.0)
    found = (model.loss[0] + take_loss(model.work.likelihood, model.work.exponents)) / 4000
    expected = untrained_loss(model.kept, Q)
    if kind == IMPORTANCE:
        assert 0.5 * expected < found < expected
    elif kind == NEGATIVE:  # noise that is the word itself takes no part
        assert 0.9 * expected < found < expected
    else:
        assert found == pytest.approx(expected, rel=0.03)
