"""Learning curves by the size of the training data: a figure of one or more models at each size, with intervals."""

from collections.abc import Sequence

import numpy as np

from firth.comparison.learning_curve import LearningCurve
from firth.errors import OptionError
from firth.plots.picture import Axis, Curve, Lines, Mark, Picture, Points


def scores_by_size(curves: Sequence[LearningCurve], *, title: str | None = None) -> Picture:
    """Return the figures of models by the number of their training examples.

    Args:
        curves: one per model, of the same measure, as `firth classify curve` computes them.

    Raises:
        OptionError: there is no curve, or they have different measures.
    """
    measures = {curve.measure for curve in curves}
    if len(measures) != 1:
        raise OptionError(f"curves of {', '.join(sorted(measures)) or 'nothing'}: expected one measure")
    (measure,), unit = measures, curves[0].unit
    marks: list[Mark] = []
    for group, curve in enumerate(curves):
        xy = np.array([(point.examples, point.value) for point in curve.points], dtype=np.float64)
        ends = np.array([[(p.examples, p.low), (p.examples, p.high)] for p in curve.points], dtype=np.float64)
        names = [""] * (len(xy) - 1) + [curve.name]
        marks += [
            Lines(ends=ends, style="interval", groups=[group] * len(xy)),
            Curve(name=curve.name, xy=xy, group=group),
            Points(xy=xy, labels=names, groups=[group] * len(xy)),
        ]
    sizes = sorted({point.examples for curve in curves for point in curve.points})
    return Picture(
        kind="by-size",
        title=f"{measure.capitalize()} by number of training {unit}" if title is None else title,
        marks=marks,
        rows=[
            {"model": curve.name, unit: p.examples, measure: p.value, "low": p.low, "high": p.high}
            for curve in curves
            for p in curve.points
        ],
        caption="Intervals of 95 %: of the draws where a size is drawn several times, otherwise of the test data.",
        x=Axis(name=f"training {unit}", log=True, ticks=[(float(size), f"{size:,}") for size in sizes]),
        y=Axis(name=measure),
    )
