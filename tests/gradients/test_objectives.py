"""Every objective's step against central differences of its formula in float64; samples are read from its tables."""

import numpy as np
import pytest

from firth.kernels import objectives
from firth.kernels.noise import alias_table
from firth.kernels.objectives import HIERARCHICAL, IMPORTANCE, NAMES, NCE, NEGATIVE, NORMALISED, SOFTMAX
from firth.kernels.rows import aligned_rows
from firth.kernels.step import take_loss
from firth.kernels.step_emission import MOST_HIDDEN
from firth.kernels.targets import addresses, new_workspace
from firth.kernels.trees import huffman
from tests.gradients.steps import derivative, random_rows

WORDS, NEGATIVES, DIM, WORD = 13, 7, 20, 4
COUNTS = np.arange(1, WORDS + 1)
Q = COUNTS / COUNTS.sum()
TOLERANCE = 2e-6


def log_sigma(x):
    return -np.logaddexp(0, -x)


def value(kind, x, u, tree, samples):
    """The objective summed over hidden rows, from the module's docstring; leading axes are a batch."""
    s = x @ np.swapaxes(u, -1, -2)
    correction = np.log(NEGATIVES * Q * (WORDS if kind == NCE else 1))
    if kind == NEGATIVE:
        noise = [n for n in samples if n != WORD]
        return (log_sigma(s[..., WORD]) + log_sigma(-s[..., noise]).sum(-1)).sum(-1)
    if kind == HIERARCHICAL:
        path = slice(*tree.starts[WORD : WORD + 2])
        return log_sigma(s[..., tree.nodes[path]] * tree.signs[path]).sum((-1, -2))
    if kind == SOFTMAX:
        return (s[..., WORD] - np.log(np.exp(s).sum(-1))).sum(-1)
    if kind == NCE:
        z = s - correction
        return (log_sigma(z[..., WORD]) + log_sigma(-z[..., samples]).sum(-1)).sum(-1)
    others = [n for n in samples if n != WORD]
    total = np.exp(s[..., WORD]) + np.exp(s[..., others] - correction[others]).sum(-1)
    return (s[..., WORD] - np.log(total)).sum(-1)


class Stage:
    """Hidden rows, output rows and a workspace for one objective."""

    def __init__(self, kind, m, seed):
        random = np.random.default_rng([kind, m, seed])
        self.tree = huffman(COUNTS)
        by = objectives.scoring(NAMES[kind], Q, negative=NEGATIVES, noise=alias_table(Q), tree=self.tree)
        self.x, self.u = aligned_rows(m, DIM), aligned_rows(WORDS, DIM)
        self.x[:, :DIM], self.u[:, :DIM] = random_rows(random, m, DIM), random_rows(random, WORDS, DIM)
        self.work = new_workspace(5, NEGATIVES, 1, self.x.shape[1], outputs=objectives.most_outputs(by), contexts=m)
        self.at = addresses(self.work, self.x, self.u, normalised=kind in NORMALISED)
        self.loss, self.random = np.zeros(1), np.array([seed + 1], dtype=np.uint64)
        self.by, self.kept = objectives.predictor(by, self.at, self.loss), by
        self.work.contexts[:m] = self.x.ctypes.data + np.arange(m) * self.at.row_bytes

    def predict(self, rate=1.0):
        table, m = self.at.contexts, len(self.x)
        objectives.predict(self.by, self.at, self.random, WORD, table, table, m, np.float32(rate))
        places = (self.work.outputs[: self.at.n] - self.u.ctypes.data) // self.at.output_bytes
        return places[1:], self.loss[0] + take_loss(self.work.likelihood, self.work.exponents)


@pytest.mark.parametrize("kind", range(5), ids=NAMES)
@pytest.mark.parametrize("m", [1, 2, 5, MOST_HIDDEN])
@pytest.mark.parametrize("seed", range(4))
def test_a_step_adds_the_derivative(kind, m, seed):
    s = Stage(kind, m, seed)
    x, u = (rows[:, :DIM].astype(np.float64) for rows in (s.x, s.u))
    samples, loss = s.predict()
    assert loss == pytest.approx(-value(kind, x, u, s.tree, samples), rel=TOLERANCE)
    by_x = derivative(lambda v: value(kind, v, u, s.tree, samples), x)
    by_u = derivative(lambda v: value(kind, x, v, s.tree, samples), u)
    # Noise that was drawn twice gets both updates, the second from rows as they stood before the step.
    assert s.u[:, :DIM] - u == pytest.approx(by_u, abs=TOLERANCE)
    if len(set(samples)) == len(samples) or kind in (HIERARCHICAL, SOFTMAX):
        assert s.x[:, :DIM] - x == pytest.approx(by_x, abs=TOLERANCE)


@pytest.mark.parametrize("kind", [NEGATIVE, NCE, IMPORTANCE])
def test_samples_are_drawn_from_the_noise(kind):
    """Chi-square of 4,000 steps' samples against q; twelve degrees of freedom, p = 0.001 at 32.9."""
    s = Stage(kind, 1, 0)
    drawn = np.concatenate([s.predict(rate=0.0)[0] for _ in range(4000)])
    expected = Q * len(drawn)
    assert ((np.bincount(drawn, minlength=WORDS) - expected) ** 2 / expected).sum() < 32.9
    uniform = np.full(WORDS, len(drawn) / WORDS)
    assert ((np.bincount(drawn, minlength=WORDS) - uniform) ** 2 / uniform).sum() > 1000


def test_a_hit_of_the_word_itself_takes_no_part_in_negative_sampling_and_importance():
    for kind in (NEGATIVE, IMPORTANCE):
        s = Stage(kind, 1, 0)
        while True:
            samples, _ = s.predict(rate=0.0)
            if WORD in samples:
                break
        assert s.work.signs[1 + int(np.flatnonzero(samples == WORD)[0])] == 0


@pytest.mark.parametrize("kind", range(5), ids=NAMES)
@pytest.mark.parametrize("m", [1, 3])
def test_the_row_of_zeros_behind_the_output_rows_stays_zero(kind, m):
    s = Stage(kind, m, 0)
    s.predict()
    assert not s.work.rows[0].any()
