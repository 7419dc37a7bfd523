"""Learning curves: the loss per epoch of one or more models.

There are two losses: on a fixed sample of the text after each epoch, and the mean over each epoch, measured during
training. The second may rise while the vectors improve.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError, counted
from firth.plots.picture import Axis, Curve, Mark, Picture, Points

LOSSES = ("sample", "training")
UNITS = {"words": "nats per prediction", "cells": "per cell", "texts": "nats per text"}


@explained
def training_curves(
    models: Mapping[str, Mapping[str, Any]], *, loss: str = "sample", relative: bool = False, title: str | None = None
) -> Picture:
    """Return the learning curves of models.

    Args:
        models: the training record of each model by its name: `vectors.metadata["training"]`, or another mapping with
            "sample_loss" or "loss", a list of one number per epoch. Models without epochs are left out, with a note.
        loss: "sample" for the loss on a fixed sample of the text, with the training loss for models that did not
            measure it; "training" for the mean over each epoch.
        relative: whether to divide losses by that of the first epoch, for models whose losses have different units.

    Raises:
        OptionError: no model has losses, or `loss` is neither.
    """
    if loss not in LOSSES:
        raise OptionError(f"loss={loss!r}: expected one of {', '.join(LOSSES)}")
    with_sample = [name for name, facts in models.items() if loss == "sample" and facts.get("sample_loss")]
    curves = {name: _losses(facts, "sample_loss" if name in with_sample else "loss") for name, facts in models.items()}
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
        title=f"Loss of {counted(len(curves), 'model')}, per epoch" if title is None else title,
        marks=marks,
        rows=[
            {"model": name, "epoch": epoch, "loss": float(loss)}
            for name, losses in curves.items()
            for epoch, loss in enumerate(losses, 1)
        ],
        caption=" ".join(_captions(len(curves), bool(with_sample))),
        notes=list(_notes(without, [name for name in curves if with_sample and name not in with_sample])),
        x=Axis(name="epoch", low=0.8, high=longest + 0.2 + 0.18 * longest, ticks=epochs, grid=False),
        y=Axis(name="loss relative to the first epoch" if relative else f"loss, {unit}".rstrip(", ")),
    )


def _captions(curves: int, sampled: bool) -> Iterator[str]:
    if sampled:
        yield "Loss on a fixed sample of the text after each epoch."
    if curves > 1:
        yield "Losses of different objectives have different units: compare the shapes only."


def _notes(without: Sequence[str], unsampled: Sequence[str]) -> Iterator[str]:
    if without:
        yield f"left out, because they have no epochs: {', '.join(without)}"
    if unsampled:
        yield f"training loss, because no sample was measured: {', '.join(unsampled)}"


def _losses(facts: Mapping[str, Any], kind: str) -> np.ndarray:
    """The losses of the epochs, up to the first that is not finite."""
    losses = np.array(facts.get(kind) or (), dtype=np.float64).reshape(-1)
    ends = np.flatnonzero(~np.isfinite(losses))
    return losses[: ends[0]] if len(ends) else losses
