"""Transition parsing: the best allowed action of each state, or beam search over several sequences of actions.

What
    Dependency trees of sentences by 2 n actions each, scored by a network with one hidden layer, whose parameters are
    given as tables of products. A beam of K keeps the K most probable sequences.
Objective
    log p = sum over states of log softmax(s(c))[a] over the allowed actions. All sequences of a sentence have 2 n
    actions, so that their sums can be compared.
Source
    Chen and Manning 2014, "A fast and accurate dependency parser using neural networks", section 3.3; Zhang and Clark
    2008, "A tale of two parsers", section 4, for beams.
Departures
    All words are pre-computed, not only frequent ones: a batch of sentences has few. The network is trained without a
    beam.
Cost
    2 n states of a sentence of n words; each adds 48 rows of H numbers, and takes A H products for A actions. A beam
    takes K times as long, and looks through K A numbers per step.
"""

import numpy as np

from firth.kernels.compiled import compiled
from firth.kernels.transition_states import (
    FEATURES,
    NODES,
    Ints,
    Labels,
    Sentences,
    Tables,
    action_kind,
    action_label,
    allowed_kinds,
    score_actions,
    state_nodes,
    write_features,
)
from firth.kernels.transitions import EAGER, act, begin, is_final, one_root


@compiled
def new_state(system: int, n: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the first state of a sentence of n words: stack, counts, heads, labels, children."""
    stack, counts = np.empty(n + 2, np.int32), np.empty(3, np.int32)
    head_of, labels, children = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty((n + 1, 4), np.int32)
    begin(system, n, stack, counts, head_of, labels, children)
    return stack, counts, head_of, labels, children


@compiled
def parse(
    system: int,
    sentences: Sentences,
    label_set: Labels,
    tables: Tables,
    activation: int,
    heads: Ints,  # (nodes,) written: the head; -1 for roots
    relations: Ints,  # (nodes,) written: the label; -1 for roots
) -> None:
    """Parse sentences by the best allowed action of each state."""
    nodes, features = np.empty(NODES, np.int32), np.empty(FEATURES, np.int32)
    hidden, scores = np.empty(len(tables.bias), np.float32), np.empty(len(tables.output_bias), np.float32)
    for sentence in range(len(sentences.starts) - 1):
        first, end = sentences.starts[sentence], sentences.starts[sentence + 1]
        words, tags, n = sentences.words[first:end], sentences.tags[first:end], end - first - 1
        stack, counts, head_of, labels, children = new_state(system, n)
        while not is_final(system, counts):
            state_nodes(system, stack, counts, children, nodes)
            write_features(nodes, words, tags, labels, sentences.none, features)
            bits = allowed_kinds(system, stack, counts, head_of)
            best = score_actions(features, tables, activation, bits, label_set, hidden, scores)
            kind, label = action_kind(best, label_set.size), action_label(best, label_set.size)
            act(system, kind, label, stack, counts, head_of, labels, children)
        if system == EAGER:
            one_root(n, head_of)
        heads[first:end], relations[first:end] = head_of, labels


@compiled
def parse_with_beam(
    system: int,
    sentences: Sentences,
    label_set: Labels,
    tables: Tables,
    activation: int,
    width: int,  # K, sequences that are kept
    heads: Ints,  # (nodes,) written: the head; -1 for roots
    relations: Ints,  # (nodes,) written: the label; -1 for roots
) -> None:
    """Parse sentences by the most probable sequence of actions of a beam."""
    A = len(tables.output_bias)
    nodes, features = np.empty(NODES, np.int32), np.empty(FEATURES, np.int32)
    hidden, scores = np.empty(len(tables.bias), np.float32), np.empty((width, A), np.float32)
    tops = np.empty(width, np.int64)  # the best action of each state
    for sentence in range(len(sentences.starts) - 1):
        first, end = sentences.starts[sentence], sentences.starts[sentence + 1]
        words, tags, n = sentences.words[first:end], sentences.tags[first:end], end - first - 1
        # States of the beam, and those of the next step: stack, counts, heads, labels, children in one row each.
        old, new = np.empty((width, 7 * n + 11), np.int32), np.empty((width, 7 * n + 11), np.int32)
        sums, next_sums = np.zeros(width, np.float32), np.zeros(width, np.float32)
        stack, counts, head_of, labels, children = _views(old[0], n)
        begin(system, n, stack, counts, head_of, labels, children)
        size = 1
        for _ in range(2 * n):
            for k in range(size):
                stack, counts, head_of, labels, children = _views(old[k], n)
                state_nodes(system, stack, counts, children, nodes)
                write_features(nodes, words, tags, labels, sentences.none, features)
                bits = allowed_kinds(system, stack, counts, head_of)
                best = score_actions(features, tables, activation, bits, label_set, hidden, scores[k])
                highest = scores[k, best]
                scores[k] += sums[k] - highest - np.log(np.exp(scores[k] - highest).sum())
                tops[k] = scores[k].argmax()
            next_size = 0
            while next_size < width:
                k = 0
                for other in range(1, size):
                    if scores[other, tops[other]] > scores[k, tops[k]]:
                        k = other
                action = tops[k]
                if scores[k, action] == -np.inf:
                    break
                new[next_size], next_sums[next_size] = old[k], scores[k, action]
                scores[k, action] = -np.inf
                tops[k] = scores[k].argmax()
                stack, counts, head_of, labels, children = _views(new[next_size], n)
                kind, label = action_kind(action, label_set.size), action_label(action, label_set.size)
                act(system, kind, label, stack, counts, head_of, labels, children)
                next_size += 1
            old, new, sums, next_sums, size = new, old, next_sums, sums, next_size
        stack, counts, head_of, labels, children = _views(old[0], n)
        if system == EAGER:
            one_root(n, head_of)
        heads[first:end], relations[first:end] = head_of, labels


@compiled
def _views(row: Ints, n: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The parts of a state in one row: stack, counts, heads, labels, children."""
    a, b, c, d = n + 2, n + 5, 2 * n + 6, 3 * n + 7
    return row[:a], row[a:b], row[b:c], row[c:d], row[d:].reshape(n + 1, 4)
