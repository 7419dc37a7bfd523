"""Learning curves of language models: perplexity over minutes of training, with n-gram models as baselines."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, counted
from firth.plots.picture import NO_GROUP, Axis, Curve, Lines, Mark, Picture, Points

Rows = Sequence[Mapping[str, Any]]


def learning_curves(
    models: Mapping[str, Rows], baselines: Mapping[str, float] | None = None, *, title: str | None = None
) -> Picture:
    """Return the perplexity of held-out text during training; for a single model also that of the training text.

    Args:
        models: the rows that training wrote down, by the model's name: `model.metadata["training"]["rows"]`. A model
            that was not judged on held-out text shows how well it knew the text that it learned.
        baselines: perplexities of the same held-out text by models that have no curve, such as n-grams; each is a
            level line.

    Raises:
        OptionError: no model has rows with a loss.
    """
    curves = {name: curve for name, rows in models.items() if len(curve := _curve(rows, _loss_name(rows)))}
    if not curves:
        raise OptionError(f"no losses in {', '.join(models) or 'no models'}: expected models that learn step by step")
    if len(curves) == 1 and _loss_name(*models.values()) == "held_out_loss":
        (name,) = curves
        curves = {"held-out text": curves[name], "training text": _curve(models[name], "loss")}
    marks: list[Mark] = [Curve(name=name, xy=xy, group=i) for i, (name, xy) in enumerate(curves.items())]
    ends = np.array([xy[-1] for xy in curves.values()])
    width = max(float(ends[:, 0].max()) * 1.3, 1e-3)
    marks.append(Points(xy=ends, labels=list(curves), groups=range(len(curves))))
    if baselines:
        levels = np.array(list(baselines.values()))
        sides = np.stack([np.zeros_like(levels), np.full_like(levels, width)], 1)
        marks.append(Lines(ends=np.stack([sides, np.repeat(levels[:, None], 2, 1)], 2), style="guide"))
        ends = np.column_stack([np.full_like(levels, width * 0.88), levels])
        marks.append(Points(xy=ends, labels=list(baselines), groups=[NO_GROUP] * len(levels), dotted=False))
    values = np.concatenate([*(xy[:, 1] for xy in curves.values()), list((baselines or {}).values())])
    return Picture(
        kind="learning",
        title=f"Perplexity of {counted(len(models), 'model')} during training" if title is None else title,
        marks=marks,
        rows=[
            {"model": name, "minutes": float(minutes), "perplexity": float(value)}
            for name, xy in curves.items()
            for minutes, value in xy
        ],
        caption="Dashed: n-gram models." if baselines else "",
        x=Axis(name="minutes of training", low=0.0, high=width, grid=False),
        y=Axis(name="perplexity", log=True, ticks=_ticks(float(values.min()), float(values.max()))),
    )


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return round numbers between two others and one beyond each, for a logarithmic axis."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low > 20 else (1, 1.5, 2, 3, 4, 5, 6, 8)
    ticks = [step * 10.0**power for power in powers for step in steps]
    first = max((i for i, value in enumerate(ticks) if value <= low), default=0)
    last = min((i for i, value in enumerate(ticks) if value >= high), default=len(ticks) - 1)
    return [(value, f"{value:,.6g}") for value in ticks[first : last + 1]]


def _loss_name(*runs: Rows) -> str:
    """Return the loss that all rows have: that of held-out text, or else that of training."""
    return "held_out_loss" if all("held_out_loss" in row for rows in runs for row in rows) else "loss"


def _curve(rows: Rows, loss: str) -> npt.NDArray[np.float64]:
    """Return minutes and perplexities, (n, 2); rows whose loss is not finite are left out."""
    points = [
        (row["seconds"] / 60, math.exp(min(row[loss], 700.0)))
        for row in rows
        if row.get(loss) is not None and math.isfinite(row[loss])
    ]
    return np.array(points, dtype=np.float64).reshape(-1, 2)
