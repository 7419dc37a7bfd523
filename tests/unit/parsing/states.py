"""Three sentences as arrays, and a state one can follow by hand."""

import numpy as np

from firth.kernels.transition_states import Sentences
from firth.kernels.transitions import NONE, begin

TREES = [[(4, 1), (4, 2), (4, 0), (0, 3), (4, 1), (5, 2), (4, 0)], [(0, 3)], [(2, 1), (0, 3), (2, 2)]]
LABELS, WORDS, TAGS = 4, 9, 5


def sentences():
    """The sentences, their heads and their relations."""
    starts = np.cumsum([0, *(len(tree) + 1 for tree in TREES)])
    heads = np.concatenate([[NONE, *(head for head, _ in tree)] for tree in TREES]).astype(np.int32)
    relations = np.concatenate([[NONE, *(label for _, label in tree)] for tree in TREES]).astype(np.int32)
    random = np.random.default_rng(0)
    words, tags = (random.integers(0, size, starts[-1]).astype(np.int32) for size in (WORDS, TAGS))
    return Sentences(starts, words, tags, np.array([WORDS, TAGS, LABELS], np.int32)), heads, relations


def empty_state(system, n):
    state = [np.empty(n + 2, np.int32), np.empty(3, np.int32)]
    state += [np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty((n + 1, 4), np.int32)]
    begin(system, n, *state)
    return state


def random_tables(seed, hidden=6, dim=3):
    """Vectors and weights of a network, and its tables."""
    from firth.kernels.transition_states import FEATURES, NODES, Tables

    random, actions = np.random.default_rng(seed), 2 + 2 * LABELS
    vectors = [random.normal(size=(size + 1, dim)).astype(np.float32) for size in (WORDS, TAGS, LABELS)]
    weights = random.normal(size=(FEATURES, dim, hidden)).astype(np.float32)
    rest = [random.normal(size=size).astype(np.float32) for size in (hidden, (hidden, actions), actions)]
    places = [slice(0, NODES), slice(NODES, 2 * NODES), slice(2 * NODES, FEATURES)]
    products = [np.einsum("ud,pdh->uph", table, weights[part]) for table, part in zip(vectors, places, strict=True)]
    return vectors, weights, Tables(*(np.ascontiguousarray(each, dtype=np.float32) for each in products), *rest)
