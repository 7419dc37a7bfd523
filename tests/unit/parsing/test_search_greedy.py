"""Greedy parsing by tables against plain products."""

import itertools

import numpy as np
import pytest

from firth.kernels.transition_states import (
    CUBE,
    FEATURES,
    NODES,
    RELU,
    TANH,
    action_kind,
    action_label,
    state_nodes,
    write_features,
)
from firth.kernels.transitions import EAGER, STANDARD, act, is_final, one_root
from firth.parsing.search import parse
from tests.unit.parsing.states import FREE, LABELS, STRICT, empty_state, possible, random_tables, sentences

FUNCTIONS = {CUBE: lambda x: x**3, RELU: lambda x: np.maximum(x, 0), TANH: np.tanh}


@pytest.mark.parametrize("system", [STANDARD, EAGER], ids=["standard", "eager"])
@pytest.mark.parametrize("activation", [CUBE, RELU, TANH], ids=["cube", "relu", "tanh"])
@pytest.mark.parametrize("known", [FREE, STRICT], ids=["any label", "label of the root"])
def test_parsing_by_tables_is_the_network(system, activation, known):
    """The same trees as products of the features' vectors with one matrix, and the best allowed action."""
    data, _, _ = sentences()
    vectors, weights, tables = random_tables(1)
    heads, relations = (np.empty(len(data.words), np.int32) for _ in range(2))
    parse(system, data, known, tables, activation, heads, relations)
    places = [slice(0, NODES), slice(NODES, 2 * NODES), slice(2 * NODES, FEATURES)]
    for first, end in itertools.pairwise(data.starts):
        n = end - first - 1
        state, nodes, features = empty_state(system, n), np.empty(NODES, np.int32), np.empty(FEATURES, np.int32)
        while not is_final(system, state[1]):
            state_nodes(system, state[0], state[1], state[4], nodes)
            write_features(nodes, data.words[first:end], data.tags[first:end], state[3], data.none, features)
            x = np.concatenate([table[features[part]] for table, part in zip(vectors, places, strict=True)])
            hidden = FUNCTIONS[activation](np.einsum("pd,pdh->h", x, weights) + tables.bias)
            scores = hidden @ tables.output + tables.output_bias
            kinds = [action_kind(action, LABELS) for action in range(len(scores))]
            can = [possible(system, action, state, known) for action in range(len(scores))]
            best = int(np.where(can, scores, -np.inf).argmax())
            act(system, kinds[best], action_label(best, LABELS), *state)
        if system == EAGER:
            one_root(n, state[2])
        assert np.array_equal(heads[first:end], state[2])
        assert np.array_equal(relations[first:end], state[3])
        assert (heads[first + 1 : end] == 0).sum() == 1
        if known == STRICT:
            assert np.array_equal(relations[first + 1 : end] == known.root, heads[first + 1 : end] == 0)
