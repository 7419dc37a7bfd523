"""What a parser reads of a state."""

import numpy as np
import pytest

from firth.kernels.transition_states import (
    FEATURES,
    NODES,
    action_kind,
    action_label,
    action_number,
    state_nodes,
    write_features,
)
from firth.kernels.transitions import EAGER, LEFT, NONE, RIGHT, SHIFT, STANDARD, act, begin


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


def test_children_and_their_children_on_each_side():
    """The outermost and the second at the left and at the right, the outermost of the left one and of the right one."""
    stack, counts = np.array([0, 4], np.int32), np.array([2, 20, 20], np.int32)
    children, nodes = np.full((21, 4), NONE, np.int32), np.empty(NODES, np.int32)
    children[4], children[2], children[9] = [2, 3, 9, 8], [11, 12, 13, 14], [15, 16, 17, 18]
    state_nodes(STANDARD, stack, counts, children, nodes)
    assert nodes[6:12].tolist() == [2, 9, 3, 8, 11, 17]


def test_features_are_words_and_tags_of_nodes_and_labels_of_the_last_ones():
    nodes = np.arange(1, NODES + 1, dtype=np.int32)
    nodes[[2, 9]] = NONE
    words, tags, labels = (np.arange(start, start + NODES + 1, dtype=np.int32) for start in (100, 200, 300))
    labels[8] = NONE  # a word without a head
    features = np.empty(FEATURES, np.int32)
    write_features(nodes, words, tags, labels, np.array([-10, -20, -30], np.int32), features)
    there = [node != NONE for node in nodes]
    assert features[:NODES].tolist() == [100 + i if known else -10 for i, known in enumerate(there, 1)]
    assert features[NODES : 2 * NODES].tolist() == [200 + i if known else -20 for i, known in enumerate(there, 1)]
    assert features[2 * NODES :].tolist() == [307, -30, 309, -30, *range(311, 319)]


def test_arc_eager_reads_the_children_of_the_next_word():
    state, nodes = empty_state(EAGER, 6), np.empty(NODES, np.int32)
    for kind in (SHIFT, LEFT, SHIFT, RIGHT, SHIFT, LEFT):  # 1 below 2; 2 and 3 on the stack, 3 below 2; 4 below 5
        act(EAGER, kind, 0, *state)
    state_nodes(EAGER, state[0], state[1], state[4], nodes)
    assert nodes[:6].tolist() == [3, 2, NONE, 5, 6, 0]
    assert nodes[6:12].tolist() == [NONE] * 6
    assert nodes[12:].tolist() == [4, NONE, 3, 2, NONE, NONE]


@pytest.mark.parametrize(("system", "last"), [(STANDARD, NONE), (EAGER, 0)], ids=["standard", "eager"])
def test_the_buffer_ends_with_the_root_of_arc_eager(system, last):
    state, nodes = empty_state(system, 3), np.empty(NODES, np.int32)
    for _ in range(2):
        act(system, SHIFT, 0, *state)
    state_nodes(system, state[0], state[1], state[4], nodes)
    assert nodes[3:6].tolist() == [3, last, NONE]


def test_the_numbers_of_actions():
    numbers = [(0, 0), (1, 0), (LEFT, 0), (LEFT, 1), (LEFT, 2), (RIGHT, 0), (RIGHT, 1), (RIGHT, 2)]
    assert [action_number(kind, label, 3) for kind, label in numbers] == list(range(8))
    assert [(action_kind(action, 3), action_label(action, 3)) for action in range(8)] == numbers
