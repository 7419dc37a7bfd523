"""Greedy transition parsing: the best allowed action of each state.

What
    Dependency trees of sentences by 2 n actions each, scored by a network with one hidden layer.
Objective
    None: parameters are given, as tables of products.
Source
    Chen and Manning 2014, "A fast and accurate dependency parser using neural networks", section 3.3.
Departures
    All words are pre-computed, not only frequent ones: a batch of sentences has few.
Cost
    2 n states of a sentence of n words; each adds 48 rows of H numbers, and takes A H products for A actions.
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
        stack, counts = np.empty(n + 2, np.int32), np.empty(3, np.int32)
        head_of, labels, children = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty((n + 1, 4), np.int32)
        begin(system, n, stack, counts, head_of, labels, children)
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
