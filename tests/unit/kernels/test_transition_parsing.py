"""What a parser reads of a state, its examples, and parsing by tables against plain products."""

import itertools

import numpy as np
import pytest

from firth.kernels.transition_parsing import (
    FEATURES,
    LABELLED,
    NODES,
    action_number,
    arc_word,
    oracle_examples,
    parse,
    state_nodes,
    write_features,
)
from firth.kernels.transitions import (
    EAGER,
    LEFT,
    NONE,
    RIGHT,
    SHIFT,
    STANDARD,
    act,
    allowed,
    begin,
    is_final,
    one_root,
)  # fmt: skip

SYSTEMS = pytest.mark.parametrize("system", [STANDARD, EAGER], ids=["standard", "eager"])
TREES = [[(4, 1), (4, 2), (4, 0), (0, 3), (4, 1), (5, 2), (4, 0)], [(0, 3)], [(2, 1), (0, 3), (2, 2)]]
LABELS = 4


def arrays():
    """Sentences as arrays of all nodes: starts, words, tags, heads, relations."""
    starts = np.cumsum([0, *(len(tree) + 1 for tree in TREES)])
    heads = np.concatenate([[NONE, *(head for head, _ in tree)] for tree in TREES]).astype(np.int32)
    relations = np.concatenate([[NONE, *(label for _, label in tree)] for tree in TREES]).astype(np.int32)
    random = np.random.default_rng(0)
    words, tags = (random.integers(0, size, starts[-1]).astype(np.int32) for size in (9, 5))
    return starts, words, tags, heads, relations


NOTHING = np.array([9, 5, LABELS], np.int32)  # ids of nodes that are not there


def empty_state(system, n):
    state = [np.empty(n + 2, np.int32), np.empty(3, np.int32)]
    state += [np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty((n + 1, 4), np.int32)]
    begin(system, n, *state)
    return state


def test_the_nodes_of_a_state():
    """After 1 and 2 became children of 4 from the left, and 5 one from the right."""
    state = empty_state(STANDARD, 9)
    for kind in (SHIFT, SHIFT, SHIFT, SHIFT, LEFT, LEFT, SHIFT, RIGHT, SHIFT):  # 1 2 3 4: 3 and 2 below 4; 5 below 4
        act(STANDARD, kind, 0, *state)
    nodes = np.empty(NODES, np.int32)
    state_nodes(STANDARD, state[0], state[1], state[4], nodes)
    assert nodes[:6].tolist() == [6, 4, 1, 7, 8, 9]
    assert nodes[6:12].tolist() == [NONE] * 6  # 6 has no children
    assert nodes[12:].tolist() == [2, 5, 3, NONE, NONE, NONE]


@SYSTEMS
def test_examples_lead_to_the_gold_trees(system):
    starts, words, tags, heads, relations = arrays()
    most = 2 * (len(words) - len(TREES))
    features, actions = np.empty((most, FEATURES), np.int32), np.empty(most, np.int32)
    kinds = np.empty(most, np.uint8)
    rest = (NOTHING, LABELS, features, actions, kinds)
    assert oracle_examples(system, starts, words, tags, heads, relations, *rest) == most
    example = 0
    for first, end in itertools.pairwise(starts):
        state, nodes, expected = empty_state(system, end - first - 1), np.empty(NODES, np.int32), np.empty(48, np.int32)
        while not is_final(system, state[1]):
            state_nodes(system, state[0], state[1], state[4], nodes)
            write_features(nodes, words[first:end], tags[first:end], state[3], NOTHING, expected)
            assert np.array_equal(features[example], expected)
            action = actions[example]
            kind, label = (action, 0) if action < LEFT else (LEFT + (action - LEFT) // LABELS, (action - LEFT) % LABELS)
            assert action == action_number(kind, label, LABELS)
            assert kinds[example] >> kind & 1
            if kind >= LEFT:
                word = arc_word(system, kind, *state[:2])
            act(system, kind, label, *state)
            if kind >= LEFT:
                assert state[2][word] == heads[first + word]
            example += 1
        assert np.array_equal(state[2], heads[first:end])
        assert np.array_equal(state[3], relations[first:end])


@SYSTEMS
def test_parsing_by_tables_is_the_network(system):
    """The same trees as products of the features' vectors with one matrix, the cube, and the best allowed action."""
    random = np.random.default_rng(1)
    starts, words, tags, _, _ = arrays()
    D, H, A = 3, 6, 2 + 2 * LABELS
    vectors = [random.normal(size=(size + 1, D)).astype(np.float32) for size in (9, 5, LABELS)]
    weights = random.normal(size=(FEATURES, D, H)).astype(np.float32)
    bias, output, output_bias = (random.normal(size=size).astype(np.float32) for size in (H, (A, H), A))
    places = [slice(0, NODES), slice(NODES, 2 * NODES), slice(2 * NODES, FEATURES)]
    tables = [np.einsum("ud,pdh->uph", table, weights[part]) for table, part in zip(vectors, places, strict=True)]
    heads, relations = (np.empty(len(words), np.int32) for _ in range(2))
    tables = [np.ascontiguousarray(table, dtype=np.float32) for table in tables]
    parse(system, starts, words, tags, NOTHING, LABELS, *tables, bias, output, output_bias, heads, relations)
    for first, end in itertools.pairwise(starts):
        n = end - first - 1
        state, nodes, features = empty_state(system, n), np.empty(NODES, np.int32), np.empty(FEATURES, np.int32)
        while not is_final(system, state[1]):
            state_nodes(system, state[0], state[1], state[4], nodes)
            write_features(nodes, words[first:end], tags[first:end], state[3], NOTHING, features)
            x = np.concatenate([table[features[part]] for table, part in zip(vectors, places, strict=True)])
            scores = output @ (np.einsum("pd,pdh->h", x, weights) + bias) ** 3 + output_bias
            kinds = np.array([0, 1] + [2] * LABELS + [3] * LABELS)
            possible = [allowed(system, int(kind), *state[:3]) for kind in kinds]
            best = int(np.where(possible, scores, -np.inf).argmax())
            act(system, int(kinds[best]), max(0, (best - 2) % LABELS) if best >= 2 else 0, *state)
        if system == EAGER:
            one_root(n, state[2])
        assert np.array_equal(heads[first:end], state[2])
        assert np.array_equal(relations[first:end], state[3])
        assert (heads[first + 1 : end] == 0).sum() == 1
    assert LABELLED == 12
