"""A heat map of the cosines of all pairs of words."""

from collections.abc import Sequence

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError, counted
from firth.plots.picture import Axis, Floats, Heat, Picture
from firth.plots.words import Groups, Vectors, check_vectors, choose, name_of

MOST = 80  # words; more labels cannot be read
ORDERS = ("clusters", "given")
_INCHES = 4.2, 0.32, 10.0  # of the square: of none, of each word, at most


@explained
def similarity_heat_map(
    vectors: Vectors,
    words: Sequence[str] = (),
    *,
    groups: Groups | None = None,
    order: str = "clusters",
    title: str | None = None,
) -> Picture:
    """Return the cosines of all pairs of words as a heat map.

    Args:
        vectors: the vectors.
        words: the words; by default those of the groups. Words without a vector are left out, and so are the rarest of
            more than 80 words, with a note.
        groups: words by the name of their group, in place of `words`.
        order: "clusters" puts similar words side by side; "given" keeps the order.

    Raises:
        OptionError: there are fewer than two words, or the order is unknown.
        UnknownWordError: none of the words has a vector.

    Source:
        The order of the words: average-linkage clustering with the leaf order of Bar-Joseph, Gifford and Jaakkola
        2001, "Fast optimal leaf ordering for hierarchical clustering".
    """
    check_vectors(vectors)
    if order not in ORDERS:
        raise OptionError(f"order={order!r}: expected {' or '.join(ORDERS)}")
    selection = choose(vectors, words, groups, most=MOST)
    if len(selection.words) < 2:
        raise OptionError(f"a heat map of {counted(len(selection.words), 'word')}: expected at least two with vectors")
    cosines = np.clip(selection.rows @ selection.rows.T, -1, 1)
    cosines = (cosines + cosines.T) / 2
    np.fill_diagonal(cosines, 1.0)
    leaves = list(range(len(cosines))) if order == "given" else _leaves(cosines)
    names, values = [selection.words[i] for i in leaves], cosines[np.ix_(leaves, leaves)]
    ticks = list(enumerate(names))
    side = min(_INCHES[0] + _INCHES[1] * len(names), _INCHES[2])
    return Picture(
        kind="similarity",
        title=f"Cosines of {counted(len(names), 'word')}{name_of(vectors)}" if title is None else title,
        marks=[Heat(values=values, labels=names, low=-1.0, high=1.0, name="cosine")],
        rows=[
            {"a": names[i], "b": names[j], "cosine": float(values[i, j])}
            for i, j in zip(*np.triu_indices(len(names), 1), strict=True)
        ],
        caption="Similar words side by side, by average-linkage clustering." if order == "clusters" else "",
        notes=selection.notes,
        x=Axis(name="", ticks=ticks, low=-0.5, high=len(names) - 0.5, grid=False),
        y=Axis(name="", ticks=ticks, low=-0.5, high=len(names) - 0.5, grid=False),
        size=(side + 1.2, side),
    )


def _leaves(cosines: Floats) -> list[int]:
    """The order that puts similar words side by side."""
    if len(cosines) < 3:
        return list(range(len(cosines)))
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

    apart = (1 - cosines)[np.triu_indices(len(cosines), 1)]
    return [int(i) for i in leaves_list(optimal_leaf_ordering(linkage(apart, "average"), apart))]
