"""Transition systems: every tree can be reached, oracles against all continuations, real treebanks."""

import itertools

import numpy as np
import pytest

from firth.kernels.transitions import (
    EAGER,
    LEFT,
    NONE,
    REDUCE,
    RIGHT,
    SHIFT,
    SIZE,
    STANDARD,
    act,
    allowed,
    begin,
    eager_costs,
    is_final,
    one_root,
    static_oracle,
)
from firth.readers.conllu import read_conllu
from tests.unit.neural.structs.brute_force import is_projective, is_tree

SYSTEMS = pytest.mark.parametrize("system", [STANDARD, EAGER], ids=["standard", "eager"])


def first_state(system, n):
    state = [np.empty(n + 2, np.int32), np.empty(3, np.int32)]
    state += [np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty((n + 1, 4), np.int32)]
    begin(system, n, *state)
    return state


def after(system, kind, state):
    new = [each.copy() for each in state]
    act(system, kind, 0, *new)
    return new


def kinds(system, state):
    return [kind for kind in (SHIFT, REDUCE, LEFT, RIGHT) if allowed(system, kind, *state[:3])]


def projective_trees(n):
    for heads in itertools.product(range(n + 1), repeat=n):
        if heads.count(0) == 1 and is_tree(heads) and is_projective(heads):
            yield heads


def ends_of(gold):
    ends = np.full((len(gold), 2), NONE, np.int32)
    for word, head in enumerate(gold[1:].tolist(), start=1):
        ends[head] = (word if ends[head, 0] == NONE else ends[head, 0]), word
    return ends


def follow_oracle(system, gold):
    state, actions, ends = first_state(system, len(gold) - 1), 0, ends_of(gold)
    while not is_final(system, state[1]):
        kind = static_oracle(system, gold, ends, *state[:3])
        assert allowed(system, kind, *state[:3])
        act(system, kind, 0, *state)
        actions += 1
    return state, actions


@SYSTEMS
def test_reachable_trees_are_the_projective_ones(system):
    """Arc-standard reaches each with one word below the root; arc-eager, too, after `one_root`."""
    n, found, open_states = 4, set(), [first_state(system, 4)]
    while open_states:
        state = open_states.pop()
        if is_final(system, state[1]):
            one_root(n, state[2])
            found.add(tuple(state[2][1:].tolist()))
        open_states += [after(system, kind, state) for kind in kinds(system, state)]
    assert found == set(projective_trees(n))


@SYSTEMS
def test_the_static_oracle_rebuilds_every_tree_of_five_words(system):
    for heads in projective_trees(5):
        gold = np.array([NONE, *heads], np.int32)
        state, actions = follow_oracle(system, gold)
        assert np.array_equal(state[2], gold)
        assert actions == 10


@SYSTEMS
def test_the_static_oracle_rebuilds_a_treebank(system, shared_data):
    trees = 0
    for path in sorted((shared_data / "dependencies").glob("UD_*/*dev.conllu.gz")):
        for sentence in itertools.islice(read_conllu(path), 150):
            if is_projective(sentence.heads):
                gold = np.array([NONE, *sentence.heads], np.int32)
                assert np.array_equal(follow_oracle(system, gold)[0][2], gold)
                trees += 1
    assert trees > 500


def test_children_are_the_outermost_ones():
    gold = np.array([NONE, 4, 4, 4, 0, 4, 4, 4], np.int32)
    for system in (STANDARD, EAGER):
        children = follow_oracle(system, gold)[0][4]
        assert children[4].tolist() == [1, 2, 7, 6]
        assert children[0].tolist() == [NONE, NONE, 4, NONE]


def best_reachable(state, gold, known):
    """The largest number of gold arcs that a continuation has."""
    key = (tuple(state[0][: state[1][SIZE]].tolist()), tuple(state[1].tolist()), tuple(state[2].tolist()))
    if key not in known:
        if is_final(EAGER, state[1]):
            known[key] = int((state[2][1:] == gold[1:]).sum())
        else:
            known[key] = max(best_reachable(after(EAGER, k, state), gold, known) for k in kinds(EAGER, state))
    return known[key]


@pytest.mark.parametrize("n", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_the_dynamic_oracle_counts_what_is_lost(n):
    """In every state that random actions lead to, for projective trees."""
    random, trees = np.random.default_rng(n), list(projective_trees(n))
    costs, checked, lost = np.empty(4, np.int32), 0, 0
    for number in random.permutation(len(trees))[:40].tolist():
        gold, known = np.array([NONE, *trees[number]], np.int32), {}
        state = first_state(EAGER, n)
        while not is_final(EAGER, state[1]):
            eager_costs(gold, *state[:3], costs)
            best = best_reachable(state, gold, known)
            for kind in (SHIFT, REDUCE, LEFT, RIGHT):
                if allowed(EAGER, kind, *state[:3]):
                    expected = best - best_reachable(after(EAGER, kind, state), gold, known)
                    assert costs[kind] == expected
                    lost += expected > 0
                else:
                    assert costs[kind] == NONE
                checked += 1
            state = after(EAGER, int(random.choice(kinds(EAGER, state))), state)
    assert checked > 500
    assert lost > 50
