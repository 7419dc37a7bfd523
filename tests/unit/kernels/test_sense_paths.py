"""Nodes of a window, each once; evidence against its formula; steps that leave other rows alone."""

import numpy as np
import pytest
from numba import njit

from firth.kernels import objectives
from firth.kernels.noise import alias_table
from firth.kernels.rows import aligned_rows
from firth.kernels.sense_paths import list_nodes, new_nodes, paths_of, weigh_evidence
from firth.kernels.step_emission import MOST_HIDDEN
from firth.kernels.targets import addresses, new_workspace
from firth.kernels.trees import from_children, huffman

WINDOW = 3


class Stage:
    """Senses, nodes and a workspace over a tree."""

    def __init__(self, tree, senses, outputs):
        words = len(tree.lengths)
        q = np.full(words, 1 / words)
        self.kept = objectives.scoring("hierarchical", q, negative=1, noise=alias_table(q), tree=tree)
        self.x, self.u = aligned_rows(*senses.shape), aligned_rows(*outputs.shape)
        self.x[:, : senses.shape[1]], self.u[:, : outputs.shape[1]] = senses, outputs
        most = 2 * WINDOW * tree.longest
        self.work = new_workspace(WINDOW, 1, 1, self.x.shape[1], outputs=most)
        self.at = addresses(self.work, self.x, self.u, normalised=True)
        self.by = objectives.predictor(self.kept, self.at, np.zeros(1))
        self.nodes = new_nodes(words, most, len(senses))
        self.rows = self.x.ctypes.data + np.arange(len(senses)) * self.at.row_bytes

    def list(self, sentence, first, centre, last):
        return int(_list(self.by, self.at, paths_of(self.nodes), np.array(sentence), first, centre, last))

    def evidence(self, n):
        found = np.zeros(len(self.x))
        _weigh(self.at, paths_of(self.nodes), n, self.rows.ctypes.data, len(self.rows), found.ctypes.data)
        return found

    def listed(self, n):
        """The nodes by number, how often each is turned left at, and how often it is passed."""
        numbers = (self.work.outputs[:n] - self.u.ctypes.data) // self.at.output_bytes
        return {
            node: (left, passed)
            for node, left, passed in zip(numbers.tolist(), self.nodes.lefts, self.nodes.turns, strict=False)
        }


@njit
def _list(by, at, paths, sentence, first, centre, last):
    return list_nodes(by, at, paths, sentence, first, centre, last)


@njit
def _weigh(at, paths, n, rows, m, found):
    weigh_evidence(at, paths, n, rows, m, found)


def test_a_windows_nodes_by_hand():
    """Words 0 to 3; node 0 parts 0 | 1, node 1 parts 2 | 3, the root 2 parts nodes 0 | 1.

    Around the centre of [3, 0, 1, 3, 0] stand 0 (root left, node 0 left), 3 (root right, node 1 right) and, reaching
    on, 3 and 0 again: the root is passed four times, twice to the left.
    """
    stage = Stage(from_children(np.array([[0, 1], [2, 3], [4, 5]])), np.zeros((1, 16)), np.zeros((4, 16)))
    assert stage.list([3, 0, 1, 3, 0], 1, 2, 3) == 3
    assert stage.listed(3) == {2: (1, 2), 0: (1, 1), 1: (0, 1)}
    assert stage.list([3, 0, 1, 3, 0], 0, 2, 4) == 3
    assert stage.listed(3) == {2: (2, 4), 0: (2, 2), 1: (0, 2)}
    # Untrained rows turn either way alike: eight turns, each log 1/2.
    np.testing.assert_allclose(stage.evidence(3), 8 * np.log(0.5), rtol=1e-6)
    assert stage.list([1, 0], 1, 0, 1) == 2
    assert stage.listed(2) == {2: (1, 1), 0: (1, 1)}


@pytest.mark.parametrize("senses", [1, 2, 3, 5, MOST_HIDDEN, MOST_HIDDEN + 1, 2 * MOST_HIDDEN + 3])
@pytest.mark.parametrize("scale", [0.5, 300.0])  # the second sums to probabilities that no float64 holds
def test_evidence_is_the_sum_over_paths(senses, scale):
    random = np.random.default_rng(senses)
    tree = huffman(np.arange(1, 40) ** 2)
    stage = Stage(tree, random.normal(0, 1, (senses, 24)), random.normal(0, scale / 24**0.5, (39, 24)))
    x, u = stage.x.astype(np.float64), stage.u.astype(np.float64)
    sentence = random.integers(0, 39, 2 * WINDOW + 1)
    sentence[0] = sentence[-1]  # a word that stands there twice counts twice
    expected = np.zeros(senses)
    for word in np.delete(sentence, WINDOW):
        path = slice(*tree.starts[word : word + 2])
        scores = np.clip(x @ u[tree.nodes[path]].T * tree.signs[path], -60, 60)
        expected -= np.logaddexp(0, -scores).sum(1)
    if scale > 1 and senses > 1:
        assert expected.min() < np.log(np.finfo(np.float64).tiny)
    found = stage.evidence(stage.list(sentence, 0, WINDOW, 2 * WINDOW))
    np.testing.assert_allclose(found, expected, rtol=2e-6)
