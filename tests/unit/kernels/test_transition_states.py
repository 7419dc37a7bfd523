"""What a parser reads of a state."""

import numpy as np

from firth.kernels.transition_states import NODES, action_kind, action_label, action_number, state_nodes
from firth.kernels.transitions import LEFT, NONE, RIGHT, SHIFT, STANDARD, act, begin


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


def test_the_numbers_of_actions():
    numbers = [(0, 0), (1, 0), (LEFT, 0), (LEFT, 1), (LEFT, 2), (RIGHT, 0), (RIGHT, 1), (RIGHT, 2)]
    assert [action_number(kind, label, 3) for kind, label in numbers] == list(range(8))
    assert [(action_kind(action, 3), action_label(action, 3)) for action in range(8)] == numbers
