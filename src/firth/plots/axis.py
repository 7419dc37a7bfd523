"""Words along an axis between two poles, or in the plane of two such axes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.directions.axis import axis_between, project
from firth.errors import OptionError, brief, counted
from firth.plots.picture import Axis, Floats, Lines, Picture, Points
from firth.plots.words import Groups, Selection, Vectors, check_vectors, choose, known_words, name_of
from firth.runs.runs import Runs
from firth.vectors.word_vectors import WordVectors

MOST, MOST_ROWS = 1_000, 60  # words of a plane; words of one axis, one per line
_ROW = 0.24  # inches
CAPTION = "Cosine of each word with the difference of the poles; 0 is neutral."
Pole = str | Sequence[str]
Poles = tuple[Pole, Pole]  # from, to
Ints = npt.NDArray[np.int64]


@explained
def word_axis(
    vectors: Vectors | Runs,
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
        vectors: the vectors; or runs, whose mean cosines are drawn with their intervals.
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
    runs = vectors if isinstance(vectors, Runs) else None
    vectors = vectors.consensus if isinstance(vectors, Runs) else vectors
    check_vectors(vectors)
    axes = [poles] if second is None else [poles, second]
    if not all(len(axis) == 2 and all(axis) for axis in axes):
        raise OptionError(f"poles {brief(poles)}: expected two, each a word or a list of words")
    selection = choose(vectors, words, groups, most=min(number, MOST))
    notes = list(selection.notes)
    directions = [_direction(vectors, axis, notes) for axis in axes]
    names = [name for _, name in directions]
    if runs is None:
        positions = selection.rows @ np.stack([direction for direction, _ in directions], axis=1)  # (n, 1 or 2)
        ends = None
    else:
        estimate = runs.estimate(lambda run: _positions(run, axes, selection.words))
        positions, ends = estimate.value, np.stack([estimate.low, estimate.high])  # (2, n, 1 or 2)
        there = np.flatnonzero(np.isfinite(positions).all(axis=1))
        if len(there) < len(positions):
            selection, notes = _without_absent(selection, there, notes)
            positions, ends = positions[there], ends[:, there]
    picture = (_two if second else _one)(selection, positions, ends, names, notes)
    what = ", ".join(f"between {' and '.join(_heads(axis))}" for axis in axes)
    default = f"{counted(len(picture.rows), 'word')} {what}{name_of(vectors)}"
    captions = [f"{pole[0]} is the mean of {', '.join(pole)}." for axis in axes for pole in axis if _is_mean(pole)]
    if runs is not None:
        captions.append(f"Means of {len(runs)} runs, with intervals of 95 %.")
    return replace(
        picture, title=default if title is None else title, caption=" ".join([CAPTION, *dict.fromkeys(captions)])
    )


def _without_absent(selection: Selection, there: Ints, notes: list[str]) -> tuple[Selection, list[str]]:
    """Leave out words that no run has together with the poles, and say so."""
    if not len(there):
        raise OptionError(
            f"{brief(selection.words)}: no run has one of them and all poles; expected more frequent words"
        )
    absent = [word for row, word in enumerate(selection.words) if row not in there]
    said = f"left out {counted(len(absent), 'word')} that no run has together with the poles: {brief(absent)}"
    kept = replace(
        selection,
        words=[selection.words[row] for row in there],
        rows=selection.rows[there],
        groups=[selection.groups[row] for row in there],
    )
    return kept, [*notes, said]


def _is_mean(pole: str | Sequence[str]) -> bool:
    return not isinstance(pole, str) and len(pole) > 1


def _heads(axis: Poles) -> list[str]:
    """The word that stands for each pole: its first."""
    return [pole if isinstance(pole, str) else pole[0] for pole in axis]


def _direction(vectors: Vectors, poles: Poles, notes: list[str]) -> tuple[Floats, str]:
    """The direction of an axis at length 1, (D,), and its name."""
    sides = [[pole] if isinstance(pole, str) else list(pole) for pole in poles]
    for words in sides:
        notes += known_words(vectors, words)[1]
    direction = axis_between(vectors, *sides, name=" → ".join(_heads(poles)))
    return direction.direction, direction.name


def _positions(run: WordVectors, axes: Sequence[Poles], words: Sequence[str]) -> Floats:
    """Return the cosines of words with axes in a run, (n, 1 or 2); NaN for words that it lacks."""
    has = np.array([word in run for word in words])
    positions = np.full((len(words), len(axes)), np.nan)
    there = [word for word in words if word in run]
    for column, axis in enumerate(axes):
        positions[has, column] = project(run, axis_between(run, *axis), there)
    return positions


def _one(selection: Selection, positions: Floats, ends: Floats | None, names: list[str], notes: list[str]) -> Picture:
    """Each word on a line of its own, from those that lean most to the first pole up to the other's."""
    x = positions[:, 0]
    order = np.argsort(-x, kind="stable")
    if len(order) > MOST_ROWS:
        notes.append(f"the {MOST_ROWS} words that lean most to a pole, of {len(order):,}, are drawn")
        order = np.concatenate([order[: MOST_ROWS // 2], order[-MOST_ROWS // 2 :]])
    words, groups = [selection.words[i] for i in order], [selection.groups[i] for i in order]
    y = np.arange(len(order))[::-1].astype(np.float64)
    xy = np.column_stack([x[order], y])
    lines = np.stack([np.zeros(len(x)), x]) if ends is None else ends[:, :, 0]  # (2, n) from 0, or an interval
    reach = max(float(np.nanmax(np.abs([*lines, x])[:, order])) * 1.1, 0.05)
    middle = np.array([[[0.0, -0.7], [0.0, len(xy) - 0.3]]])
    return Picture(
        kind="axis",
        title="",
        marks=[
            Lines(ends=middle, style="guide"),
            Lines(
                ends=np.stack([np.column_stack([end[order], y]) for end in lines], axis=1),
                style="interval",
                groups=groups,
            ),
            Points(xy=xy, labels=words, groups=groups, labelled=False),
        ],
        rows=_rows(words, "x", positions[order], None if ends is None else ends[:, order]),
        notes=notes,
        x=Axis(name=f"{names[0]} (cosine)", low=-reach, high=reach),
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


def _two(selection: Selection, positions: Floats, ends: Floats | None, names: list[str], notes: list[str]) -> Picture:
    whiskers: list[Lines] = []
    every = positions
    if ends is not None:
        every = np.concatenate([positions, *ends])
        for i in (0, 1):
            across = np.repeat(positions[:, None], 2, axis=1)  # (n, 2 ends, 2)
            across[:, :, i] = ends[:, :, i].T
            whiskers.append(Lines(ends=across, style="interval", groups=selection.groups))
    reach = np.maximum(np.nanmax(np.abs(every), axis=0) * 1.12, 0.05)
    cross = np.array([[[-reach[0], 0.0], [reach[0], 0.0]], [[0.0, -reach[1]], [0.0, reach[1]]]])
    return Picture(
        kind="axis",
        title="",
        marks=[
            Lines(ends=cross, style="guide"),
            *whiskers,
            Points(xy=positions, labels=selection.words, groups=selection.groups),
        ],
        rows=_rows(selection.words, "xy", positions, ends),
        notes=notes,
        x=Axis(name=f"{names[0]} (cosine)", low=-reach[0], high=reach[0]),
        y=Axis(name=f"{names[1]} (cosine)", low=-reach[1], high=reach[1]),
        groups=selection.names,
    )


def _rows(words: Sequence[str], axes: str, positions: Floats, ends: Floats | None) -> list[dict[str, Any]]:
    """Return the plotted numbers: of each axis the position and, for runs, the ends of its interval."""
    rows: list[dict[str, Any]] = [{"word": word} for word in words]
    for i, axis in enumerate(axes):
        named = {axis: positions[:, i]} | (
            {} if ends is None else {f"{axis}_low": ends[0, :, i], f"{axis}_high": ends[1, :, i]}
        )
        for name, values in named.items():
            for row, value in zip(rows, values.tolist(), strict=True):
                row[name] = value if np.isfinite(value) else None
    return rows
