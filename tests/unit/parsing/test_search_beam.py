"""Beam search against greedy search and against all sequences."""

import numpy as np
import pytest

from firth.kernels.transition_states import (
    CUBE,
    FEATURES,
    NODES,
    TANH,
    Sentences,
    action_kind,
    action_label,
    allowed_kinds,
    score_actions,
    state_nodes,
    write_features,
)
from firth.kernels.transitions import EAGER, STANDARD, act, is_final, one_root
from firth.parsing.search import parse, parse_with_beam
from tests.unit.parsing.states import FREE, LABELS, STRICT, empty_state, possible, random_tables, sentences

KNOWN = pytest.mark.parametrize("known", [FREE, STRICT], ids=["any label", "label of the root"])
SYSTEMS = pytest.mark.parametrize("system", [STANDARD, EAGER], ids=["standard", "eager"])


def tables_of(seed):
    tables = random_tables(seed)[2]
    return tables._replace(output=0.02 * tables.output)


def parsed(search, data, *rest):
    heads, relations = (np.empty(len(data.words), np.int32) for _ in range(2))
    search(*rest, heads, relations)
    return heads, relations


@SYSTEMS
@KNOWN
def test_a_beam_of_one_is_greedy(system, known):
    data, tables = sentences()[0], tables_of(4)
    one = parsed(parse_with_beam, data, system, data, known, tables, CUBE, 1)
    assert all(map(np.array_equal, one, parsed(parse, data, system, data, known, tables, CUBE)))


def best_sequence(system, data, known, tables, state, total):
    """The highest log probability of the sequences from a state, with the final heads and labels."""
    if is_final(system, state[1]):
        return total, state[2], state[3]
    nodes, features = np.empty(NODES, np.int32), np.empty(FEATURES, np.int32)
    hidden, scores = np.empty(len(tables.bias), np.float32), np.empty(len(tables.output_bias), np.float32)
    state_nodes(system, state[0], state[1], state[4], nodes)
    write_features(nodes, data.words, data.tags, state[3], data.none, features)
    score_actions(features, tables, CUBE, allowed_kinds(system, *state[:3]), known, hidden, scores)
    assert np.array_equal(
        np.isfinite(scores), [possible(system, action, state, known) for action in range(len(scores))]
    )
    logs = scores - np.log(np.exp(scores - scores.max()).sum()) - scores.max()
    results = []
    for action in np.flatnonzero(np.isfinite(scores)).tolist():
        new = [each.copy() for each in state]
        act(system, action_kind(action, LABELS), action_label(action, LABELS), *new)
        results.append(best_sequence(system, data, known, tables, new, total + logs[action]))
    return max(results, key=lambda result: result[0])


@SYSTEMS
@KNOWN
def test_a_wide_beam_finds_the_best_sequence(system, known):
    """Of two words: some hundred sequences."""
    data, _, _ = sentences()
    data = Sentences(np.array([0, 3]), data.words[:3], data.tags[:3], data.none)
    for seed in range(4):
        tables = tables_of(seed)
        _, heads, labels = best_sequence(system, data, known, tables, empty_state(system, 2), 0.0)
        if system == EAGER:
            one_root(2, heads)
        found = parsed(parse_with_beam, data, system, data, known, tables, CUBE, 300)
        assert np.array_equal(found[0], heads)
        assert np.array_equal(found[1], labels)


@SYSTEMS
def test_a_beam_finds_what_greedy_search_does_not(system):
    data, found = sentences()[0], 0
    for seed in range(12):
        given = (system, data, STRICT, random_tables(seed)[2], TANH)
        greedy, wide = parsed(parse, data, *given), parsed(parse_with_beam, data, *given, 8)
        found += not all(map(np.array_equal, greedy, wide))
    assert found
