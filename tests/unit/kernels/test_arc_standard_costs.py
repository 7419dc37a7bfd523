"""The dynamic oracle of arc-standard against all continuations."""

import numpy as np
import pytest

from firth.kernels.arc_standard_costs import standard_costs
from firth.kernels.transitions import LEFT, NONE, REDUCE, RIGHT, SHIFT, SIZE, STANDARD, allowed, is_final, static_oracle
from tests.unit.kernels.test_transitions import after, ends_of, first_state, kinds, projective_trees


def best_reachable(state, gold, known):
    """The largest number of gold arcs that a continuation has."""
    key = (tuple(state[0][: state[1][SIZE]].tolist()), tuple(state[1].tolist()), tuple(state[2].tolist()))
    if key not in known:
        if is_final(STANDARD, state[1]):
            known[key] = int((state[2][1:] == gold[1:]).sum())
        else:
            known[key] = max(best_reachable(after(STANDARD, k, state), gold, known) for k in kinds(STANDARD, state))
    return known[key]


@pytest.mark.parametrize("n", [4, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_the_dynamic_oracle_counts_what_is_lost(n):
    """In every state that random actions lead to, for projective trees."""
    random, trees = np.random.default_rng(n), list(projective_trees(n))
    costs, checked, lost = np.empty(4, np.int32), 0, 0
    for number in random.permutation(len(trees))[: {4: 60, 5: 12, 6: 40}[n]].tolist():
        gold, known = np.array([NONE, *trees[number]], np.int32), {}
        for _ in range(2):
            state = first_state(STANDARD, n)
            while not is_final(STANDARD, state[1]):
                standard_costs(gold, *state[:3], costs)
                best = best_reachable(state, gold, known)
                for kind in (SHIFT, REDUCE, LEFT, RIGHT):
                    if allowed(STANDARD, kind, *state[:3]):
                        expected = best - best_reachable(after(STANDARD, kind, state), gold, known)
                        assert costs[kind] == expected
                        lost += expected > 0
                    else:
                        assert costs[kind] == NONE
                    checked += 1
                state = after(STANDARD, int(random.choice(kinds(STANDARD, state))), state)
    assert checked > 500
    assert lost > 50


def test_on_the_way_to_the_gold_tree_the_static_oracle_loses_nothing():
    costs = np.empty(4, np.int32)
    for heads in projective_trees(5):
        gold, state = np.array([NONE, *heads], np.int32), first_state(STANDARD, 5)
        while not is_final(STANDARD, state[1]):
            kind = static_oracle(STANDARD, gold, ends_of(gold), *state[:3])
            standard_costs(gold, *state[:3], costs)
            assert costs[kind] == 0
            state = after(STANDARD, kind, state)
