"""Beam search of a transition parser: several sequences of actions at once.

What
    The tree of the sequence of actions with the highest probability among those that a beam of K keeps.
Objective
    log p = sum over states of log softmax(s(c))[a] over the allowed actions. All sequences of a sentence have 2 n
    actions, so that their sums can be compared.
Source
    Zhang and Clark 2008, "A tale of two parsers", section 4, for beams in transition parsing; Chen and Manning 2014 for
    the network, which is trained without a beam.
Departures
    None.
Cost
    K times greedy parsing, and K A numbers looked through per step.
"""

import numpy as np

from firth.kernels.compiled import compiled
from firth.kernels.transition_states import (
    FEATURES,
    NODES,
    Floats,
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
from firth.kernels.transitions import EAGER, act, begin, one_root


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
            next_size = 0
            while next_size < width:
                cell = _best(scores[:size])
                k, action = cell // A, cell % A
                if scores[k, action] == -np.inf:
                    break
                new[next_size], next_sums[next_size] = old[k], scores[k, action]
                scores[k, action] = -np.inf
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


@compiled
def _best(scores: Floats) -> int:
    """Return the index of the highest score, in (K, A) flattened."""
    best, cell = scores[0, 0], 0
    for k in range(scores.shape[0]):
        for action in range(scores.shape[1]):
            if scores[k, action] > best:
                best, cell = scores[k, action], k * scores.shape[1] + action
    return cell
