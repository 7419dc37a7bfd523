"""Where the arcs of a dependency tree go: levels above the words, and places beside one another at a word.

An arc is drawn up from its head, level over to the dependent, and down. Its level is above those of the arcs that it
covers, so arcs of a projective tree do not cross. At a word, arcs to the left stand left of those to the right, and
longer ones inside; then none crosses another.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Arc:
    """An arc between two words.

    Attributes:
        head: number of the head, from 0.
        dependent: number of the dependent, from 0.
        label: the relation.
        level: from 1; arcs of one level share no word between their ends.
    """

    head: int
    dependent: int
    label: str
    level: int

    @property
    def left(self) -> int:
        """The first of the two words."""
        return min(self.head, self.dependent)

    @property
    def right(self) -> int:
        """The second of the two words."""
        return max(self.head, self.dependent)

    def end(self, word: int) -> int:
        """Return the other word."""
        return self.dependent if word == self.head else self.head


def arcs_of(heads: Sequence[int], relations: Sequence[str]) -> list[Arc]:
    """Return the arcs of a tree, the lowest first; the root has none.

    Args:
        heads: number of each word's head, from 1; 0 for the root.
    """
    pairs = [(head - 1, word) for word, head in enumerate(heads) if head]
    arcs: list[Arc] = []
    tops = [0] * len(heads)  # the highest level over the gap behind each word
    for head, dependent in sorted(pairs, key=lambda pair: (abs(pair[0] - pair[1]), min(pair))):
        left, right = sorted((head, dependent))
        level = 1 + max(tops[left:right])
        tops[left:right] = [level] * (right - left)
        arcs.append(Arc(head, dependent, relations[dependent], level))
    return sorted(arcs, key=lambda arc: (arc.level, arc.left))


def ports_of(arcs: Sequence[Arc], words: int) -> list[list[Arc | None]]:
    """Return what stands above each word from left to right: its arcs, and None where a line to the root stands."""
    left: list[list[Arc]] = [[] for _ in range(words)]
    right: list[list[Arc]] = [[] for _ in range(words)]
    for arc in sorted(arcs, key=lambda arc: arc.level):
        left[arc.right].append(arc)
        right[arc.left].append(arc)
    dependents = {arc.dependent for arc in arcs}
    roots: list[list[None]] = [[] if word in dependents else [None] for word in range(words)]
    return [[*left[word], *roots[word], *reversed(right[word])] for word in range(words)]


def characters(arcs: Sequence[Arc], words: int) -> list[str]:
    """Return a line of characters per word, with the arcs from top to bottom and an arrow at each dependent."""
    levels = max((arc.level for arc in arcs), default=0)
    width = 2 * levels
    lines = [[0] * width for _ in range(words)]
    for arc in arcs:
        column = 2 * (levels - arc.level)
        for row in range(arc.left, arc.right + 1):
            lines[row][column] |= _UP * (row > arc.left) | _DOWN * (row < arc.right)
        for row in (arc.left, arc.right):
            lines[row][column] |= _RIGHT
            for passed in range(column + 1, width):
                lines[row][passed] |= _LEFT | _RIGHT
    dependents = {arc.dependent for arc in arcs}
    touched = {word for arc in arcs for word in (arc.head, arc.dependent)}
    ends = [">" if word in dependents else "─" if word in touched else " " for word in range(words)]
    return ["".join(map(_LINES.__getitem__, line)) + end for line, end in zip(lines, ends, strict=True)]


_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
