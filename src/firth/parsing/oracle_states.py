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
    The parser that explores has the parameters of the current batch. It follows its own action with a probability, else
    the right action that it likes best. Sentences of more than 120 words take the static oracle's way.
Cost
    Static: a million states a second. Dynamic: as long as parsing; arc-standard adds its table.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.arc_standard_costs import standard_costs
from firth.kernels.compiled import compiled
from firth.kernels.random import draw
from firth.kernels.transition_states import (
    NODES,
    Ints,
    Labels,
    Sentences,
    Tables,
    action_kind,
    action_label,
    allowed_kinds,
    arc_word,
    gold_action,
    score_actions,
    state_nodes,
    write_features,
)
from firth.kernels.transitions import EAGER, LEFT, NONE, act, eager_costs, is_final, static_oracle
from firth.parsing.search import new_state

LONGEST = 120  # words; in longer sentences, whose costs would take long, nothing is explored


@compiled
def ends_of(gold: Ints) -> Ints:
    """The (n + 1, 2) first and last gold dependents of each node."""
    ends = np.full((len(gold), 2), NONE, np.int32)
    for word in range(1, len(gold)):
        if ends[gold[word], 0] == NONE:
            ends[gold[word], 0] = word
        ends[gold[word], 1] = word
    return ends


@compiled
def _gold_sentence(
    sentences: Sentences, heads: Ints, relations: Ints, number: int
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The words and tags of a sentence, its gold heads and labels, and the ends of its gold dependents."""
    first, end = sentences.starts[number], sentences.starts[number + 1]
    gold = heads[first:end]
    return sentences.words[first:end], sentences.tags[first:end], gold, relations[first:end], ends_of(gold)


@compiled
def static_states(
    system: int,
    sentences: Sentences,
    heads: Ints,  # gold heads of all nodes, -1 of roots; projective trees
    relations: Ints,  # gold labels of all nodes; -1 for one that is not known
    label_set: Labels,
    features: Ints,  # (M, 48) written, M = 2 per word
    targets: Ints,  # (M, 1) written: numbers of the right actions
    kinds: npt.NDArray[np.uint8],  # (M,) written: `allowed_kinds`
) -> int:
    """Write the states on the static oracle's way through each sentence; return how many there are."""
    count = 0
    nodes = np.empty(NODES, np.int32)
    for sentence in range(len(sentences.starts) - 1):
        words, tags, gold, names, ends = _gold_sentence(sentences, heads, relations, sentence)
        stack, counts, head_of, labels, children = new_state(system, len(words) - 1)
        while not is_final(system, counts):
            state_nodes(system, stack, counts, children, nodes)
            write_features(nodes, words, tags, labels, sentences.none, features[count])
            kinds[count] = allowed_kinds(system, stack, counts, head_of)
            kind = static_oracle(system, gold, ends, stack, counts, head_of)
            label = names[arc_word(system, kind, stack, counts)] if kind >= LEFT else 0
            target = gold_action(kind, label, kinds[count], label_set)
            targets[count, 0] = target
            act(system, kind, action_label(target, label_set.size), stack, counts, head_of, labels, children)
            count += 1
    return count


@compiled
def explored_states(
    system: int,
    sentences: Sentences,
    heads: Ints,  # as in `static_states`
    relations: Ints,
    label_set: Labels,
    tables: Tables,
    activation: int,
    follow: float,  # probability of going on with the parser's best action, right or wrong
    random: npt.NDArray[np.uint64],  # (1,) state of the generator
    features: Ints,  # (M, 48) written, M = 2 per word
    targets: Ints,  # (M, 4) written: numbers of the right actions, -1 for none
    kinds: npt.NDArray[np.uint8],  # (M,) written: `allowed_kinds`
) -> int:
    """Write the states that the parser comes to, with the actions that lose no gold arc; return how many there are."""
    count = 0
    nodes, costs = np.empty(NODES, np.int32), np.empty(4, np.int32)
    hidden, scores = np.empty(len(tables.bias), np.float32), np.empty(len(tables.output_bias), np.float32)
    for sentence in range(len(sentences.starts) - 1):
        words, tags, gold, names, ends = _gold_sentence(sentences, heads, relations, sentence)
        n = len(words) - 1
        stack, counts, head_of, labels, children = new_state(system, n)
        while not is_final(system, counts):
            state_nodes(system, stack, counts, children, nodes)
            write_features(nodes, words, tags, labels, sentences.none, features[count])
            bits = allowed_kinds(system, stack, counts, head_of)
            kinds[count] = bits
            action = score_actions(features[count], tables, activation, bits, label_set, hidden, scores)
            if n > LONGEST:
                costs[:] = 1
                costs[static_oracle(system, gold, ends, stack, counts, head_of)] = 0
            elif system == EAGER:
                eager_costs(gold, stack, counts, head_of, costs)
            else:
                standard_costs(gold, stack, counts, head_of, costs)
            right = NONE
            for kind in range(4):
                targets[count, kind] = NONE
                if costs[kind] == 0:
                    label = names[arc_word(system, kind, stack, counts)] if kind >= LEFT else 0
                    target = gold_action(kind, label, bits, label_set)
                    targets[count, kind] = target
                    if right == NONE or scores[target] > scores[right]:
                        right = target
            if n > LONGEST or (draw(random) >> np.uint64(11)) * 2.0**-53 >= follow:
                action = right
            kind, label = action_kind(action, label_set.size), action_label(action, label_set.size)
            act(system, kind, label, stack, counts, head_of, labels, children)
            count += 1
    return count
