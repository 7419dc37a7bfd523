"""States to train a transition parser on, with the actions that are right in them.

What
    The states on the static oracle's way through each sentence, each with one right action; or those that the parser
    itself comes to, each with all actions that put no gold arc out of reach (dynamic oracle).
Objective
    None: `firth.neural.models.parsers.transition` has the loss.
Source
    Goldberg and Nivre 2012, "A dynamic oracle for arc-eager dependency parsing", algorithm 3; Goldberg, Sartorio and
    Satta 2014, "A tabular method for dynamic oracles in transition-based parsing" (arc-standard).
Departures
    The parser that explores has the parameters of the current batch.
Cost
    Static: a million states a second. Dynamic: as long as parsing; arc-standard adds its table.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.transition_states import (
    NODES,
    Ints,
    Sentences,
    action_number,
    allowed_kinds,
    arc_word,
    state_nodes,
    write_features,
)
from firth.kernels.transitions import LEFT, NONE, act, begin, is_final, static_oracle


@compiled
def static_states(
    system: int,
    sentences: Sentences,
    heads: Ints,  # gold heads of all nodes, -1 of roots; projective trees
    relations: Ints,  # gold labels of all nodes
    label_count: int,
    features: Ints,  # (M, 48) written, M = 2 per word
    targets: Ints,  # (M, 1) written: numbers of the right actions
    kinds: npt.NDArray[np.uint8],  # (M,) written: which kinds of actions are allowed, as bits
) -> int:
    """Write the states on the static oracle's way through each sentence; return how many there are."""
    count = 0
    nodes = np.empty(NODES, np.int32)
    for sentence in range(len(sentences.starts) - 1):
        first, end = sentences.starts[sentence], sentences.starts[sentence + 1]
        words, tags, n = sentences.words[first:end], sentences.tags[first:end], end - first - 1
        gold, names = heads[first:end], relations[first:end]
        stack, counts = np.empty(n + 2, np.int32), np.empty(3, np.int32)
        found, labels, children = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty((n + 1, 4), np.int32)
        ends = np.full((n + 1, 2), NONE, np.int32)
        for word in range(1, n + 1):
            if ends[gold[word], 0] == NONE:
                ends[gold[word], 0] = word
            ends[gold[word], 1] = word
        begin(system, n, stack, counts, found, labels, children)
        while not is_final(system, counts):
            state_nodes(system, stack, counts, children, nodes)
            write_features(nodes, words, tags, labels, sentences.none, features[count])
            kinds[count] = allowed_kinds(system, stack, counts, found)
            kind = static_oracle(system, gold, ends, stack, counts, found)
            label = names[arc_word(system, kind, stack, counts)] if kind >= LEFT else 0
            targets[count, 0] = action_number(kind, label, label_count)
            act(system, kind, label, stack, counts, found, labels, children)
            count += 1
    return count
