"""Learning curves: the loss per epoch of one or more models.

Word vectors have two losses: on a fixed sample of the text after each epoch, and the mean over each epoch, measured
during training. The second may rise while the vectors improve. Neural models have one of held-out data and one of the
training data at each evaluation.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError, counted
from firth.plots.picture import Axis, Curve, Mark, Picture, Points

LOSSES = ("sample", "training")
UNITS = {"words": "nats per prediction", "cells": "per cell", "texts": "nats per text"}
CHANGED = "changed"  # of Boltzmann machines, in place of a loss: the share of visible units that a step changes


@explained
def training_curves(
    models: Mapping[str, Mapping[str, Any]], *, loss: str = "sample", relative: bool = False, title: str | None = None
) -> Picture:
    """Return the learning curves of models.

    Args:
        models: the training record of each model by its name: `vectors.metadata["training"]`, or another mapping with
            "sample_loss" or "loss", a list of one number per epoch, or with "rows", one per evaluation. Models without
            epochs are left out, with a note. A training in phases has the others among its values, as mappings with
            "rows" by their names; each has curves of its own.
        loss: "sample" for the loss on a fixed sample of the text, with the training loss for models that did not
            measure it, and the losses of neural models on held-out and training data; "training" for the mean over
            each epoch.
        relative: whether to divide losses by that of the first epoch, for models whose losses have different units.

    Raises:
        OptionError: no model has losses, or `loss` is neither.
    """
    if loss not in LOSSES:
        raise OptionError(f"loss={loss!r}: expected one of {', '.join(LOSSES)}")
    with_sample = [name for name, facts in models.items() if loss == "sample" and facts.get("sample_loss")]
    by_model = {name: _curves(name, facts, loss) for name, facts in models.items()}
    drawn = [name for name, own in by_model.items() if own]
    curves = {label: xy / [1, xy[0, 1] if relative else 1] for own in by_model.values() for label, xy in own.items()}
    if not curves:
        raise OptionError(f"no losses in {', '.join(models) or 'no models'}: expected models that train in epochs")
    marks: list[Mark] = [Curve(name=name, xy=xy, group=i) for i, (name, xy) in enumerate(curves.items())]
    ends = np.array([xy[-1] for xy in curves.values()])
    marks.append(Points(xy=ends, labels=list(curves), groups=range(len(curves))))
    units = {_unit(models[name]) for name in drawn}
    unit = next(iter(units)) if len(units) == 1 else ""
    return Picture(
        kind="curve",
        title=f"Loss of {counted(len(drawn), 'model')}, per epoch" if title is None else title,
        marks=marks,
        rows=[
            {"model": name, "epoch": epoch, "loss": loss} for name, xy in curves.items() for epoch, loss in xy.tolist()
        ],
        caption=" ".join(_captions(len(drawn), bool(with_sample))),
        notes=list(_notes([name for name in models if name not in drawn], _unsampled(drawn, with_sample, models))),
        x=_epochs([float(epoch) for xy in curves.values() for epoch in xy[:, 0]]),
        y=Axis(name="loss relative to the first epoch" if relative else f"loss, {unit}".rstrip(", ")),
    )


def _curves(name: str, facts: Mapping[str, Any], loss: str) -> dict[str, np.ndarray]:
    """Return the curves of a model, (n, 2) epochs and losses, by their labels."""
    phases = {key: part for key, part in facts.items() if isinstance(part, Mapping) and "rows" in part}
    curves = _phase_curves(name, facts, loss)
    for phase, part in phases.items():
        curves |= _phase_curves(f"{name}: {phase}", part, loss)
    return curves


def _phase_curves(name: str, facts: Mapping[str, Any], loss: str) -> dict[str, np.ndarray]:
    rows = facts.get("rows")
    if not isinstance(rows, list):
        kinds = ("sample_loss", "loss", CHANGED) if loss == "sample" else ("loss", CHANGED)
        losses = _losses(facts, next((kind for kind in kinds if facts.get(kind)), "loss"))
        return {name: np.column_stack([np.arange(1, len(losses) + 1), losses])} if len(losses) else {}
    keys = {"held-out": "held_out_loss", "training": "loss"} if loss == "sample" else {"training": "loss"}
    points = {
        data: [(row["epoch"], row[key]) for row in rows if row.get(key) is not None and np.isfinite(row[key])]
        for data, key in keys.items()
    }
    by_label = {f"{name}: {data}": np.array(xy, dtype=np.float64) for data, xy in points.items() if xy}
    if len(by_label) == 1:
        return {name: next(iter(by_label.values()))}
    return by_label


def _unit(facts: Mapping[str, Any]) -> str:
    return "share of units changed" if facts.get(CHANGED) else UNITS.get(str(facts.get("unit")), "")


def _epochs(epochs: Sequence[float]) -> Axis:
    """Return the axis of the epochs, of which a short training has a part only."""
    last = max(epochs)
    step = max(1, -(-int(last) // 10))
    ticks = [(float(epoch), f"{epoch}") for epoch in range(1, int(last) + 1) if epoch % step == 0 or epoch == 1]
    return Axis(name="epoch", low=min(0.8, *epochs), high=1.18 * last + 0.2 * (last >= 1), ticks=ticks, grid=False)


def _unsampled(drawn: Sequence[str], sampled: Sequence[str], models: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the models whose training loss stands beside the sample loss of others."""
    return [name for name in drawn if sampled and name not in sampled and "rows" not in models[name]]


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
