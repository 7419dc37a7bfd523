"""What a transition parser reads of a state, its training examples, and parsing with tables in place of products.

A state is read as 48 features: the words and the tags of 18 nodes, and the labels of the last 12 of them. The nodes are
the three top words of the stack s1, s2, s3, the three next words b1, b2, b3, and of s1 and s2 each the leftmost, the
rightmost, the second leftmost and the second rightmost child, the leftmost child of the leftmost, and the rightmost of
the rightmost.

Source: Chen and Manning 2014, "A fast and accurate dependency parser using neural networks", sections 3.1 (features)
and 3.3 (pre-computed products). Cost: parsing adds 48 rows of H numbers per action, and A H products for A actions.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.transitions import (
    EAGER,
    LEFT,
    NEXT,
    NONE,
    SIZE,
    WORDS,
    act,
    allowed,
    begin,
    is_final,
    one_root,
    static_oracle,
)

NODES, LABELLED = 18, 12  # nodes of a state; those, the last, whose labels are features
FEATURES = 2 * NODES + LABELLED
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@compiled
def state_nodes(
    system: int,
    stack: Ints,
    counts: Ints,
    children: Ints,
    nodes: Ints,  # (18,) written; -1 for none
) -> None:
    """Write the nodes that describe a state."""
    nodes[:] = NONE
    size, first, n = counts[SIZE], counts[NEXT], counts[WORDS]
    for i in range(min(3, size)):
        nodes[i] = stack[size - 1 - i]
    for i in range(3):
        if first + i <= n:
            nodes[3 + i] = first + i
        elif first + i == n + 1 and system == EAGER:
            nodes[3 + i] = 0
    for i in range(2):
        node, place = nodes[i], 6 + 6 * i
        if node != NONE:
            nodes[place], nodes[place + 1] = children[node, 0], children[node, 2]
            nodes[place + 2], nodes[place + 3] = children[node, 1], children[node, 3]
            if children[node, 0] != NONE:
                nodes[place + 4] = children[children[node, 0], 0]
            if children[node, 2] != NONE:
                nodes[place + 5] = children[children[node, 2], 2]


@compiled
def write_features(
    nodes: Ints,
    words: Ints,  # (n + 1,) of the sentence, the root's first
    tags: Ints,  # (n + 1,)
    labels: Ints,  # (n + 1,) of the arcs so far
    none: Ints,  # (3,) the word, tag and label of a node that is not there
    features: Ints,  # (48,) written: 18 words, 18 tags, 12 labels
) -> None:
    """Write the features of a state."""
    for i in range(NODES):
        node = nodes[i]
        features[i] = words[node] if node != NONE else none[0]
        features[NODES + i] = tags[node] if node != NONE else none[1]
    for i in range(LABELLED):
        node = nodes[NODES - LABELLED + i]
        features[2 * NODES + i] = labels[node] if node != NONE and labels[node] != NONE else none[2]


@compiled
def action_number(kind: int, label: int, labels: int) -> int:
    """The number of an action: 0 SHIFT, 1 REDUCE, then LEFT and RIGHT with each label."""
    if kind < LEFT:
        return kind
    return 2 + (kind - LEFT) * labels + label


@compiled
def oracle_examples(
    system: int,
    starts: npt.NDArray[
        np.int64
    ],  # (S + 1,) first node of each sentence, its root, in the arrays of all; then their end
    words: Ints,  # of all nodes
    tags: Ints,  # of all nodes
    heads: Ints,  # gold heads of all nodes, -1 of roots; projective trees
    relations: Ints,  # gold labels of all nodes
    none: Ints,  # (3,) as in `write_features`
    label_count: int,
    features: Ints,  # (M, 48) written, M = 2 per word
    actions: Ints,  # (M,) written: numbers of actions
    kinds: npt.NDArray[np.uint8],  # (M,) written: which kinds of actions are allowed, as bits
) -> int:
    """Write the states on the static oracle's way through each sentence; return how many there are."""
    count = 0
    nodes = np.empty(NODES, np.int32)
    for sentence in range(len(starts) - 1):
        first, end = starts[sentence], starts[sentence + 1]
        n = end - first - 1
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
            write_features(nodes, words[first:end], tags[first:end], labels, none, features[count])
            kinds[count] = allowed_kinds(system, stack, counts, found)
            kind = static_oracle(system, gold, ends, stack, counts, found)
            label = names[arc_word(system, kind, stack, counts)] if kind >= LEFT else 0
            actions[count] = action_number(kind, label, label_count)
            act(system, kind, label, stack, counts, found, labels, children)
            count += 1
    return count


@compiled
def arc_word(system: int, kind: int, stack: Ints, counts: Ints) -> int:
    """The word that LEFT or RIGHT gives a head."""
    if kind == LEFT:
        return stack[counts[SIZE] - 1] if system == EAGER else stack[counts[SIZE] - 2]
    return counts[NEXT] if system == EAGER else stack[counts[SIZE] - 1]


@compiled
def allowed_kinds(system: int, stack: Ints, counts: Ints, heads: Ints) -> int:
    """The kinds of actions that are allowed, as bits."""
    bits = 0
    for kind in range(4):
        if allowed(system, kind, stack, counts, heads):
            bits |= 1 << kind
    return bits


@compiled
def parse(
    system: int,
    starts: npt.NDArray[np.int64],  # (S + 1,) as in `oracle_examples`
    words: Ints,  # rows of `word_table` of all nodes
    tags: Ints,  # of all nodes
    none: Ints,  # (3,) as in `write_features`
    label_count: int,
    word_table: Floats,  # (U, 18, H) products of word vectors with the weights of each place
    tag_table: Floats,  # (tags, 18, H)
    label_table: Floats,  # (labels, 12, H)
    bias: Floats,  # (H,)
    output: Floats,  # (A, H) weights of actions
    output_bias: Floats,  # (A,)
    heads: Ints,  # of all nodes, written; -1 of roots
    relations: Ints,  # of all nodes, written; -1 of roots
) -> None:
    """Parse sentences by the best allowed action of each state, with cubes as activations."""
    H, A = len(bias), len(output)
    nodes, features = np.empty(NODES, np.int32), np.empty(FEATURES, np.int32)
    hidden = np.empty(H, np.float32)
    for sentence in range(len(starts) - 1):
        first, end = starts[sentence], starts[sentence + 1]
        n = end - first - 1
        stack, counts = np.empty(n + 2, np.int32), np.empty(3, np.int32)
        found, labels, children = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty((n + 1, 4), np.int32)
        begin(system, n, stack, counts, found, labels, children)
        while not is_final(system, counts):
            state_nodes(system, stack, counts, children, nodes)
            write_features(nodes, words[first:end], tags[first:end], labels, none, features)
            hidden[:] = bias
            for i in range(NODES):
                row, other = word_table[features[i], i], tag_table[features[NODES + i], i]
                for j in range(H):
                    hidden[j] += row[j] + other[j]
            for i in range(LABELLED):
                row = label_table[features[2 * NODES + i], i]
                for j in range(H):
                    hidden[j] += row[j]
            for j in range(H):
                hidden[j] = hidden[j] * hidden[j] * hidden[j]
            bits = allowed_kinds(system, stack, counts, found)
            best, best_score = -1, np.float32(-np.inf)
            for action in range(A):
                kind = action if action < LEFT else LEFT + (action - LEFT) // label_count
                if bits >> kind & 1:
                    score = output_bias[action] + np.dot(output[action], hidden)
                    if best < 0 or score > best_score:
                        best, best_score = action, score
            kind, label = best, 0
            if best >= LEFT:
                kind, label = LEFT + (best - LEFT) // label_count, (best - LEFT) % label_count
            act(system, kind, label, stack, counts, found, labels, children)
        if system == EAGER:
            one_root(n, found)
        heads[first:end], relations[first:end] = found, labels
