"""Arcs of trees: levels, places at a word, characters."""

import random

from firth.plots.arcs import arcs_of, characters, ports_of


def random_heads(rng, count):
    """A random projective tree: each stretch of words has a root, with trees of stretches to its left and right."""
    heads = [0] * count

    def grow(start, end, parent):
        if start < end:
            root = rng.randrange(start, end)
            heads[root] = parent + 1
            cut_left, cut_right = rng.randint(start, root), rng.randint(root + 1, end)
            for first, last in ((start, cut_left), (cut_left, root), (root + 1, cut_right), (cut_right, end)):
                grow(first, last, root)

    grow(0, count, -1)
    return heads


def test_arcs_of_one_level_share_no_words_between_their_ends():
    rng = random.Random(0)
    for _ in range(50):
        arcs = arcs_of(random_heads(rng, 15), ["x"] * 15)
        for a in arcs:
            for b in arcs:
                if a is not b and max(a.left, b.left) < min(a.right, b.right):
                    assert a.level != b.level
                    if b.left <= a.left and a.right <= b.right:
                        assert a.level < b.level


def test_places_at_a_word():
    """The root has a line of its own between its arcs to the left and those to the right."""
    arcs = arcs_of([3, 3, 0, 3, 3], ["a", "b", "root", "d", "e"])
    ports = [[arc and arc.label for arc in above] for above in ports_of(arcs, 5)]
    assert ports == [["a"], ["b"], ["b", "a", None, "e", "d"], ["d"], ["e"]]


def test_characters():
    """Word 2 hangs on word 3, and has arcs to 1 and 6, which covers the rest."""
    assert characters(arcs_of([2, 3, 0, 5, 3, 2], ["x"] * 6), 6) == [
        "    ┌─>",
        "┌───┼─>",
        "│ ┌─┴──",
        "│ │ ┌─>",
        "│ └─┴─>",
        "└─────>",
    ]
    assert characters([], 1) == [" "]
