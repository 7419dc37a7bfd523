"""Three sentences as arrays, and a state one can follow by hand."""

import numpy as np

from firth.kernels.transition_states import Labels, Sentences, action_kind, action_label
from firth.kernels.transitions import LEFT, NONE, SIZE, act, allowed, begin

TREES = [[(4, 1), (4, 2), (4, 0), (0, 3), (4, 1), (5, 2), (4, 0)], [(0, 3)], [(2, 1), (0, 3), (2, 2)]]
LABELS, WORDS, TAGS = 4, 9, 5
FREE, STRICT = Labels(LABELS, NONE), Labels(LABELS, 3)  # any label for the root's arc; label 3, which no other has


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


def possible(system, action, state, known):
    """Whether an action is allowed with its label, by what comes of it."""
    kind, label = action_kind(action, LABELS), action_label(action, LABELS)
    if not allowed(system, kind, *state[:3]):
        return False
    if kind < LEFT or known.root == NONE:
        return True
    new = [each.copy() for each in state]
    act(system, kind, label, *new)
    (word,) = np.flatnonzero(new[2] != state[2])
    before = [each for each in state[0][: state[1][SIZE]] if 0 < each < word and state[2][each] == NONE]
    return (label == known.root) == (new[2][word] == 0 and not before)


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
