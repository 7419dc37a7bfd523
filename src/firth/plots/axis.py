"""Words along an axis between two poles, or in the plane of two such axes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from firth.arguments import explained
from firth.directions.axis import axis_between
from firth.errors import OptionError, brief, counted
from firth.plots.picture import Axis, Floats, Lines, Picture, Points
from firth.plots.words import Groups, Selection, Vectors, check_vectors, choose, known_words, name_of

MOST, MOST_ROWS = 1_000, 60  # words of a plane; words of one axis, one per line
_ROW = 0.24  # inches
CAPTION = "Cosine of each word with the difference of the poles; 0 is neutral."
Pole = str | Sequence[str]
Poles = tuple[Pole, Pole]  # from, to


@explained
def word_axis(
    vectors: Vectors,
    poles: Poles,
    words: Sequence[str] = (),
    *,
    second: Poles | None = None,
    groups: Groups | None = None,
    number: int = MOST,
    title: str | None = None,
) -> Picture:
    """Return words between two poles: the cosine of each word with the direction from one pole to the other.

    A pole is a word or a list of words, whose vectors of length 1 are averaged. The direction is the difference of the
    poles; a cosine of 0 is neutral.

    Args:
        vectors: the vectors.
        poles: an axis, such as ("woman", "man") or (["she", "her"], ["he", "him"]).
        words: words to draw; by default those of the groups.
        second: another axis, for a plane of two axes.
        groups: words by the name of their group; each group has a colour.
        number: number of words at most, the most frequent ones. One axis shows the 60 words nearest to its poles. Notes
            say what is left out.

    Raises:
        OptionError: there are no words, or an axis does not have two different poles.
        UnknownWordError: none of the words, or none of a pole's, has a vector.
    """
    check_vectors(vectors)
    axes = [poles] if second is None else [poles, second]
    if not all(len(axis) == 2 and all(axis) for axis in axes):
        raise OptionError(f"poles {brief(poles)}: expected two, each a word or a list of words")
    selection = choose(vectors, words, groups, most=min(number, MOST))
    notes = list(selection.notes)
    directions = [_direction(vectors, axis, notes) for axis in axes]
    positions = selection.rows @ np.stack([direction for direction, _ in directions], axis=1)  # (n, 1 or 2)
    names = [name for _, name in directions]
    picture = _two(selection, positions, names, notes) if second else _one(selection, positions[:, 0], names[0], notes)
    what = f"{counted(len(picture.rows), 'word')} between {' and '.join(names)}{name_of(vectors)}"
    return replace(picture, title=what if title is None else title)


def _direction(vectors: Vectors, poles: Poles, notes: list[str]) -> tuple[Floats, str]:
    """The direction of an axis at length 1, (D,), and its name."""
    sides = [[pole] if isinstance(pole, str) else list(pole) for pole in poles]
    for words in sides:
        notes += known_words(vectors, words)[1]
    names = [words[0] if len(words) == 1 else f"{words[0]} ..." for words in sides]
    direction = axis_between(vectors, *sides, name=" → ".join(names))
    return direction.direction, direction.name


def _one(selection: Selection, positions: Floats, name: str, notes: list[str]) -> Picture:
    """Each word on a line of its own, from those that lean most to the first pole up to the other's."""
    order = np.argsort(-positions, kind="stable")
    if len(order) > MOST_ROWS:
        notes.append(f"the {MOST_ROWS} words that lean most to a pole, of {len(order):,}, are drawn")
        order = np.concatenate([order[: MOST_ROWS // 2], order[-MOST_ROWS // 2 :]])
    words, groups = [selection.words[i] for i in order], [selection.groups[i] for i in order]
    xy = np.column_stack([positions[order], np.arange(len(order))[::-1]])
    stems = np.stack([np.column_stack([np.zeros(len(xy)), xy[:, 1]]), xy], axis=1)
    reach = max(float(np.abs(xy[:, 0]).max()) * 1.1, 0.05)
    middle = np.array([[[0.0, -0.7], [0.0, len(xy) - 0.3]]])
    return Picture(
        kind="axis",
        title="",
        marks=[
            Lines(ends=middle, style="guide"),
            Lines(ends=stems, style="interval", groups=groups),
            Points(xy=xy, labels=words, groups=groups, labelled=False),
        ],
        rows=[{"word": word, "x": float(x)} for word, x in zip(words, xy[:, 0], strict=True)],
        caption=CAPTION,
        notes=notes,
        x=Axis(name=f"{name} (cosine)", low=-reach, high=reach),
        y=Axis(
            name="",
            low=-0.7,
            high=len(xy) - 0.3,
            ticks=[(float(y), word) for word, y in zip(words, xy[:, 1], strict=True)],
            grid=False,
        ),
        groups=selection.names,
        size=(9.0, 1.6 + _ROW * len(words)),
    )


def _two(selection: Selection, positions: Floats, names: list[str], notes: list[str]) -> Picture:
    reach = np.maximum(np.abs(positions).max(axis=0) * 1.12, 0.05)
    cross = np.array([[[-reach[0], 0.0], [reach[0], 0.0]], [[0.0, -reach[1]], [0.0, reach[1]]]])
    return Picture(
        kind="axis",
        title="",
        marks=[Lines(ends=cross, style="guide"), Points(xy=positions, labels=selection.words, groups=selection.groups)],
        rows=[{"word": word, "x": x, "y": y} for word, (x, y) in zip(selection.words, positions.tolist(), strict=True)],
        caption=CAPTION,
        notes=notes,
        x=Axis(name=f"{names[0]} (cosine)", low=-reach[0], high=reach[0]),
        y=Axis(name=f"{names[1]} (cosine)", low=-reach[1], high=reach[1]),
        groups=selection.names,
    )
