"""How stable the neighbours of words are over runs, by the frequency of the word."""

import math

import numpy as np

from firth.plots.picture import Axis, Curve, Lines, Mark, Picture, Points
from firth.runs.runs import Runs
from firth.runs.stability import STABLE

GROUPS = ["mean overlap of the ten nearest", "share of stable words"]


def neighbour_stability(runs: Runs, *, title: str | None = None) -> Picture:
    """Return how many of a word's ten nearest two runs share, by the frequency of the word.

    Args:
        runs: from `firth.bootstrap`.
    """
    bands = [band for band in runs.stability()[::-1] if not math.isnan(band.overlap)]
    names = [f"{band.least:,} or more" if band.most is None else f"{band.least:,}–{band.most:,}" for band in bands]
    marks: list[Mark] = [Lines(ends=np.array([[[-0.5, STABLE], [len(bands) - 0.5, STABLE]]]), style="guide")]
    for group, values in enumerate([[band.overlap for band in bands], [band.stable for band in bands]]):
        xy = np.column_stack([np.arange(len(bands)), values])
        labels = [f"{name}: {value:.2f}" for name, value in zip(names, values, strict=True)]
        marks += [
            Curve(name=GROUPS[group], xy=xy, group=group),
            Points(xy=xy, labels=labels, groups=[group] * len(xy), labelled=False),
            Points(xy=xy[-1:], labels=[GROUPS[group]], groups=[group]),
        ]
    return Picture(
        kind="stability",
        title=f"Stability of neighbours over {len(runs)} runs" if title is None else title,
        marks=marks,
        rows=[band._asdict() for band in bands],
        caption=(
            "1 if two runs have the same ten nearest words. A word is stable if two runs share half of them or more on "
            "average. Of each band a hundred words are looked at."
        ),
        x=Axis(
            name="occurrences of the word",
            low=-0.5,
            high=len(bands) - 0.5,
            ticks=[(float(i), name) for i, name in enumerate(names)],
            grid=False,
        ),
        y=Axis(name="share", low=0.0, high=1.03),
    )
