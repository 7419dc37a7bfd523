"""Transition systems for dependency trees: arc-standard and arc-eager, with labels, and their oracles.

A state is a stack of words, a buffer of words that are still to come, and the arcs so far. Node 0 is the root. In
arc-standard it lies at the bottom of the stack; in arc-eager it ends the buffer. Both give trees with one word below
it, without crossing arcs. With s the top of the stack, t the word below it and b the next word of the buffer:

    action      arc-standard                        arc-eager
    SHIFT       b goes on the stack                 b goes on the stack
    REDUCE                                          s has a head: it leaves the stack
    LEFT(l)     arc s -> t, t leaves the stack      arc b -> s, s leaves the stack
    RIGHT(l)    arc t -> s, s leaves the stack      arc s -> b, b goes on the stack

Source: Nivre 2008, "Algorithms for deterministic incremental dependency parsing", sections 4.1 and 4.2; Ballesteros and
Nivre 2013, "Going to the roots of dependency parsing" (the root's place); Goldberg and Nivre 2012, "A dynamic oracle
for arc-eager dependency parsing", section 4. Departure: where arc-eager gives the root several words, those after the
first become dependents of the first. Cost: a sentence of n words takes 2 n actions; the static oracle looks at the top
and the next word, the dynamic one at all words.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled

STANDARD, EAGER = 0, 1
SHIFT, REDUCE, LEFT, RIGHT = 0, 1, 2, 3  # kinds of actions
SIZE, NEXT, WORDS = 0, 1, 2  # indices into counts: words on the stack, the next word, words of the sentence
NONE = -1

Ints = npt.NDArray[np.int32]


@compiled
def begin(
    system: int,
    n: int,  # words
    stack: Ints,  # (n + 2,) written
    counts: Ints,  # (3,) written: SIZE, NEXT, WORDS
    heads: Ints,  # (n + 1,) written: no heads
    labels: Ints,  # (n + 1,) written: no labels
    children: Ints,  # (n + 1, 4) written: no leftmost, second leftmost, rightmost, second rightmost child
) -> None:
    """Write the first state of a sentence."""
    counts[NEXT], counts[WORDS] = 1, n
    heads[: n + 1], labels[: n + 1], children[: n + 1] = NONE, NONE, NONE
    stack[0] = 0
    counts[SIZE] = 1 if system == STANDARD else 0


@compiled
def next_node(system: int, counts: Ints) -> int:
    """The next node of the buffer: a word, 0 for arc-eager's root, -1 if the buffer is empty."""
    if counts[NEXT] <= counts[WORDS]:
        return counts[NEXT]
    return 0 if system == EAGER else NONE


@compiled
def is_final(system: int, counts: Ints) -> bool:
    """Whether a sentence is parsed: all words have left the buffer, and all but arc-standard's root the stack."""
    return counts[NEXT] > counts[WORDS] and counts[SIZE] == (1 if system == STANDARD else 0)


@compiled
def allowed(system: int, kind: int, stack: Ints, counts: Ints, heads: Ints) -> bool:
    """Whether a kind of action is possible."""
    size, words_left = counts[SIZE], counts[NEXT] <= counts[WORDS]
    if kind == SHIFT:
        return words_left
    if system == STANDARD:
        if kind == REDUCE or size < 2:
            return False
        if kind == LEFT:
            return stack[size - 2] != 0
        return stack[size - 2] != 0 or not words_left  # the root takes one word, the last
    if size == 0:
        return False
    top = stack[size - 1]
    if kind == REDUCE:
        return heads[top] != NONE
    if kind == LEFT:
        return heads[top] == NONE
    return words_left


@compiled
def arc_is_from_root(system: int, stack: Ints, counts: Ints, heads: Ints) -> bool:
    """Whether an arc that the next action adds has the root as its head, also after `one_root`."""
    size = counts[SIZE]
    if system == STANDARD:
        return size >= 2 and stack[size - 2] == 0
    if next_node(EAGER, counts) != 0:
        return False
    before = 0  # words without a head, of which the first takes those behind it as dependents
    for position in range(size - 1):
        before += heads[stack[position]] == NONE
    return before == 0


@compiled
def act(
    system: int,
    kind: int,  # kind of an allowed action
    label: int,  # label of the new arc
    stack: Ints,
    counts: Ints,
    heads: Ints,
    labels: Ints,
    children: Ints,
) -> None:
    """Carry out an action."""
    size = counts[SIZE]
    if kind == SHIFT:
        stack[size] = counts[NEXT]
        counts[SIZE], counts[NEXT] = size + 1, counts[NEXT] + 1
        return
    top = stack[size - 1]
    counts[SIZE] = size - 1
    if kind == REDUCE:
        return
    if system == STANDARD:
        below = stack[size - 2]
        head, word = (top, below) if kind == LEFT else (below, top)
        stack[size - 2] = head
    elif kind == LEFT:
        head, word = next_node(system, counts), top
    else:
        head, word = top, counts[NEXT]
        stack[size] = word
        counts[SIZE], counts[NEXT] = size + 1, counts[NEXT] + 1
    heads[word], labels[word] = head, label
    # A word takes its children from near to far, so that the newest is the outermost at its side of the word.
    side = 0 if word < head else 2
    children[head, side], children[head, side + 1] = word, children[head, side]


@compiled
def one_root(n: int, heads: Ints) -> None:
    """Make the dependents of the root, other than the first, dependents of the first."""
    first = NONE
    for word in range(1, n + 1):
        if heads[word] == 0:
            if first == NONE:
                first = word
            else:
                heads[word] = first


@compiled
def static_oracle(
    system: int,
    gold: Ints,  # (n + 1,) heads of a projective tree
    ends: Ints,  # (n + 1, 2) first and last gold dependent of each node, -1 for none
    stack: Ints,
    counts: Ints,
    heads: Ints,
) -> int:
    """The kind of action that leads to the gold tree from a state on the way to it."""
    size = counts[SIZE]
    if system == STANDARD:
        if size >= 2:
            top, below = stack[size - 1], stack[size - 2]
            if below != 0 and gold[below] == top:
                return LEFT
            if gold[top] == below and ends[top, 1] < counts[NEXT]:
                return RIGHT
        return SHIFT
    if size == 0:
        return SHIFT
    top, after = stack[size - 1], next_node(system, counts)
    if heads[top] == NONE and gold[top] == after:
        return LEFT
    if after == 0:
        return REDUCE
    if gold[after] == top:
        return RIGHT
    first = ends[after, 0]
    if heads[top] != NONE and (0 < gold[after] < top or (first != NONE and first < top and heads[first] == NONE)):
        return REDUCE
    return SHIFT


@compiled
def eager_costs(
    gold: Ints,  # (n + 1,) gold heads
    stack: Ints,
    counts: Ints,
    heads: Ints,
    costs: Ints,  # (4,) written: of SHIFT, REDUCE, LEFT and RIGHT with the gold label; -1 where not allowed
) -> None:
    """Count the gold arcs that each action of arc-eager puts out of reach."""
    size, n = counts[SIZE], counts[WORDS]
    after = next_node(EAGER, counts)
    for kind in range(4):
        costs[kind] = 0 if allowed(EAGER, kind, stack, counts, heads) else NONE
    top = stack[size - 1] if size else NONE
    to_top = 0  # dependents of the top among the words to come
    if size:
        for word in range(counts[NEXT], n + 1):
            to_top += gold[word] == top
    from_stack, head_below, head_is_top = 0, 0, 0  # the next word's dependents without a head, and its head
    if after > 0:
        for position in range(size):
            word = stack[position]
            from_stack += gold[word] == after and heads[word] == NONE
            head_below += gold[after] == word and position < size - 1
        head_is_top = 1 if size and gold[after] == top else 0
    if costs[SHIFT] == 0:
        costs[SHIFT] = from_stack + head_below + head_is_top
    if costs[REDUCE] == 0:
        costs[REDUCE] = to_top
    if costs[LEFT] == 0:
        elsewhere = gold[top] != after and (gold[top] == 0 or gold[top] >= counts[NEXT])
        costs[LEFT] = to_top + (1 if elsewhere else 0)
    if costs[RIGHT] == 0:
        to_come = gold[after] == 0 or gold[after] > after
        costs[RIGHT] = from_stack + head_below + (1 if to_come else 0)
