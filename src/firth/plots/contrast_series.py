"""The course of words over several groups of texts: their distances with intervals, beside what chance does."""

from collections.abc import Sequence

import numpy as np

from firth.alignment.contrast_series import ContrastSeries
from firth.arguments import explained
from firth.options import check_whole
from firth.plots.contrast import LEVEL
from firth.plots.picture import Axis, Curve, Lines, Mark, Picture, Points

MOST = 8  # words; there are as many colours
_APART, _GAP, _WIDE = 0.09, 0.5, 0.04  # between words; before the last pair; half of the mark of a chance level


@explained
def contrast_course(
    series: ContrastSeries, words: Sequence[str] | None = None, *, number: int = 4, title: str | None = None
) -> Picture:
    """Return the change of words from each group of texts to the next, and from the first to the last.

    Args:
        series: of three groups or more, from `firth.contrast_series`.
        words: the words, at most 8; None for those that change most.
        number: how many of these.

    Raises:
        OptionError: `number` is out of its range.
        RareWordError: a word is too rare in each pair of groups.
        UnknownWordError: a word is in none.
    """
    check_whole("number", number)
    chosen = list(words) if words else series.most_changed(number)
    rows = [series.facts(word, 1) for word in chosen[:MOST]]
    last = len(series.pairs) - 1
    columns = np.arange(len(series.pairs)) + np.append(np.zeros(last), _GAP)
    marks: list[Mark] = []
    for group, row in enumerate(rows):
        there = [i for i, change in enumerate(row["changes"]) if change["distance"] is not None]
        x = {i: float(columns[i]) + _APART * (group - (len(rows) - 1) / 2) for i in there}
        changes = {i: row["changes"][i] for i in there}
        bounded = [i for i in there if changes[i]["low"] is not None]
        tested = [i for i in there if changes[i]["chance"] is not None]
        levels = [[[x[i] + side, changes[i]["chance"]] for side in (-_WIDE, _WIDE)] for i in tested]
        intervals = [[[x[i], changes[i][end]] for end in ("low", "high")] for i in bounded]
        course = [[x[i], changes[i]["distance"]] for i in there if i != last]
        marks += [
            Lines(
                ends=np.array(levels).reshape(-1, 2, 2),
                style="link",
                groups=[group] * len(tested),
                strengths=[0.8] * len(tested),
            ),
            Lines(ends=np.array(intervals).reshape(-1, 2, 2), style="interval", groups=[group] * len(bounded)),
            *([Curve(name=row["word"], xy=np.array(course), group=group)] if len(course) > 1 else []),
            Points(
                xy=np.array([[x[i], changes[i]["distance"]] for i in there]),
                labels=[
                    f"{row['word']} {' → '.join(series.pairs[i].names)} {changes[i]['distance']:.3f}" for i in there
                ],
                groups=[group] * len(there),
                hollow=[not (changes[i]["adjusted"] is not None and changes[i]["adjusted"] <= LEVEL) for i in there],
                labelled=False,
            ),
        ]
    return Picture(
        kind="contrast-series",
        title=f"Change of {', '.join(row['word'] for row in rows)}" if title is None else title,
        marks=marks,
        rows=rows,
        caption=(
            "Short bars are chance levels: 95 % of random divisions of the texts are below. Hollow dots: adjusted p "
            f"above {LEVEL}."
        ),
        notes=[f"the first {MOST} of {len(chosen):,} words are drawn"] if len(chosen) > MOST else [],
        x=Axis(
            name="",
            low=-0.6,
            high=float(columns[-1]) + 0.6,
            ticks=[(float(x), " → ".join(pair.names)) for x, pair in zip(columns, series.pairs, strict=True)],
            grid=False,
        ),
        y=Axis(name="distance between the two groups", low=0.0),
        groups=[row["word"] for row in rows],
    )
