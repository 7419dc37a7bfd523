"""States on the way to gold trees, and what is right in them."""

import itertools

import numpy as np
import pytest

from firth.kernels.arc_standard_costs import standard_costs
from firth.kernels.transition_states import (
    CUBE,
    FEATURES,
    NODES,
    action_kind,
    action_label,
    arc_word,
    is_allowed,
    score_actions,
    state_nodes,
    write_features,
)
from firth.kernels.transitions import EAGER, LEFT, NONE, STANDARD, act, eager_costs, is_final
from firth.parsing.oracle_states import explored_states, static_states
from tests.unit.parsing.states import FREE, LABELS, STRICT, TREES, empty_state, random_tables, sentences

SYSTEMS = pytest.mark.parametrize("system", [STANDARD, EAGER], ids=["standard", "eager"])


@SYSTEMS
@pytest.mark.parametrize("known", [FREE, STRICT], ids=["any label", "label of the root"])
def test_static_states_lead_to_the_gold_trees(system, known):
    data, heads, relations = sentences()
    most = 2 * (len(data.words) - len(TREES))
    features, targets = np.empty((most, FEATURES), np.int32), np.empty((most, 1), np.int32)
    kinds = np.empty(most, np.uint8)
    assert static_states(system, data, heads, relations, known, features, targets, kinds) == most
    example = 0
    for first, end in itertools.pairwise(data.starts):
        state, nodes, expected = empty_state(system, end - first - 1), np.empty(NODES, np.int32), np.empty(48, np.int32)
        while not is_final(system, state[1]):
            state_nodes(system, state[0], state[1], state[4], nodes)
            write_features(nodes, data.words[first:end], data.tags[first:end], state[3], data.none, expected)
            assert np.array_equal(features[example], expected)
            kind, label = action_kind(targets[example, 0], LABELS), action_label(targets[example, 0], LABELS)
            assert kinds[example] >> kind & 1
            word = arc_word(system, kind, *state[:2]) if kind >= LEFT else 0
            act(system, kind, label, *state)
            assert not word or state[2][word] == heads[first + word]
            example += 1
        assert np.array_equal(state[2], heads[first:end])
        assert np.array_equal(state[3], relations[first:end])


@SYSTEMS
def test_gold_labels_that_cannot_be_give_way(system):
    """The root's label on other words, another one on the root, and one that is not known."""
    data, heads, relations = sentences()
    odd = relations.copy()
    odd[[1, 2, 4]] = NONE, STRICT.root, 1  # of words of the first sentence, whose root is word 4
    most = 2 * (len(data.words) - len(TREES))
    features, targets = np.empty((most, FEATURES), np.int32), np.empty((most, 1), np.int32)
    kinds = np.empty(most, np.uint8)
    static_states(system, data, heads, odd, STRICT, features, targets, kinds)
    assert all(is_allowed(*row, STRICT) for row in zip(targets[:, 0].tolist(), kinds.tolist(), strict=True))
    right = targets.copy()
    static_states(system, data, heads, relations, STRICT, features, right, kinds)
    assert (targets != right).sum() == 2  # the root's stays
    assert [action_kind(action, LABELS) for action in targets[:, 0]] == [
        action_kind(action, LABELS) for action in right[:, 0]
    ]


@SYSTEMS
@pytest.mark.parametrize("follow", [0.0, 1.0])
def test_explored_states_are_those_of_the_best_right_actions_or_of_the_best(system, follow):
    """With all right actions: those that cost no gold arc."""
    data, heads, relations = sentences()
    tables, costs = random_tables(5)[2], np.empty(4, np.int32)
    most = 2 * (len(data.words) - len(TREES))
    features, targets = np.empty((most, FEATURES), np.int32), np.empty((most, 4), np.int32)
    kinds, random = np.empty(most, np.uint8), np.array([7], np.uint64)
    given = (system, data, heads, relations, STRICT, tables, CUBE, follow, random)
    assert explored_states(*given, features, targets, kinds) == most
    nodes, expected = np.empty(NODES, np.int32), np.empty(FEATURES, np.int32)
    hidden, scores = np.empty(len(tables.bias), np.float32), np.empty(len(tables.output_bias), np.float32)
    example, several = 0, 0
    for first, end in itertools.pairwise(data.starts):
        gold, state = heads[first:end], empty_state(system, end - first - 1)
        while not is_final(system, state[1]):
            state_nodes(system, state[0], state[1], state[4], nodes)
            write_features(nodes, data.words[first:end], data.tags[first:end], state[3], data.none, expected)
            assert np.array_equal(features[example], expected)
            best = score_actions(expected, tables, CUBE, int(kinds[example]), STRICT, hidden, scores)
            (eager_costs if system == EAGER else standard_costs)(gold, *state[:3], costs)
            right = [action for action in targets[example].tolist() if action != NONE]
            assert [action_kind(action, LABELS) for action in right] == np.flatnonzero(costs == 0).tolist()
            several += len(right) > 1
            action = best if follow else max(right, key=lambda action: scores[action])
            act(system, action_kind(action, LABELS), action_label(action, LABELS), *state)
            example += 1
        if not follow:
            assert np.array_equal(state[2], gold)
    assert several or not follow
