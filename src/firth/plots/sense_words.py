"""The senses of a word as bar charts of their nearest words."""

from collections.abc import Sequence

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError, counted
from firth.options import check_kind
from firth.plots.picture import Axis, Floats, Lines, Mark, Picture, Points
from firth.vectors import neighbours
from firth.vectors.cosine import row_norms, unit
from firth.vectors.sense_readers import Centroids
from firth.vectors.sense_vectors import Sense, SenseVectors

MOST = 60  # bars of a picture
_ROW = 0.23  # inches
_WORDS = list[tuple[str, float]]


@explained
def sense_words(
    senses: SenseVectors, word: str, *, number: int = 8, among: int = 20_000, title: str | None = None
) -> Picture:
    """Return the senses of a word, the most likely on top, each with its nearest words as bars.

    For models that choose a sense by its centre, such as atoms, these are the words nearest to the centre; for other
    models, the words with the nearest senses.

    Args:
        senses: the senses.
        word: word whose senses to draw. The least likely senses are left out beyond 60 bars, with a note.
        number: words per sense.
        among: number of words to search, the most frequent ones.

    Raises:
        OptionError: `number` is not from 1 to 60, or `among` is below 1.
        UnknownWordError: the word has no sense.
    """
    check_kind("senses", senses, SenseVectors)
    if not 1 <= number <= MOST:
        raise OptionError(f"number={number}: expected from 1 to {MOST} words per sense")
    if among < 1:
        raise OptionError(f"among={among}: expected at least one word")
    every = sorted(senses.senses(word), key=lambda sense: -sense.prior)
    largest = every[: max(MOST // number, 1)]
    notes = [] if len(largest) == len(every) else [f"the {len(largest)} most likely of {len(every)} senses are drawn"]
    near = [_near(senses, sense, number, among) for sense in largest]
    rows = [
        {"sense": sense.number, "label": sense.label, "prior": sense.prior, "word": other, "cosine": cosine}
        for sense, words in zip(largest, near, strict=True)
        for other, cosine in words
    ]
    groups = [i for i, words in enumerate(near) for _ in words]
    heights = -np.arange(len(rows)) - 1.2 * np.array(groups, dtype=np.float64)
    cosines = np.array([cosine for words in near for _, cosine in words], dtype=np.float64)
    tips = np.column_stack([cosines, heights])
    return Picture(
        kind="sense-words",
        title=f"{counted(len(largest), 'sense')} of {word}, with the nearest words of each" if title is None else title,
        marks=_bars(tips, [f"{row['word']} {row['cosine']:z.2f}" for row in rows], groups),
        rows=rows,
        caption="The nearest words first; the legend shows the prior of each sense.",
        notes=notes,
        x=Axis(name="cosine with the sense", low=min(0.0, float(cosines.min())), high=1.0),
        y=Axis(
            name="",
            ticks=[(float(y), str(row["word"])) for y, row in zip(heights, rows, strict=True)],
            low=float(heights.min()) - 1,
            high=1.0,
            grid=False,
        ),
        groups=[_name(sense) for sense in largest],
        size=(8.0, 2.0 + _ROW * float(np.ptp(heights))),
    )


def _bars(tips: Floats, labels: Sequence[str], groups: Sequence[int]) -> list[Mark]:
    """Bars from zero to each tip, (n, 2)."""
    ends = np.stack([tips * [0, 1], tips], axis=1)
    return [
        Lines(ends=ends, style="interval", groups=groups),
        Points(xy=tips, labels=labels, groups=groups, labelled=False),
    ]


def _name(sense: Sense) -> str:
    return f"{sense.label or sense.number}, {sense.prior:.0%}"


def _near(senses: SenseVectors, sense: Sense, number: int, among: int) -> _WORDS:
    if not isinstance(senses.reader, Centroids):
        near = senses.sense_neighbours(sense.word, sense.number, 4 * number)
        best = dict[str, float]()
        for (other, _), cosine in near:
            if other != sense.word:
                best.setdefault(other, cosine)
        return list(best.items())[:number]
    matrix = senses.reader.context_vectors[:among]
    row = senses.rows(sense.word).start + sense.number
    centre = unit(np.asarray(senses.reader.centres[row : row + 1]))
    rows, cosines = neighbours.nearest(matrix, row_norms(matrix), centre, number)
    return [(senses.words[i], float(cosine)) for i, cosine in zip(rows[0].tolist(), cosines[0].tolist(), strict=True)]
