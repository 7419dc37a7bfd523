"""The way of a word from one time to another, among its neighbours of both."""

import numpy as np

from firth.alignment.change import Moved
from firth.errors import OptionError
from firth.plots.picture import Lines, Picture, Points
from firth.plots.projection import project
from firth.vectors.cosine import unit

MOST = 60  # neighbours whose labels still find room
GROUPS = ["near it then", "near it now", "near it at both times"]


def word_path(
    moved: Moved, word: str, *, number: int = 8, method: str | None = None, title: str | None = None
) -> Picture:
    """Return where a word stood and where it stands, as an arrow among the words near it then and now.

    Source: Hamilton, Leskovec and Jurafsky 2016, "Diachronic word embeddings reveal statistical laws of semantic
    change", figure 1: the neighbours stand where they are now, the word at both its places.

    Args:
        moved: two times of one language, compared.
        word: one that both have.
        number: its nearest words of each time.
        method: how vectors come onto the plane, as in `firth.plots.projection.project`.
        title: a line above; by default it says what is shown.

    Raises:
        OptionError: `number` is out of its range, or the method is unknown.
        UnknownWordError: the word is not one of both times.
    """
    if not 1 <= number <= MOST // 2:
        raise OptionError(f"number={number}: expected from 1 to {MOST // 2} neighbours of each time")
    place = moved.new.get_index(word)
    then, now = ([other for other, _ in side.similar_by_word(word, topn=number)] for side in (moved.old, moved.new))
    around = list(dict.fromkeys([*then, *now]))
    rows = np.stack([moved.old.vectors[place], moved.new.vectors[place], *moved.new.get_vector(around)])
    places, caption = project(unit(rows).astype(np.float64), method)
    groups = [2 if {other} <= {*then} & {*now} else 0 if other in then else 1 for other in around]
    labels = [f"{word} then", f"{word} now", *around]
    told = [{"word": label, "x": x, "y": y} for label, (x, y) in zip(labels, places.tolist(), strict=True)]
    figures = f"distance {moved.distance[place]:z.2f}, neighbourhood {moved.neighbourhood[place]:z.2f}"
    return Picture(
        kind="semantic-change",
        title=f"{word}: {figures}" if title is None else title,
        marks=[
            Lines(ends=places[None, :2], style="arrow", groups=[6]),
            Points(xy=places, labels=labels, groups=[0, 1, *groups], heads=[True, True, *[False] * len(around)]),
        ],
        rows=told,
        caption=f"{caption} Neighbours stand where they are now.",
        groups=GROUPS if 2 in groups else GROUPS[:2],
        equal=True,
    )
