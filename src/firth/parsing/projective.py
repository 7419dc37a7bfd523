"""Trees without crossing arcs: the test, and a near tree of that kind.

What: whether a tree is projective, and a projective tree for a projective parser to learn from.
Objective: few words with another head, chosen one by one.
Source: Nivre and Nilsson 2005, "Pseudo-projective dependency parsing", section 3: the shortest arc is lifted.
Departures: relations stay as they are: no arc is lowered after parsing.
Cost: n^2 comparisons, and n^3 per lifted arc at most.
"""

from collections.abc import Sequence

import numpy as np


def is_projective(heads: Sequence[int]) -> bool:
    """Return whether no two arcs cross; the root's, too.

    Args:
        heads: of n words of a tree, numbered from 1; 0 for the root.
    """
    arcs = np.stack([np.asarray(heads), np.arange(1, len(heads) + 1)])
    first, last = arcs.min(0), arcs.max(0)
    inside = (first[:, None] < first) & (first < last[:, None])
    return not bool((inside & (last[:, None] < last)).any())


def projective(heads: Sequence[int]) -> list[int]:
    """Return heads of a projective tree: dependents of crossing arcs move up to the head of their head.

    Args:
        heads: of n words of a tree, numbered from 1; 0 for the root.
    """
    lifted = [int(head) for head in heads]
    while not is_projective(lifted):
        crossing = [word for word in range(1, len(lifted) + 1) if _is_crossing(word, lifted)]
        word = min(crossing, key=lambda word: abs(word - lifted[word - 1]))
        lifted[word - 1] = lifted[lifted[word - 1] - 1]
    return lifted


def _is_crossing(word: int, heads: Sequence[int]) -> bool:
    """Return whether the arc to a word covers one that is not below its head."""
    head = heads[word - 1]
    covered = range(min(word, head) + 1, max(word, head))
    return head != 0 and any(not _is_below(other, head, heads) for other in covered)


def _is_below(word: int, head: int, heads: Sequence[int]) -> bool:
    while word not in (0, head):
        word = heads[word - 1]
    return word == head
