"""Training curves: the loss of each epoch, of one model or of several over one another."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from firth.errors import OptionError
from firth.plots.picture import Axis, Curve, Mark, Picture, Points
from firth.plots.words import counted

UNITS = {"words": "nats a prediction", "cells": "a cell", "texts": "nats a text"}


def training_curves(
    models: Mapping[str, Mapping[str, Any]], *, relative: bool = False, title: str | None = None
) -> Picture:
    """Return the loss of each epoch, as training wrote it down.

    Args:
        models: what training told of each model, by its name: `vectors.metadata["training"]`, or anything with "loss",
            a list of one number an epoch. Models that count, and so have no losses, are left out, which the
            picture's notes say.
        relative: whether losses are shares of the first epoch's, for models whose losses have different units.
        title: a line above; by default it says what is shown.

    Raises:
        OptionError: no model has losses.
    """
    curves = {name: _losses(facts) for name, facts in models.items()}
    without = [name for name, losses in curves.items() if not len(losses)]
    curves = {name: losses / losses[0] if relative else losses for name, losses in curves.items() if len(losses)}
    if not curves:
        raise OptionError(f"no losses in {', '.join(models) or 'no models'}: expected models that train in epochs")
    longest = max(map(len, curves.values()))
    marks: list[Mark] = []
    for i, (name, losses) in enumerate(curves.items()):
        marks.append(Curve(name=name, xy=np.column_stack([np.arange(1, len(losses) + 1), losses]), group=i))
    ends = np.array([[len(losses), losses[-1]] for losses in curves.values()])
    marks.append(Points(xy=ends, labels=list(curves), groups=range(len(curves))))
    step = max(1, -(-longest // 10))
    epochs = [(float(epoch), f"{epoch}") for epoch in range(1, longest + 1) if epoch % step == 0 or epoch == 1]
    units = {UNITS.get(str(models[name].get("unit")), "") for name in curves}
    unit = next(iter(units)) if len(units) == 1 else ""
    return Picture(
        kind="curve",
        title=f"Loss of {counted(len(curves), 'model')}, epoch by epoch" if title is None else title,
        marks=marks,
        rows=[
            {"model": name, "epoch": epoch, "loss": float(loss)}
            for name, losses in curves.items()
            for epoch, loss in enumerate(losses, 1)
        ],
        caption=""
        if len(curves) == 1
        else "Losses of different objectives have different units: compare their shapes.",
        notes=[f"without losses, for they do not train in epochs: {', '.join(without)}"] if without else [],
        x=Axis(name="epoch", low=0.8, high=longest + 0.2 + 0.18 * longest, ticks=epochs, grid=False),
        y=Axis(name="loss, share of the first epoch's" if relative else f"loss, {unit}".rstrip(", ")),
    )


def _losses(facts: Mapping[str, Any]) -> np.ndarray:
    """The losses that training told, (epochs,); an epoch that left the finite numbers ends them."""
    losses = np.array(facts.get("loss") or (), dtype=np.float64).reshape(-1)
    ends = np.flatnonzero(~np.isfinite(losses))
    return losses[: ends[0]] if len(ends) else losses
