"""Features of a transition parser's state, and scores of its actions from tables in place of products.

A state is read as 48 features: the words and the tags of 18 nodes, and the labels of the last 12 of them. The nodes are
the three top words of the stack s1, s2, s3, the three next words b1, b2, b3, and of the two words that the next arc
can join each the leftmost, the rightmost, the second leftmost and the second rightmost child, the leftmost child of the
leftmost, and the rightmost of the rightmost. In arc-standard these two are s1 and s2, as in the paper; in arc-eager s1
and b1, and s1 and s2 with their labels take the places of the children at the right of b1, which has none.

Source: Chen and Manning 2014, "A fast and accurate dependency parser using neural networks", sections 3.1 (features)
and 3.3 (pre-computed products). Cost: a state takes 48 additions of rows of H numbers, and A H products for A actions.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.transitions import EAGER, LEFT, NEXT, NONE, SIZE, WORDS, allowed, arc_is_from_root

NODES, LABELLED = 18, 12  # nodes of a state; those, the last, whose labels are features
FEATURES = 2 * NODES + LABELLED
FROM_ROOT = 4  # bit of `allowed_kinds`, behind those of the kinds
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
CUBE, RELU, TANH = 0, 1, 2  # activations


class Labels(NamedTuple):
    """Labels of arcs by number.

    Attributes:
        size: L.
        root: the label of the arc from the root, which no other arc has; -1 where the root's arc may have any.
    """

    size: int
    root: int


class Sentences(NamedTuple):
    """Sentences as a parser reads them, in arrays of the nodes of all: the root and the words of each.

    Attributes:
        starts: (S + 1,) int64 first node of each sentence, its root; then the number of nodes.
        words: rows of `Tables.words`.
        tags: rows of `Tables.tags`.
        none: (3,) the word, tag and label of a node that is not there.
    """

    starts: npt.NDArray[np.int64]
    words: Ints
    tags: Ints
    none: Ints


class Tables(NamedTuple):
    """A network with one hidden layer, its first product computed for each vector and position.

    Attributes:
        words: (U, 18, H) products of word vectors with the weights of each position.
        tags: (tags, 18, H).
        labels: (L + 1, 12, H).
        bias: (H,).
        output: (H, A) weights of actions.
        output_bias: (A,).
    """

    words: Floats
    tags: Floats
    labels: Floats
    bias: Floats
    output: Floats
    output_bias: Floats


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
        node, slot = nodes[3 * i if system == EAGER else i], 6 + 6 * i
        if node != NONE:
            nodes[slot], nodes[slot + 1] = children[node, 0], children[node, 2]
            nodes[slot + 2], nodes[slot + 3] = children[node, 1], children[node, 3]
            if children[node, 0] != NONE:
                nodes[slot + 4] = children[children[node, 0], 0]
            if children[node, 2] != NONE:
                nodes[slot + 5] = children[children[node, 2], 2]
    if system == EAGER:  # b1 has no children at its right
        nodes[14], nodes[15] = nodes[0], nodes[1]


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
def arc_word(system: int, kind: int, stack: Ints, counts: Ints) -> int:
    """The word that LEFT or RIGHT gives a head."""
    if kind == LEFT:
        return stack[counts[SIZE] - 1] if system == EAGER else stack[counts[SIZE] - 2]
    return counts[NEXT] if system == EAGER else stack[counts[SIZE] - 1]


@compiled
def allowed_kinds(system: int, stack: Ints, counts: Ints, heads: Ints) -> int:
    """The kinds of actions that are allowed, as bits, and whether LEFT or RIGHT is an arc from the root."""
    bits = 0
    for kind in range(4):
        if allowed(system, kind, stack, counts, heads):
            bits |= 1 << kind
    return bits | arc_is_from_root(system, stack, counts, heads) << FROM_ROOT


@compiled
def is_allowed(action: int, bits: int, labels: Labels) -> bool:
    """Whether an action is allowed with its label; `bits`: those of `allowed_kinds`."""
    kind = action_kind(action, labels.size)
    if not bits >> kind & 1:
        return False
    if kind < LEFT or labels.root == NONE:
        return True
    return (action_label(action, labels.size) == labels.root) == (bits >> FROM_ROOT & 1 == 1)


@compiled
def gold_action(kind: int, gold: int, bits: int, labels: Labels) -> int:
    """The number of an action with the gold label, or with the next label that is allowed."""
    if kind < LEFT:
        return kind
    label = max(gold, 0)
    if labels.root != NONE:
        if bits >> FROM_ROOT & 1:
            label = labels.root
        elif label == labels.root:
            label = (label + 1) % labels.size
    return action_number(kind, label, labels.size)


@compiled
def action_kind(action: int, labels: int) -> int:
    """The kind of an action by its number."""
    return action if action < LEFT else LEFT + (action - LEFT) // labels


@compiled
def action_label(action: int, labels: int) -> int:
    """The label of an action by its number, 0 of those without one."""
    return 0 if action < LEFT else (action - LEFT) % labels


@compiled
def score_actions(
    features: Ints,  # (48,)
    tables: Tables,
    activation: int,
    bits: int,  # of `allowed_kinds`
    labels: Labels,
    hidden: Floats,  # (H,) written
    scores: Floats,  # (A,) written; minus infinity of actions that are not allowed
) -> int:
    """Write the scores of actions, and return the best that is allowed."""
    H, A = len(hidden), len(scores)
    hidden[:] = tables.bias
    for i in range(NODES):
        row, other = tables.words[features[i], i], tables.tags[features[NODES + i], i]
        for j in range(H):
            hidden[j] += row[j] + other[j]
    for i in range(LABELLED):
        row = tables.labels[features[2 * NODES + i], i]
        for j in range(H):
            hidden[j] += row[j]
    if activation == CUBE:
        for j in range(H):
            hidden[j] = hidden[j] * hidden[j] * hidden[j]
    elif activation == RELU:
        for j in range(H):
            hidden[j] = max(hidden[j], np.float32(0))
    else:
        for j in range(H):
            hidden[j] = np.tanh(hidden[j])
    scores[:] = tables.output_bias
    for j in range(H):
        row, h = tables.output[j], hidden[j]
        for action in range(A):  # action by action, so that the processor computes several at once
            scores[action] += h * row[action]
    best = -1
    for action in range(A):
        if not is_allowed(action, bits, labels):
            scores[action] = np.float32(-np.inf)
        elif best < 0 or scores[action] > scores[best]:
            best = action
    return best
