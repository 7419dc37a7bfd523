"""AdaGram's step at a window against central differences of the window's lower bound, in float64."""

import numpy as np
import pytest
from scipy.special import digamma

from firth.kernels import objectives
from firth.kernels.noise import alias_table
from firth.kernels.rows import aligned_rows
from firth.kernels.sense_paths import list_nodes
from firth.kernels.step_emission import MOST_HIDDEN
from firth.kernels.targets import addresses, new_workspace
from firth.kernels.trees import huffman
from firth.senses.adagram import AdaGram
from firth.senses.adagram_windows import learn_window
from tests.gradients.steps import derivative, random_rows

WORDS, DIM, WINDOW, CENTRE, ALPHA = 13, 20, 2, 4, 0.6
SENTENCE = np.array([7, 2, CENTRE, 7, 11])
TOLERANCE = 2e-6


def log_sticks(n):
    """E log pi of one word, from the formula."""
    behind = n.sum() - np.cumsum(n)
    a, b = 1 + n[:-1], ALPHA + behind[:-1]
    own, left = digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)
    return np.append(own, 0) + np.append(0, np.cumsum(left))


def weights(x, u, n, tree):
    """log of prior times likelihood of each sense of the centre; leading axes are a batch."""
    total = log_sticks(n)
    for word in np.delete(SENTENCE, WINDOW):
        path = slice(*tree.starts[word : word + 2])
        scores = x @ np.swapaxes(u[..., tree.nodes[path], :], -1, -2) * tree.signs[path]
        total = total - np.logaddexp(0, -scores).sum(-1)
    return total


def bound(x, u, n, tree):
    return np.logaddexp.reduce(weights(x, u, n, tree), axis=-1)


# Senses beyond the first MOST_HIDDEN see nodes that those have moved already, a difference of first order in the rate.
@pytest.mark.parametrize(
    ("senses", "rate", "tolerance"),
    [(1, 0.25, TOLERANCE), (2, 0.25, TOLERANCE), (4, 0.25, TOLERANCE), (MOST_HIDDEN + 2, 2**-9, 3e-4)],
)
def test_a_step_is_the_gradient_of_the_bound(senses, rate, tolerance):
    random = np.random.default_rng(senses)
    tree, q = huffman(np.arange(1, WORDS + 1)), np.full(WORDS, 1 / WORDS)
    by = objectives.scoring("hierarchical", q, negative=1, noise=alias_table(q), tree=tree)
    x, u = aligned_rows(WORDS * senses, DIM), aligned_rows(WORDS, DIM)
    x[:, :DIM], u[:, :DIM] = random_rows(random, len(x), DIM), random_rows(random, WORDS, DIM)
    occurrences, totals = random.uniform(0.5, 3, (WORDS, senses)), np.full(WORDS, 8.0)
    most = 2 * WINDOW * tree.longest
    model = AdaGram(window=WINDOW, max_senses=senses, alpha=ALPHA, threshold=0.0)
    work, own = new_workspace(WINDOW, 1, 1, x.shape[1], outputs=most), model.workspace(WORDS, most)
    at = addresses(work, x, u, normalised=True)
    settings = model.settings(own, occurrences, totals)
    x0, u0, n0 = x.astype(np.float64)[:, :DIM], u.astype(np.float64)[:, :DIM], occurrences.copy()
    mine = slice(CENTRE * senses, (CENTRE + 1) * senses)

    n = list_nodes(objectives.predictor(by, at, np.zeros(1)), at, settings.paths, SENTENCE, 0, WINDOW, 2 * WINDOW)
    found = learn_window(settings, at, CENTRE, n, np.float32(rate))

    assert found == pytest.approx(bound(x0[mine], u0, n0[CENTRE], tree), rel=1e-6)
    for rows, before, function in (
        (x[mine], x0[mine], lambda values: bound(values, u0, n0[CENTRE], tree)),
        (u, u0, lambda values: bound(x0[mine], values, n0[CENTRE], tree)),
    ):
        step = (rows.astype(np.float64)[:, :DIM] - before) / rate
        np.testing.assert_allclose(step, derivative(function, before), atol=tolerance)
    others = np.setdiff1d(np.arange(len(x)), np.arange(len(x))[mine])
    np.testing.assert_array_equal(x[others, :DIM], x0[others])

    log_q = weights(x0[mine], u0, n0[CENTRE], tree)
    posterior = np.exp(log_q - np.logaddexp.reduce(log_q))
    moved = n0.copy()
    moved[CENTRE] += rate * (8.0 * posterior - n0[CENTRE])
    np.testing.assert_allclose(occurrences, moved, atol=1e-5)
