"""Copies of the nodes near the root: what threads learn apart comes together, and nothing is lost or counted twice."""

import numpy as np
import pytest
from numba import njit

from firth.kernels import objectives
from firth.kernels.objectives import MERGE, merge_copies, most_outputs, own_copies, place_path, predictor, scoring
from firth.kernels.rows import aligned_rows
from firth.kernels.targets import addresses, new_workspace
from firth.kernels.trees import huffman

WORDS, DIM = 400, 20


@njit
def merge(by, at, words):
    merge_copies(by, at, words)


@njit
def listed(by, at, word):
    return place_path(by, at, word)


@pytest.fixture
def hierarchical():
    counts = np.arange(WORDS, 0, -1) ** 2
    return scoring(
        "hierarchical", counts / counts.sum(), negative=5, noise=np.zeros(1, np.uint64), tree=huffman(counts)
    )


@pytest.fixture
def outputs():
    made = aligned_rows(WORDS, DIM)
    made[:, :DIM] = np.random.default_rng(0).integers(-8, 8, (WORDS, DIM))
    return made


def thread(by, outputs, threads=2):
    work = new_workspace(5, 5, 2, outputs.shape[1], outputs=most_outputs(by))
    at = addresses(work, outputs, outputs)
    own = own_copies(by, outputs, threads)
    return own, predictor(by, at, np.zeros(1), own), at, work


def test_a_thread_alone_and_other_objectives_copy_nothing(hierarchical, outputs):
    assert own_copies(hierarchical, outputs, 1) is None
    assert (
        own_copies(scoring("nce", np.full(WORDS, 1 / WORDS), negative=5, noise=np.zeros(1, np.uint64)), outputs, 2)
        is None
    )


def test_what_two_threads_learned_is_added(hierarchical, outputs):
    before = outputs.copy()
    (one, by_one, at_one, *keep), (other, by_other, at_other, *keep_other) = (
        thread(hierarchical, outputs) for _ in range(2)
    )
    nodes = slice(one.first, WORDS - 1)
    n = WORDS - 1 - one.first
    assert n == objectives.COPIED
    one.rows[:n, :DIM] += 1
    other.rows[:n, :DIM] += 4
    merge(by_one, at_one, MERGE)
    assert (outputs[nodes, :DIM] == before[nodes, :DIM] + 1).all()
    merge(by_other, at_other, MERGE)
    assert (outputs[nodes, :DIM] == before[nodes, :DIM] + 5).all()
    assert (other.rows[:n] == outputs[nodes]).all()
    merge(by_other, at_other, MERGE)  # with nothing new
    merge(by_one, at_one, MERGE)
    assert (outputs[nodes, :DIM] == before[nodes, :DIM] + 5).all()
    assert (one.rows[:n] == outputs[nodes]).all()
    untouched = np.setdiff1d(np.arange(WORDS), np.arange(WORDS)[nodes])
    assert (outputs[untouched] == before[untouched]).all()
    assert not outputs[:, DIM:].any()
    assert keep
    assert keep_other


def test_copies_are_merged_after_so_many_words(hierarchical, outputs):
    own, by, at, work = thread(hierarchical, outputs)
    own.rows[0, 0] += 1
    before = outputs.copy()
    merge(by, at, MERGE - 1)
    assert (outputs == before).all()
    merge(by, at, 1)
    assert (outputs != before).sum() == 1
    merge(by, at, MERGE - 1)
    assert own.unmerged[0] == MERGE - 1
    assert work


def test_a_path_leads_over_the_copies_near_the_root(hierarchical, outputs):
    own, by, at, work = thread(hierarchical, outputs)
    n = listed(by, at, 300)
    tree = hierarchical.tree
    nodes = tree.nodes[tree.starts[300] : tree.starts[301]]
    assert n == len(nodes)
    near = nodes >= own.first
    assert 0 < near.sum() < n
    size = outputs.strides[0]
    wanted = np.where(near, own.rows.ctypes.data + (nodes - own.first) * size, outputs.ctypes.data + nodes * size)
    assert work.outputs[:n].tolist() == wanted.tolist()
