"""The path of a word from one time to another, among its neighbours of both times."""

import numpy as np

from firth.alignment.semantic_change import SemanticChanges
from firth.arguments import explained
from firth.errors import OptionError
from firth.plots.picture import Lines, Picture, Points
from firth.plots.projection import project
from firth.vectors.cosine import unit

MOST = 60  # neighbours; more labels do not fit
GROUPS = ["near it then", "near it now", "near it at both times"]


@explained
def word_path(
    changes: SemanticChanges, word: str, *, number: int = 8, method: str | None = None, title: str | None = None
) -> Picture:
    """Return the path of a word between two times as an arrow, among its neighbours then and now.

    Source: Hamilton, Leskovec and Jurafsky 2016, "Diachronic word embeddings reveal statistical laws of semantic
    change", figure 1: the neighbours are at their new positions, the word at both.

    Args:
        changes: the comparison of two times, from `firth.SemanticChange`.
        word: a word of both times.
        number: neighbours per time.
        method: projection onto the plane; see `firth.plots.projection.project`.

    Raises:
        OptionError: `number` is out of its range, or the method is unknown.
        UnknownWordError: a time lacks the word.
    """
    if not 1 <= number <= MOST // 2:
        raise OptionError(f"number={number}: expected from 1 to {MOST // 2} neighbours per time")
    row = changes.new.get_index(word)
    then, now = ([other for other, _ in side.similar_by_word(word, topn=number)] for side in (changes.old, changes.new))
    around = list(dict.fromkeys([*then, *now]))
    rows = np.stack([changes.old.vectors[row], changes.new.vectors[row], *changes.new.get_vector(around)])
    points, caption = project(unit(rows).astype(np.float64), method)
    groups = [2 if {other} <= {*then} & {*now} else 0 if other in then else 1 for other in around]
    labels = [f"{word} then", f"{word} now", *around]
    positions = [{"word": label, "x": x, "y": y} for label, (x, y) in zip(labels, points.tolist(), strict=True)]
    figures = f"distance {changes.distance[row]:z.2f}, neighbourhood {changes.neighbourhood[row]:z.2f}"
    return Picture(
        kind="semantic-change",
        title=f"{word}: {figures}" if title is None else title,
        marks=[
            Lines(ends=points[None, :2], style="arrow", groups=[6]),
            Points(xy=points, labels=labels, groups=[0, 1, *groups], heads=[True, True, *[False] * len(around)]),
        ],
        rows=positions,
        caption=f"{caption} Neighbours are at their new positions.",
        groups=GROUPS if 2 in groups else GROUPS[:2],
        equal=True,
    )
