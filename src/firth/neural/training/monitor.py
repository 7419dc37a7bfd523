"""Monitoring of training: running losses, one row per evaluation, and callbacks."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from firth.errors import brief_repr
from firth.storage.files import replacing_file

Callback = Callable[[Mapping[str, Any]], object]  # called with each row
METRICS = "metrics.jsonl"


@dataclass
class LossMeter:
    """Sum of losses on their device: reading a figure makes a GPU wait, so it is read rarely.

    Attributes:
        nats: scalar float64 tensor, or 0 before the first step.
        predictions: number of predictions in the sum.
    """

    nats: torch.Tensor | float = 0.0
    predictions: int = 0

    def add(self, nats: torch.Tensor, predictions: int) -> None:
        """Add the loss of a step."""
        self.nats = self.nats + nats.double()
        self.predictions += predictions

    def mean(self) -> float:
        """Return the mean loss in nats per prediction; 0 without predictions."""
        return float(self.nats) / max(self.predictions, 1)


@dataclass(frozen=True)
class History:
    """Training history.

    Attributes:
        rows: one per evaluation: "epoch" (passes, with fractions), "step", "loss" (training loss in nats per prediction
            since the previous row), "lr", "seconds", "predictions", and figures on held-out data as "held_out_loss"
            etc.
        best: row of the model that was kept; None without held-out data, when the last model is kept.
        ended: "epochs", "patience", "minutes", "interrupted" or "diverged".
        steps: number of updates.
        predictions: in all updates.
        seconds: spent on updates, without evaluation.
        error: message of the error, if training diverged.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    best: dict[str, Any] | None = None
    ended: str = "epochs"
    steps: int = 0
    predictions: int = 0
    seconds: float = 0.0
    error: str = ""

    __repr__ = brief_repr

    @property
    def interrupted(self) -> bool:
        """Whether a signal stopped training."""
        return self.ended == "interrupted"

    def described(self) -> dict[str, Any]:
        """Return the history as a JSON value, for a model's metadata."""
        return {
            "rows": self.rows,
            "best": self.best,
            "ended": self.ended,
            "interrupted": self.interrupted,
            "steps": self.steps,
            "predictions": self.predictions,
            "seconds": round(self.seconds, 3),
            "error": self.error,
        }


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for JSON: numbers that are not finite become None."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }


def write_metrics(rows: list[dict[str, Any]], folder: Path) -> None:
    """Write rows of a `History` as `metrics.jsonl`, one JSON object per line; the file is replaced atomically."""
    with replacing_file(folder / METRICS) as out:
        out.writelines(json.dumps(row).encode() + b"\n" for row in rows)
